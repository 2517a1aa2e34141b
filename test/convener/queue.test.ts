// `convener-queue` on a real floor, by the numbers of docs/convener.md.
import { createConvener, queueChair, type ReadyMadeOptions } from "@plenary/agents";
import { afterEach, expect, test } from "vitest";
import { answer, silent, startAgent, textsIn, utterance } from "../floor/agents.ts";
import { openStage, type Stage } from "./stage.ts";

let stage: Stage;
afterEach(async () => {
  await stage.close();
  expect(stage.world.errors).toEqual([]);
});

const people = ["ben", "cleo", "dan"];

test("Q1 Q2 Q4 Q6 C10 C11: one speaks at a time, in the order of asking, and whoever goes is skipped", async () => {
  stage = await openStage({ convener: "convener-queue", people: [...people, "eve"] });
  expect(await stage.speakers()).toEqual([]);
  await stage.request("ben");
  expect(await stage.speakers()).toEqual(["ben"]);
  for (const name of ["cleo", "dan", "eve", "cleo"]) await stage.request(name);
  expect(await stage.speakers()).toEqual(["ben"]);
  expect(await stage.whispers("dan")).toEqual([expect.stringContaining("number 2 in the queue")]);
  await stage.yields("ben");
  expect(await stage.speakers()).toEqual(["cleo"]);
  await stage.act("dan", { eventType: "bye" });
  await stage.about("ann", "revokeFloor", "cleo");
  expect(await stage.speakers()).toEqual(["eve"]);
  await stage.act("eve", { eventType: "bye" });
  expect(await stage.speakers()).toEqual([]);
});

test("C11: whoever is alone with the floor when the chair is taken keeps it", async () => {
  stage = await openStage({ people: ["ben", "cleo"] });
  await stage.yields("cleo");
  await stage.convene("convener-queue");
  expect(await stage.speakers()).toEqual(["ben"]);
});

test("Q3 Q7 C6: the owner is next when it asks, and gives the floor to whom it wants", async () => {
  stage = await openStage({ convener: "convener-queue", people });
  await stage.request("ben");
  await stage.request("cleo");
  await stage.request("ann");
  await stage.yields("ben");
  expect((await stage.rulings()).at(-1)).toBe("grantFloor ann");
  expect(await stage.speakers()).toEqual([]);
  await stage.yields("ann");
  expect(await stage.speakers()).toEqual(["cleo"]);
  await stage.about("ann", "grantFloor", "dan");
  expect(await stage.speakers()).toEqual(["dan"]);
  expect(await stage.rulings()).toContainEqual(expect.stringMatching(/^revokeFloor cleo: @override/));
  await stage.about("dan", "grantFloor", "ben");
  expect(await stage.speakers()).toEqual(["dan"]);
  await stage.yields("dan");
  expect(await stage.speakers()).toEqual(["ben"]);
});

test("Q5 C9: words without the floor are a raised hand, and stay their speaker's", async () => {
  stage = await openStage({ convener: "convener-queue", people });
  await stage.say("cleo", "nobody minds");
  await stage.request("ben");
  await stage.say("cleo", "may I add");
  expect(await stage.heard()).toEqual(["cleo: nobody minds"]);
  await stage.yields("ben");
  expect(await stage.heard()).toEqual(["cleo: nobody minds", "cleo: may I add"]);
  expect(await stage.speakers()).toEqual([]);
});

test("Q8 C14 C16: a turn that is too long ends when somebody waits, with @timedOut", async () => {
  const brisk = (made: ReadyMadeOptions) => createConvener(queueChair({ turnMs: 150 }), made);
  stage = await openStage({ convener: "convener-brisk", people, others: { "convener-brisk": brisk } });
  await stage.request("ben");
  await stage.request("cleo");
  await expect.poll(stage.speakers).toEqual(["cleo"]);
  expect(await stage.rulings()).toContainEqual(expect.stringMatching(/^revokeFloor ben: @timedOut/));
});

test("Q9 C15: an agent that is addressed is heard, and its request is closed with that", async () => {
  stage = await openStage({ convener: "convener-queue", people: ["ben"] });
  const bot = await startAgent((heard, me) =>
    answer(
      heard,
      me,
      ...textsIn(heard).flatMap((text) => [{ eventType: "requestFloor" }, utterance(me.speakerUri, `${text} indeed`)]),
    ),
  );
  await stage.bring("bot", bot);
  await stage.request("ben");
  await stage.say("ann", "a fine day", "bot");
  expect(await stage.heard()).toEqual(["ann: a fine day", "bot: a fine day indeed"]);
  await stage.yields("ben");
  expect(await stage.speakers()).toEqual([]);
  expect(await stage.whispers("bot")).toEqual([]);
});

