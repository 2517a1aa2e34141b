// One call changes or removes the convener in the middle of a conversation.
import { afterEach, expect, test } from "vitest";
import { answer, type Behaviour, eventsIn, type Heard, silent, startAgent } from "../support/http-agent.ts";
import { type ConvenedFloor, startConvenedFloor } from "./convened-floor.ts";

let floor: ConvenedFloor;
afterEach(async () => {
  await floor.close();
  expect(floor.errors).toEqual([]);
});

const convenerApi = "/api/v1/conversations/c/convener";
const swap = (body: object) => floor.testFloor.call("POST", convenerApi, body);

/** The roles in an envelope. */
function rolesIn({ body }: Heard): unknown {
  return (body.openFloor as { conversation: { assignedFloorRoles: unknown } }).conversation.assignedFloorRoles;
}

const grantsIn = (heard: readonly Heard[]) =>
  heard.filter((one) => eventsIn(one).some(({ eventType }) => eventType === "grantFloor"));

test("an invited agent becomes convener when it joins; until then the old convener keeps the role", async () => {
  floor = await startConvenedFloor();
  let admit: (() => void) | undefined;
  const isAdmitted = new Promise<void>((resolve) => {
    admit = resolve;
  });
  const isInvite = (heard: Heard) => eventsIn(heard).some(({ eventType }) => eventType === "invite");
  const slow: Behaviour = async (heard, me) => {
    if (isInvite(heard)) await isAdmitted;
    return answer(heard, me);
  };
  const [first, second] = [await startAgent(silent), await startAgent(slow)];
  await floor.convene(first.url);
  const { status, body } = await swap({ serviceUrl: second.url });
  expect(status).toBe(200);
  expect(body.assignedFloorRoles).toMatchObject({ convener: [first.speakerUri] });
  expect(body.options).toMatchObject({ convener: second.url });
  admit?.();
  await floor.until((entries) =>
    entries.some(({ kind, speakerUri }) => kind === "role" && speakerUri === second.speakerUri),
  );
  await floor.quiet();
  for (const { heard } of [first, second]) {
    const delivered = grantsIn(heard).at(-1);
    expect(delivered?.headers["plenary-delegated"]).toBe("0");
    expect(delivered && rolesIn(delivered)).toMatchObject({ convener: [second.speakerUri] });
  }
  const { conversants } = await floor.state();
  expect(conversants.map(({ identification }) => identification.speakerUri)).toContain(first.speakerUri);
});

test("a convener that loses the role gets the update at once and keeps its seat, and the floor is open", async () => {
  floor = await startConvenedFloor({ people: ["ben"] });
  const convener = await startAgent(silent);
  await floor.convene(convener.url);
  await floor.removeConvener();
  await floor.quiet();
  const delivered = grantsIn(convener.heard).at(-1);
  expect(delivered && rolesIn(delivered)).not.toHaveProperty("convener");
  await floor.yields("ben");
  await floor.request("ben");
  expect(await floor.speakers()).toContain("ben");
});

test("a ready-made convener joins during a conversation, and acts at once on its state", async () => {
  floor = await startConvenedFloor({ people: ["ben", "cleo"] });
  expect(await floor.speakers()).toEqual(["ben", "cleo"]);
  await floor.convene("convener-queue");
  expect(await floor.speakers()).toEqual([]);
  await floor.request("ben");
  expect(await floor.speakers()).toEqual(["ben"]);
  await floor.convene("convener-open");
  await floor.request("cleo");
  expect(await floor.speakers()).toEqual(["ben", "cleo"]);
  await floor.convene("convener-queue");
  expect(await floor.convener()).toBe("convener-queue");
  expect(await floor.speakers()).toEqual([]);
});

test("an event that waits for a replaced convener is delegated to the next one", async () => {
  floor = await startConvenedFloor({ people: ["ben"], options: { convenerDeadlineMs: 60_000 } });
  const mute: Behaviour = (heard, me) =>
    eventsIn(heard).some(({ eventType }) => eventType === "requestFloor") ? undefined : answer(heard, me);
  await floor.convene((await startAgent(mute)).url);
  await floor.yields("ben");
  const asking = floor.request("ben");
  await floor.until((entries) => entries.some(({ kind }) => kind === "parked"));
  await floor.convene("convener-open");
  await asking;
  expect(await floor.speakers()).toContain("ben");
});

test("an agent whose manifest does not offer the role is appointed by its address only, and the refusal says so", async () => {
  floor = await startConvenedFloor();
  const agent = await startAgent(silent);
  await floor.bring("waiter", agent);
  const refused = await swap({ speakerUri: agent.speakerUri });
  expect(refused.status).toBe(422);
  expect(JSON.stringify(refused.body)).toContain("by its serviceUrl");
  expect((await swap({ serviceUrl: agent.url })).body.assignedFloorRoles).toMatchObject({
    convener: [agent.speakerUri],
  });
  await floor.convene("convener-open");
  const [speakerUri] = (await floor.state()).assignedFloorRoles.convener ?? [];
  await floor.removeConvener();
  // Its manifest is requested beside the log, so it may be known a moment later.
  await floor.until((entries) => entries.some(({ because }) => because.startsWith("command/identify")));
  expect((await swap({ speakerUri })).body.assignedFloorRoles).toMatchObject({ convener: [speakerUri] });
});
