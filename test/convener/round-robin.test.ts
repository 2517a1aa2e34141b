// `convener-round-robin` on a real floor, by the numbers of docs/convener.md.
import { createConvener, roundRobinPolicy } from "@plenary/agents";
import { afterEach, expect, test } from "vitest";
import { type ConvenedFloor, startConvenedFloor } from "./convened-floor.ts";

let floor: ConvenedFloor;
afterEach(async () => {
  await floor.close();
  expect(floor.errors).toEqual([]);
});

const people = ["ben", "cleo", "dan"];
const openWith = (turnMs: number) =>
  startConvenedFloor({
    convener: "convener-brisk",
    people,
    others: { "convener-brisk": (options) => createConvener(roundRobinPolicy({ turnMs }), options) },
  });

test("R1 R2 R5: the turn passes in the order of joining, and skips conversants that have left", async () => {
  floor = await startConvenedFloor({ convener: "convener-round-robin", people });
  expect(await floor.speakers()).toEqual(["ben"]);
  await floor.say("ben", "one");
  expect(await floor.speakers()).toEqual(["cleo"]);
  await floor.seat("eve");
  await floor.yields("cleo");
  expect(await floor.speakers()).toEqual(["dan"]);
  await floor.say("dan", "three");
  expect(await floor.speakers()).toEqual(["eve"]);
  await floor.act("ben", { eventType: "bye" });
  await floor.act("eve", { eventType: "bye" });
  expect(await floor.speakers()).toEqual(["cleo"]);
});

test("R6 R7 R8: a request out of turn gets its position, and utterances wait for the turn; the owner may override", async () => {
  floor = await startConvenedFloor({ convener: "convener-round-robin", people });
  await floor.request("dan");
  expect(await floor.whispers("dan")).toEqual([expect.stringContaining("you are number 2")]);
  await floor.say("cleo", "my two pence");
  expect(await floor.heard()).toEqual([]);
  await floor.say("ben", "one");
  expect(await floor.heard()).toEqual(["ben: one", "cleo: my two pence"]);
  expect(await floor.speakers()).toEqual(["dan"]);
  await floor.about("ann", "grantFloor", "cleo");
  expect(await floor.speakers()).toEqual(["cleo"]);
  expect(await floor.rulings()).toContainEqual(expect.stringMatching(/^revokeFloor dan: @override/));
  await floor.yields("cleo");
  expect(await floor.speakers()).toEqual(["dan"]);
});

test("R3 R4: a silent turn times out; after a round of silence the convener waits for an utterance", async () => {
  floor = await openWith(60);
  const timedOut = async () => (await floor.rulings()).filter((one) => one.includes("@timedOut")).length;
  await expect.poll(timedOut).toBe(3);
  await floor.quiet();
  const before = await floor.rulings();
  await floor.say("ann", "is anybody there?");
  const words = (await floor.log()).findIndex(
    ({ kind, event }) => kind === "event" && event?.eventType === "utterance",
  );
  const rulings = (await floor.log()).slice(0, words).filter(({ kind, event }) => {
    return kind === "event" && event?.reason?.includes("@timedOut") === true;
  });
  expect(rulings).toHaveLength(3);
  await expect.poll(async () => (await floor.rulings()).length).toBeGreaterThan(before.length);
});