test("Q10: a request that the floor answers because it has waited for long keeps its place", async () => {
  stage = await openStage({ convener: "convener-queue", people, options: { requestHeldMs: 50 } });
  await stage.request("ben");
  await stage.request("cleo");
  await stage.until((entries) => entries.some(({ because }) => because === "2.2/requestFloor/timed-out"));
  await stage.yields("ben");
  expect(await stage.speakers()).toEqual(["cleo"]);
});

test("Q11: an agent that was heard in its turn makes room for whoever asks; a person does not", async () => {
  stage = await openStage({ convener: "convener-queue", people: ["ben", "cleo"] });
  await stage.bring("bot", await startAgent(silent));
  await stage.request("bot");
  await stage.say("bot", "as I was saying");
  expect(await stage.speakers()).toEqual(["bot"]);
  await stage.request("ben");
  expect((await stage.rulings()).slice(-2)).toEqual([
    "revokeFloor bot: answered: others are waiting",
    "grantFloor ben",
  ]);
  await stage.say("ben", "my turn");
  await stage.request("cleo");
  expect(await stage.speakers()).toEqual(["ben"]);
});

test.each(["queue", "round-robin", "moderated"])(
  "C15: %s tells somebody of each word that waits, and the floor takes it for no loop",
  async (name) => {
    stage = await openStage({ convener: `convener-${name}`, people });
    await stage.request("ben");
    const words = [1, 2, 3, 4].map((count) => utterance(stage.speakerOf("cleo"), `word ${count}`));
    await stage.act("cleo", ...words);
    await stage.quiet();
    expect(await stage.whispers("cleo")).toHaveLength(4);
    expect(await stage.refusals("cleo")).toEqual([]);
    expect(await stage.state()).toMatchObject({ isPaused: false });
  },
);

test("C18: what is taken is taken once, however many speak before everybody knows", async () => {
  stage = await openStage({ people });
  const url = `${stage.url}/agents/convener-queue`;
  const taking = stage.must("/api/v1/conversations/c/convener", { serviceUrl: url });
  await Promise.all([taking, ...Array.from({ length: 8 }, (_, count) => stage.say("ann", `word ${count}`))]);
  await expect.poll(stage.speakers).toEqual([]);
  await stage.quiet();
  expect((await stage.rulings()).map((ruling) => ruling.split(":")[0]).toSorted()).toEqual(
    people.map((name) => `revokeFloor ${name}`).toSorted(),
  );
});

test("C7: nobody has people or the owner silenced or sent away by way of the convener; agents it may be", async () => {
  stage = await openStage({ convener: "convener-queue", people });
  await stage.bring("bot", await startAgent(silent));
  await stage.request("ben");
  for (const eventType of ["uninvite", "revokeFloor"]) {
    await stage.about("cleo", eventType, "ben");
    await stage.about("cleo", eventType, "ann");
  }
  expect(await stage.speakers()).toEqual(["ben"]);
  expect(await stage.present()).toEqual(expect.arrayContaining(["ann", "ben"]));
  await stage.about("cleo", "uninvite", "bot");
  expect(await stage.present()).not.toContain("bot");
  await stage.about("ann", "uninvite", "ben");
  expect(await stage.present()).not.toContain("ben");
});

test("C8 C12: whoever is invited joins without the floor; whoever comes in with it loses it", async () => {
  stage = await openStage({ convener: "convener-queue", people: ["ben"] });
  await stage.bring("bot", await startAgent(silent));
  expect(await stage.present()).toContain("bot");
  expect(await stage.speakers()).toEqual(["ben"]);
  await stage.seat("eve");
  expect(await stage.speakers()).toEqual(["ben", "eve"]);
  await stage.say("ann", "welcome");
  expect(await stage.speakers()).toEqual(["ben"]);
});

test("C1: a convener that has lost the chair says and does nothing more, and has forgotten who waited", async () => {
  stage = await openStage({ convener: "convener-queue", people });
  await stage.request("ben");
  await stage.request("cleo");
  await stage.strip();
  // What it had not decided on is granted by the floor.
  expect((await stage.speakers()).toSorted()).toEqual(["ben", "cleo"]);
  const before = (await stage.rulings()).length;
  await stage.say("ben", "a word");
  await stage.yields("ben");
  expect(await stage.rulings()).toHaveLength(before);
  await stage.convene("convener-queue");
  expect(await stage.speakers()).toEqual(["cleo"]);
  await stage.yields("cleo");
  expect(await stage.speakers()).toEqual([]);
});

test("C2 C17: what was said with the floor is heard once; of what is said without it so much is kept and no more", async () => {
  stage = await openStage({ convener: "convener-queue", people: ["ben", "cleo"] });
  await stage.request("ben");
  await stage.say("ben", "my speech");
  for (let word = 1; word <= 9; word += 1) await stage.say("cleo", `word ${word}`);
  expect(await stage.heard()).toEqual(["ben: my speech"]);
  expect((await stage.rulings()).at(-1)).toMatch(/^revokeFloor cleo: @brokenPolicy/);
  await stage.yields("ben");
  expect(await stage.heard()).toHaveLength(9);
});
