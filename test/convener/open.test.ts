// `convener-open` on a real floor, by the numbers of docs/convener.md.
import { afterEach, expect, test } from "vitest";
import { silent, startAgent } from "../support/http-agent.ts";
import { type ConvenedFloor, startConvenedFloor } from "./convened-floor.ts";

let floor: ConvenedFloor;
afterEach(async () => {
  await floor.close();
  expect(floor.errors).toEqual([]);
});

test("O1 O2 O3 O4 C5: every conversant may speak, invite and get the floor, and an approved event keeps its sender", async () => {
  floor = await startConvenedFloor({ convener: "convener-open", people: ["ben", "cleo"] });
  expect(await floor.speakers()).toEqual(["ben", "cleo"]);
  await floor.yields("ben");
  await floor.say("ben", "without the floor");
  expect(await floor.heard()).toEqual(["ben: without the floor"]);
  await floor.request("ben");
  expect((await floor.speakers()).toSorted()).toEqual(["ben", "cleo"]);
  const bot = await startAgent(silent);
  await floor.bring("bot", bot);
  const said = (await floor.log()).filter(({ approvedBy }) => approvedBy !== undefined);
  expect(said.map(({ sender }) => floor.nameOf(sender))).toEqual(["ben", "ann"]);
  expect(await floor.speakers()).toContain("bot");
  await floor.yields("cleo");
  await floor.about("ben", "grantFloor", "cleo");
  expect(await floor.speakers()).toContain("cleo");
});
