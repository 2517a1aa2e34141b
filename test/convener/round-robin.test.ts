// `convener-round-robin` on a real floor, by the numbers of docs/convener.md.
import { createConvener, roundRobinChair } from "@plenary/agents";
import { afterEach, expect, test } from "vitest";
import { openStage, type Stage } from "./stage.ts";

let stage: Stage;
afterEach(async () => {
  await stage.close();
  expect(stage.world.errors).toEqual([]);
});

const people = ["ben", "cleo", "dan"];
const openWith = (turnMs: number) =>
  openStage({
    convener: "convener-brisk",
    people,
    others: { "convener-brisk": (options) => createConvener(roundRobinChair({ turnMs }), options) },
  });

test("R1 R2 R5: the turn goes round in the order of coming, and past whoever has left", async () => {
  stage = await openStage({ convener: "convener-round-robin", people });
  expect(await stage.speakers()).toEqual(["ben"]);
  await stage.say("ben", "one");
  expect(await stage.speakers()).toEqual(["cleo"]);
  await stage.seat("eve");
  await stage.yields("cleo");
  expect(await stage.speakers()).toEqual(["dan"]);
  await stage.say("dan", "three");
  expect(await stage.speakers()).toEqual(["eve"]);
  await stage.act("ben", { eventType: "bye" });
  await stage.act("eve", { eventType: "bye" });
  expect(await stage.speakers()).toEqual(["cleo"]);
});

test("R6 R7 R8: out of turn one is told one's place, and what is said waits for it; the owner decides otherwise", async () => {
  stage = await openStage({ convener: "convener-round-robin", people });
  await stage.request("dan");
  expect(await stage.whispers("dan")).toEqual([expect.stringContaining("you are number 2")]);
  await stage.say("cleo", "my two pence");
  expect(await stage.heard()).toEqual([]);
  await stage.say("ben", "one");
  expect(await stage.heard()).toEqual(["ben: one", "cleo: my two pence"]);
  expect(await stage.speakers()).toEqual(["dan"]);
  await stage.about("ann", "grantFloor", "cleo");
  expect(await stage.speakers()).toEqual(["cleo"]);
  expect(await stage.rulings()).toContainEqual(expect.stringMatching(/^revokeFloor dan: @override/));
  await stage.yields("cleo");
  expect(await stage.speakers()).toEqual(["dan"]);
});

test("R3 R4: a silent turn times out; after a round of silence the convener waits until somebody speaks", async () => {
  stage = await openWith(60);
  const timedOut = async () => (await stage.rulings()).filter((one) => one.includes("@timedOut")).length;
  await expect.poll(timedOut).toBe(3);
  await stage.quiet();
  const before = await stage.rulings();
  await stage.say("ann", "is anybody there?");
  const words = (await stage.log()).findIndex(
    ({ kind, event }) => kind === "event" && event?.eventType === "utterance",
  );
  const rulings = (await stage.log()).slice(0, words).filter(({ kind, event }) => {
    return kind === "event" && event?.reason?.includes("@timedOut") === true;
  });
  expect(rulings).toHaveLength(3);
  await expect.poll(async () => (await stage.rulings()).length).toBeGreaterThan(before.length);
});
