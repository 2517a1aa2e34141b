// One call gives the chair to somebody else, or to nobody, in the middle of a conversation.
import { afterEach, expect, test } from "vitest";
import { answer, type Behaviour, eventsIn, type Heard, silent, startAgent } from "../floor/agents.ts";
import { openStage, type Stage } from "./stage.ts";

let stage: Stage;
afterEach(async () => {
  await stage.close();
  expect(stage.world.errors).toEqual([]);
});

const convenerApi = "/api/v1/conversations/c/convener";
const swap = (body: object) => stage.world.call("POST", convenerApi, body);

/** The roles as an envelope tells them. */
function rolesIn({ body }: Heard): unknown {
  return (body.openFloor as { conversation: { assignedFloorRoles: unknown } }).conversation.assignedFloorRoles;
}

const grantsIn = (heard: readonly Heard[]) =>
  heard.filter((one) => eventsIn(one).some(({ eventType }) => eventType === "grantFloor"));

test("an agent that is not here is invited and becomes convener when it joins; until then the old one keeps the chair", async () => {
  stage = await openStage();
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
  await stage.convene(first.url);
  const { status, body } = await swap({ serviceUrl: second.url });
  expect(status).toBe(200);
  expect(body.assignedFloorRoles).toMatchObject({ convener: [first.speakerUri] });
  expect(body.options).toMatchObject({ convener: second.url });
  admit?.();
  await stage.until((entries) =>
    entries.some(({ kind, speakerUri }) => kind === "role" && speakerUri === second.speakerUri),
  );
  await stage.quiet();
  for (const { heard } of [first, second]) {
    const told = grantsIn(heard).at(-1);
    expect(told?.headers["plenary-delegated"]).toBe("0");
    expect(told && rolesIn(told)).toMatchObject({ convener: [second.speakerUri] });
  }
  const { conversants } = await stage.state();
  expect(conversants.map(({ identification }) => identification.speakerUri)).toContain(first.speakerUri);
});

test("a convener that is stripped is told at once and stays, and the floor is open again", async () => {
  stage = await openStage({ people: ["ben"] });
  const convener = await startAgent(silent);
  await stage.convene(convener.url);
  await stage.strip();
  await stage.quiet();
  const told = grantsIn(convener.heard).at(-1);
  expect(told && rolesIn(told)).not.toHaveProperty("convener");
  await stage.yields("ben");
  await stage.request("ben");
  expect(await stage.speakers()).toContain("ben");
});

test("a ready-made convener takes its seat in the middle, and acts at once on what it finds", async () => {
  stage = await openStage({ people: ["ben", "cleo"] });
  expect(await stage.speakers()).toEqual(["ben", "cleo"]);
  await stage.convene("convener-queue");
  expect(await stage.speakers()).toEqual([]);
  await stage.request("ben");
  expect(await stage.speakers()).toEqual(["ben"]);
  await stage.convene("convener-open");
  await stage.request("cleo");
  expect(await stage.speakers()).toEqual(["ben", "cleo"]);
  await stage.convene("convener-queue");
  expect(await stage.convener()).toBe("convener-queue");
  expect(await stage.speakers()).toEqual([]);
});

test("what waits for a convener that is replaced is put to the next one", async () => {
  stage = await openStage({ people: ["ben"], options: { convenerDeadlineMs: 60_000 } });
  const mute: Behaviour = (heard, me) =>
    eventsIn(heard).some(({ eventType }) => eventType === "requestFloor") ? undefined : answer(heard, me);
  await stage.convene((await startAgent(mute)).url);
  await stage.yields("ben");
  const asking = stage.request("ben");
  await stage.until((entries) => entries.some(({ kind }) => kind === "parked"));
  await stage.convene("convener-open");
  await asking;
  expect(await stage.speakers()).toContain("ben");
});

test("somebody whose manifest offers no such role is appointed by its address alone, and the refusal says so", async () => {
  stage = await openStage();
  const agent = await startAgent(silent);
  await stage.bring("waiter", agent);
  const refused = await swap({ speakerUri: agent.speakerUri });
  expect(refused.status).toBe(422);
  expect(JSON.stringify(refused.body)).toContain("by its serviceUrl");
  expect((await swap({ serviceUrl: agent.url })).body.assignedFloorRoles).toMatchObject({
    convener: [agent.speakerUri],
  });
  await stage.convene("convener-open");
  const [speakerUri] = (await stage.state()).assignedFloorRoles.convener ?? [];
  await stage.strip();
  // Its manifest is asked for beside the log, so it may take a moment to be known.
  await stage.until((entries) => entries.some(({ because }) => because.startsWith("command/identify")));
  expect((await swap({ speakerUri })).body.assignedFloorRoles).toMatchObject({ convener: [speakerUri] });
});
