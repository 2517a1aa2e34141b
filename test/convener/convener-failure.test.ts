// The floor continues when its convener fails (D11).
import { afterEach, expect, test } from "vitest";
import { answer, type Behaviour, eventsIn, type Heard, startAgent } from "../support/http-agent.ts";
import { type ConvenedFloor, startConvenedFloor } from "./convened-floor.ts";

let floor: ConvenedFloor;
afterEach(async () => {
  await floor.close();
  expect(floor.errors).toEqual([]);
});

const isAsked = (heard: Heard) => heard.headers["plenary-delegated"] === "1";

/** Ben, who has no floor, and a convener that behaves like this when an event is delegated, and normally otherwise. */
async function convenedBy(behaviour: Behaviour, options: object = {}) {
  floor = await startConvenedFloor({ people: ["ben"], options: { convenerDeadlineMs: 150, ...options } });
  const convener = await startAgent((heard, me) => (isAsked(heard) ? behaviour(heard, me) : answer(heard, me)));
  await floor.convene(convener.url);
  await floor.yields("ben");
  return convener;
}

const failures: [string, Behaviour][] = [
  ["hangs", () => undefined],
  ["answers garbage", () => ({ body: "<html>It works!</html>", type: "text/html" })],
  ["breaks down", () => ({ status: 500, body: "{}" })],
];

test.each(failures)(
  "a convener that %s delays no event for long, and loses the role the second time",
  async (_, fails) => {
    await convenedBy(fails);
    await floor.request("ben");
    expect(await floor.speakers()).toContain("ben");
    expect(await floor.convener()).toBeDefined();
    await floor.yields("ben");
    await floor.request("ben");
    expect(await floor.convener()).toBeUndefined();
    expect(await floor.speakers()).toContain("ben");
    // The owner reads the loss in the log.
    expect((await floor.log("ann")).map(({ because }) => because)).toContain("convener/lapsed");
    await floor.say("ben", "on we go");
    expect(await floor.heard()).toEqual(["ben: on we go"]);
  },
);

test("with onConvenerFailure closed the events for a dead convener are refused, and then the floor is open", async () => {
  const convener = await convenedBy(() => undefined, { onConvenerFailure: "closed" });
  await convener.close();
  await floor.say("ben", "lost");
  await floor.request("ben");
  expect(await floor.refusals("ben")).toEqual(["convener/closed", "convener/closed"]);
  expect(await floor.heard()).toEqual([]);
  expect(await floor.rulings()).toContainEqual(expect.stringMatching(/^revokeFloor ben: @timedOut/));
  await floor.request("ben");
  await floor.say("ben", "heard");
  expect(await floor.heard()).toEqual(["ben: heard"]);
});

test("a late answer of the convener changes nothing, and the floor does not wait for it", async () => {
  let release = () => {};
  const isReleased = new Promise<void>((resolve) => {
    release = resolve;
  });
  await convenedBy(async (heard, me) => {
    await isReleased;
    return answer(heard, me, { eventType: "uninvite", to: { speakerUri: floor.speakerOf("ben") } });
  });
  await floor.request("ben");
  expect(await floor.speakers()).toContain("ben");
  release();
  await floor.say("ben", "still here");
  expect(await floor.present()).toContain("ben");
  expect(await floor.heard()).toEqual(["ben: still here"]);
});

test("of 33 events in one answer 32 take effect, and the excess is refused", async () => {
  const grant = () => ({ eventType: "grantFloor", to: { speakerUri: floor.speakerOf("ben") } });
  const convener = await convenedBy((heard, me) => answer(heard, me, ...Array.from({ length: 33 }, grant)));
  await floor.request("ben");
  const entries = await floor.testFloor.log("c");
  const given = entries.filter(({ kind, event, sender }) => {
    return kind === "event" && event?.eventType === "grantFloor" && sender === convener.speakerUri;
  });
  expect(given).toHaveLength(32);
  expect(entries.filter(({ kind, because }) => kind === "refused" && because === "limit/convener-events")).toHaveLength(
    1,
  );
  expect(await floor.convener()).toBeDefined();
});

test("a convener that names another conversation decides nothing there", async () => {
  const convener = await convenedBy((heard, me) => {
    const { body } = answer(heard, me, { eventType: "uninvite", to: { speakerUri: floor.speakerOf("ben") } });
    return { body: body.replace('"conversation":{"id":"c"}', '"conversation":{"id":"elsewhere"}') };
  });
  const identification = { speakerUri: floor.speakerOf("ben"), conversationalName: "Ben" };
  await floor.must("/api/v1/conversations", { id: "elsewhere", owner: { identification } });
  const before = await floor.testFloor.log("elsewhere");
  await floor.request("ben");
  expect(await floor.testFloor.log("elsewhere")).toEqual(before);
  // The answer counts under any name of the event.
  expect(await floor.present()).not.toContain("ben");
  expect(convener.heard.length).toBeGreaterThan(0);
});

test("a convener that acts against the owner is refused, and the owner removes the role", async () => {
  const attacks = (speakerUri: string) =>
    ["uninvite", "revokeFloor"].map((eventType) => ({ eventType, to: { speakerUri } }));
  const convener = await convenedBy((heard, me) => answer(heard, me, ...attacks(floor.speakerOf("ann"))));
  await floor.request("ben");
  const refused = (await floor.testFloor.log("c", convener.speakerUri)).filter(({ kind }) => kind === "refused");
  expect(refused.map(({ because }) => because)).toEqual(["guard/protected-owner", "guard/protected-owner"]);
  expect(await floor.present()).toContain("ann");
  const { floorGranted } = await floor.state();
  expect(floorGranted).toContain(floor.speakerOf("ann"));
  await floor.removeConvener();
  await floor.request("ben");
  expect(await floor.speakers()).toContain("ben");
});

test("a convener that leaves revokes no floor", async () => {
  const convener = await convenedBy((heard, me) => answer(heard, me, { eventType: "bye" }));
  await floor.request("ben");
  expect(await floor.convener()).toBeUndefined();
  expect(await floor.present()).not.toContain(convener.speakerUri);
  await floor.request("ben");
  expect(await floor.speakers()).toContain("ben");
  expect(convener.heard.flatMap(eventsIn).some(({ eventType }) => eventType === "requestFloor")).toBe(true);
});
