// `convener-single-speaker` on a real floor, by the numbers of docs/convener.md.
import { createConvener, singleSpeakerPolicy } from "@plenary/agents";
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
    others: { "convener-brisk": (options) => createConvener(singleSpeakerPolicy({ turnMs }), options) },
  });

test("S1: a speaker past its time loses the floor as soon as another conversant waits, and not before", async () => {
  floor = await openWith(1);
  await floor.request("ben");
  await floor.say("ben", "one");
  await floor.say("ben", "two");
  expect(await floor.speakers()).toEqual(["ben"]);
  await floor.request("cleo");
  await expect.poll(floor.speakers).toEqual(["cleo"]);
  expect(await floor.rulings()).toContainEqual(expect.stringMatching(/^revokeFloor ben: @timedOut/));
});

test("S1 C16: the time of a speaker ends by itself, without another event", async () => {
  floor = await openWith(200);
  await floor.request("ben");
  await floor.request("cleo");
  await floor.request("dan");
  await expect.poll(floor.speakers).toEqual(["dan"]);
  const given = (await floor.rulings()).filter((one) => !one.startsWith("revokeFloor") || one.includes("@timedOut"));
  expect(given.map((one) => one.split(":")[0])).toEqual([
    "grantFloor ben",
    "revokeFloor ben",
    "grantFloor cleo",
    "revokeFloor cleo",
    "grantFloor dan",
  ]);
});

test("S2 Q1: the owner's request gets the floor at once with @override, and the next request after the owner yields", async () => {
  floor = await startConvenedFloor({ convener: "convener-single-speaker", people });
  await floor.request("ben");
  await floor.request("cleo");
  await floor.request("ann");
  expect(await floor.speakers()).toEqual([]);
  expect((await floor.rulings()).slice(-2)).toEqual([
    "revokeFloor ben: @override the owner takes the floor",
    "grantFloor ann",
  ]);
  await floor.yields("ann");
  expect(await floor.speakers()).toEqual(["cleo"]);
});
