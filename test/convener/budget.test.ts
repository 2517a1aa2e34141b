// `convener-budget` on a real floor, by the numbers of docs/convener.md.
import { budgetPolicy, createConvener } from "@plenary/agents";
import { afterEach, expect, test } from "vitest";
import { utterance } from "../support/envelopes.ts";
import { answer, silent, startAgent, textsIn } from "../support/http-agent.ts";
import { type ConvenedFloor, startConvenedFloor } from "./convened-floor.ts";

let floor: ConvenedFloor;
afterEach(async () => {
  await floor.close();
  expect(floor.errors).toEqual([]);
});

async function openWith(limits: Parameters<typeof budgetPolicy>[0]) {
  floor = await startConvenedFloor({
    convener: "convener-mean",
    people: ["ben"],
    others: { "convener-mean": (options) => createConvener(budgetPolicy(limits), options) },
  });
  await floor.bring("bot", await startAgent(silent));
}

const broken = (name: string) => async () =>
  (await floor.rulings()).filter((one) => one.startsWith(`revokeFloor ${name}: @brokenPolicy`)).length;

test("B1 B6: an agent has a limited number of turns until the owner grants the floor anew; people have no limit", async () => {
  await openWith({ turnsMax: 2, pauseMs: 1 });
  for (const text of ["one", "two"]) await floor.say("bot", text);
  expect(await floor.speakers()).toContain("bot");
  await floor.say("bot", "three");
  expect(await floor.speakers()).not.toContain("bot");
  expect(await broken("bot")()).toBe(1);
  await floor.request("bot");
  expect(await broken("bot")()).toBe(2);
  await floor.about("ann", "grantFloor", "bot");
  await floor.say("bot", "four");
  expect(await floor.speakers()).toContain("bot");
  for (const text of ["one", "two", "three"]) await floor.say("ben", text);
  expect(await floor.speakers()).toContain("ben");
});

test("B2 B4: a speaker that is too fast loses the floor for a while, and a request does not restore it", async () => {
  await openWith({ perMinuteMax: 2 });
  for (const text of ["one", "two", "three"]) await floor.say("ben", text);
  expect(await floor.speakers()).not.toContain("ben");
  await floor.request("ben");
  expect(await broken("ben")()).toBe(2);
  expect(await floor.speakers()).not.toContain("ben");
});

test("B4: after that time a request gets the floor again", async () => {
  await openWith({ sameWordsMax: 1, pauseMs: 1 });
  for (const text of ["again", "Again!"]) await floor.say("ben", text);
  expect(await broken("ben")()).toBe(1);
  await floor.request("ben");
  expect(await floor.speakers()).toContain("ben");
});

test("B3 B5: an agent that keeps repeating itself is removed; people stay, and the owner has no limit", async () => {
  await openWith({ sameWordsMax: 1, strikesMax: 1 });
  for (const text of ["hear me", "HEAR me."]) await floor.say("bot", text);
  expect(await broken("bot")()).toBe(1);
  await floor.say("bot", "hear me!");
  expect(await floor.present()).not.toContain("bot");
  const reason = "@brokenPolicy it had to pause, and it continued";
  expect((await floor.rulings()).at(-1)).toBe(`uninvite bot: ${reason}`);
  for (let times = 0; times < 4; times += 1) {
    await floor.say("ben", "hear me");
    await floor.say("ann", "hear me");
  }
  expect(await floor.present()).toEqual(expect.arrayContaining(["ann", "ben"]));
  expect((await floor.state()).floorGranted).toContain(floor.speakerOf("ann"));
});

test("B7: an utterance of an addressed agent does not count against a budget", async () => {
  await openWith({ sameWordsMax: 1 });
  const parrot = await startAgent((heard, me) =>
    answer(heard, me, ...textsIn(heard).map(() => utterance(me.speakerUri, "Polly!"))),
  );
  await floor.bring("parrot", parrot);
  await floor.about("ann", "revokeFloor", "parrot");
  for (const text of ["one", "two", "three"]) await floor.say("ann", text, "parrot");
  expect((await floor.heard()).filter((one) => one === "parrot: Polly!")).toHaveLength(3);
  expect(await broken("parrot")()).toBe(0);
});
