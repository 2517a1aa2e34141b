// `convener-budget` on a real floor, by the numbers of docs/convener.md.
import { budgetChair, createConvener } from "@plenary/agents";
import { afterEach, expect, test } from "vitest";
import { answer, silent, startAgent, textsIn, utterance } from "../floor/agents.ts";
import { openStage, type Stage } from "./stage.ts";

let stage: Stage;
afterEach(async () => {
  await stage.close();
  expect(stage.world.errors).toEqual([]);
});

async function openWith(limits: Parameters<typeof budgetChair>[0]) {
  stage = await openStage({
    convener: "convener-mean",
    people: ["ben"],
    others: { "convener-mean": (options) => createConvener(budgetChair(limits), options) },
  });
  await stage.bring("bot", await startAgent(silent));
}

const broken = (name: string) => async () =>
  (await stage.rulings()).filter((one) => one.startsWith(`revokeFloor ${name}: @brokenPolicy`)).length;

test("B1 B6: an agent has so many turns and no more, until the owner gives it the floor anew; people have no such limit", async () => {
  await openWith({ turnsMax: 2, pauseMs: 1 });
  for (const text of ["one", "two"]) await stage.say("bot", text);
  expect(await stage.speakers()).toContain("bot");
  await stage.say("bot", "three");
  expect(await stage.speakers()).not.toContain("bot");
  expect(await broken("bot")()).toBe(1);
  await stage.request("bot");
  expect(await broken("bot")()).toBe(2);
  await stage.about("ann", "grantFloor", "bot");
  await stage.say("bot", "four");
  expect(await stage.speakers()).toContain("bot");
  for (const text of ["one", "two", "three"]) await stage.say("ben", text);
  expect(await stage.speakers()).toContain("ben");
});

test("B2 B4: whoever is too fast loses the floor for a while, and asking does not help", async () => {
  await openWith({ perMinuteMax: 2 });
  for (const text of ["one", "two", "three"]) await stage.say("ben", text);
  expect(await stage.speakers()).not.toContain("ben");
  await stage.request("ben");
  expect(await broken("ben")()).toBe(2);
  expect(await stage.speakers()).not.toContain("ben");
});

test("B4: when the while is over, whoever asks has the floor again", async () => {
  await openWith({ sameWordsMax: 1, pauseMs: 1 });
  for (const text of ["again", "Again!"]) await stage.say("ben", text);
  expect(await broken("ben")()).toBe(1);
  await stage.request("ben");
  expect(await stage.speakers()).toContain("ben");
});

test("B3 B5: an agent that goes on repeating itself is sent away; people stay, and the owner is held to nothing", async () => {
  await openWith({ sameWordsMax: 1, strikesMax: 1 });
  for (const text of ["hear me", "HEAR me."]) await stage.say("bot", text);
  expect(await broken("bot")()).toBe(1);
  await stage.say("bot", "hear me!");
  expect(await stage.present()).not.toContain("bot");
  const reason = "@brokenPolicy it had to pause, and it continued";
  expect((await stage.rulings()).at(-1)).toBe(`uninvite bot: ${reason}`);
  for (let times = 0; times < 4; times += 1) {
    await stage.say("ben", "hear me");
    await stage.say("ann", "hear me");
  }
  expect(await stage.present()).toEqual(expect.arrayContaining(["ann", "ben"]));
  expect((await stage.state()).floorGranted).toContain(stage.speakerOf("ann"));
});

test("B7: what an agent says because it is addressed is held against nobody", async () => {
  await openWith({ sameWordsMax: 1 });
  const parrot = await startAgent((heard, me) =>
    answer(heard, me, ...textsIn(heard).map(() => utterance(me.speakerUri, "Polly!"))),
  );
  await stage.bring("parrot", parrot);
  await stage.about("ann", "revokeFloor", "parrot");
  for (const text of ["one", "two", "three"]) await stage.say("ann", text, "parrot");
  expect((await stage.heard()).filter((one) => one === "parrot: Polly!")).toHaveLength(3);
  expect(await broken("parrot")()).toBe(0);
});
