// `convener-open` on a real floor, by the numbers of docs/convener.md.
import { afterEach, expect, test } from "vitest";
import { silent, startAgent } from "../floor/agents.ts";
import { openStage, type Stage } from "./stage.ts";

let stage: Stage;
afterEach(async () => {
  await stage.close();
  expect(stage.world.errors).toEqual([]);
});

test("O1 O2 O3 O4 C5: everybody may speak, invite, and have the floor, and what is approved stays its sender's", async () => {
  stage = await openStage({ convener: "convener-open", people: ["ben", "cleo"] });
  expect(await stage.speakers()).toEqual(["ben", "cleo"]);
  await stage.yields("ben");
  await stage.say("ben", "without the floor");
  expect(await stage.heard()).toEqual(["ben: without the floor"]);
  await stage.request("ben");
  expect((await stage.speakers()).toSorted()).toEqual(["ben", "cleo"]);
  const bot = await startAgent(silent);
  await stage.bring("bot", bot);
  const said = (await stage.log()).filter(({ approvedBy }) => approvedBy !== undefined);
  expect(said.map(({ sender }) => stage.nameOf(sender))).toEqual(["ben", "ann"]);
  expect(await stage.speakers()).toContain("bot");
  await stage.yields("cleo");
  await stage.about("ben", "grantFloor", "cleo");
  expect(await stage.speakers()).toContain("cleo");
});
