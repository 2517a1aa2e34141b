// `convener-single-speaker` on a real floor, by the numbers of docs/convener.md.
import { createConvener, singleSpeakerChair } from "@plenary/agents";
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
    others: { "convener-brisk": (options) => createConvener(singleSpeakerChair({ turnMs }), options) },
  });

test("S1: whoever speaks for too long loses the floor as soon as somebody waits, and not before", async () => {
  stage = await openWith(1);
  await stage.request("ben");
  await stage.say("ben", "one");
  await stage.say("ben", "two");
  expect(await stage.speakers()).toEqual(["ben"]);
  await stage.request("cleo");
  await expect.poll(stage.speakers).toEqual(["cleo"]);
  expect(await stage.rulings()).toContainEqual(expect.stringMatching(/^revokeFloor ben: @timedOut/));
});

test("S1 C16: the time of a speaker ends by itself, though nothing else happens", async () => {
  stage = await openWith(200);
  await stage.request("ben");
  await stage.request("cleo");
  await stage.request("dan");
  await expect.poll(stage.speakers).toEqual(["dan"]);
  const given = (await stage.rulings()).filter((one) => !one.startsWith("revokeFloor") || one.includes("@timedOut"));
  expect(given.map((one) => one.split(":")[0])).toEqual([
    "grantFloor ben",
    "revokeFloor ben",
    "grantFloor cleo",
    "revokeFloor cleo",
    "grantFloor dan",
  ]);
});

test("S2 Q1: the owner who asks has the floor at once, @override, and the next has it when the owner yields", async () => {
  stage = await openStage({ convener: "convener-single-speaker", people });
  await stage.request("ben");
  await stage.request("cleo");
  await stage.request("ann");
  expect(await stage.speakers()).toEqual([]);
  expect((await stage.rulings()).slice(-2)).toEqual([
    "revokeFloor ben: @override the owner takes the floor",
    "grantFloor ann",
  ]);
  await stage.yields("ann");
  expect(await stage.speakers()).toEqual(["cleo"]);
});
