// `convener-queue` on a real floor, by the numbers of docs/convener.md.
import { createConvener, queuePolicy, type ReadyMadeOptions } from "@plenary/agents";
import { afterEach, expect, test } from "vitest";
import { utterance } from "../support/envelopes.ts";
import { answer, silent, startAgent, textsIn } from "../support/http-agent.ts";
import { type ConvenedFloor, startConvenedFloor } from "./convened-floor.ts";

let floor: ConvenedFloor;
afterEach(async () => {
  await floor.close();
  expect(floor.errors).toEqual([]);
});

const people = ["ben", "cleo", "dan"];

test("Q1 Q2 Q4 Q6 C10 C11: one speaker at a time, in the order of requests; a conversant that leaves is skipped", async () => {
  floor = await startConvenedFloor({ convener: "convener-queue", people: [...people, "eve"] });
  expect(await floor.speakers()).toEqual([]);
  await floor.request("ben");
  expect(await floor.speakers()).toEqual(["ben"]);
  for (const name of ["cleo", "dan", "eve", "cleo"]) await floor.request(name);
  expect(await floor.speakers()).toEqual(["ben"]);
  expect(await floor.whispers("dan")).toEqual([expect.stringContaining("number 2 in the queue")]);
  await floor.yields("ben");
  expect(await floor.speakers()).toEqual(["cleo"]);
  await floor.act("dan", { eventType: "bye" });
  await floor.about("ann", "revokeFloor", "cleo");
  expect(await floor.speakers()).toEqual(["eve"]);
  await floor.act("eve", { eventType: "bye" });
  expect(await floor.speakers()).toEqual([]);
});

test("C11: a single holder of the floor keeps it when a convener is appointed", async () => {
  floor = await startConvenedFloor({ people: ["ben", "cleo"] });
  await floor.yields("cleo");
  await floor.convene("convener-queue");
  expect(await floor.speakers()).toEqual(["ben"]);
});

test("Q3 Q7 C6: a request of the owner is first, and the owner grants the floor to any conversant", async () => {
  floor = await startConvenedFloor({ convener: "convener-queue", people });
  await floor.request("ben");
  await floor.request("cleo");
  await floor.request("ann");
  await floor.yields("ben");
  expect((await floor.rulings()).at(-1)).toBe("grantFloor ann");
  expect(await floor.speakers()).toEqual([]);
  await floor.yields("ann");
  expect(await floor.speakers()).toEqual(["cleo"]);
  await floor.about("ann", "grantFloor", "dan");
  expect(await floor.speakers()).toEqual(["dan"]);
  expect(await floor.rulings()).toContainEqual(expect.stringMatching(/^revokeFloor cleo: @override/));
  await floor.about("dan", "grantFloor", "ben");
  expect(await floor.speakers()).toEqual(["dan"]);
  await floor.yields("dan");
  expect(await floor.speakers()).toEqual(["ben"]);
});

test("Q5 C9: an utterance without the floor counts as a request, and keeps its speaker", async () => {
  floor = await startConvenedFloor({ convener: "convener-queue", people });
  await floor.say("cleo", "nobody minds");
  await floor.request("ben");
  await floor.say("cleo", "may I add");
  expect(await floor.heard()).toEqual(["cleo: nobody minds"]);
  await floor.yields("ben");
  expect(await floor.heard()).toEqual(["cleo: nobody minds", "cleo: may I add"]);
  expect(await floor.speakers()).toEqual([]);
});

test("Q8 C14 C16: a turn that is too long ends with @timedOut when another request waits", async () => {
  const brisk = (made: ReadyMadeOptions) => createConvener(queuePolicy({ turnMs: 150 }), made);
  floor = await startConvenedFloor({ convener: "convener-brisk", people, others: { "convener-brisk": brisk } });
  await floor.request("ben");
  await floor.request("cleo");
  await expect.poll(floor.speakers).toEqual(["cleo"]);
  expect(await floor.rulings()).toContainEqual(expect.stringMatching(/^revokeFloor ben: @timedOut/));
});

test("Q9 C15: an agent that is addressed may answer, and the answer closes its request", async () => {
  floor = await startConvenedFloor({ convener: "convener-queue", people: ["ben"] });
  const bot = await startAgent((heard, me) =>
    answer(
      heard,
      me,
      ...textsIn(heard).flatMap((text) => [{ eventType: "requestFloor" }, utterance(me.speakerUri, `${text} indeed`)]),
    ),
  );
  await floor.bring("bot", bot);
  await floor.request("ben");
  await floor.say("ann", "a fine day", "bot");
  expect(await floor.heard()).toEqual(["ann: a fine day", "bot: a fine day indeed"]);
  await floor.yields("ben");
  expect(await floor.speakers()).toEqual([]);
  expect(await floor.whispers("bot")).toEqual([]);
});

test("Q10: a request that the floor answers because of a long wait keeps its place", async () => {
  floor = await startConvenedFloor({ convener: "convener-queue", people, options: { requestHeldMs: 50 } });
  await floor.request("ben");
  await floor.request("cleo");
  await floor.until((entries) => entries.some(({ because }) => because === "2.2/requestFloor/timed-out"));
  await floor.yields("ben");
  expect(await floor.speakers()).toEqual(["cleo"]);
});

test("Q11: an agent that has spoken in its turn gives way to the next request; a person does not", async () => {
  floor = await startConvenedFloor({ convener: "convener-queue", people: ["ben", "cleo"] });
  await floor.bring("bot", await startAgent(silent));
  await floor.request("bot");
  await floor.say("bot", "as I was saying");
  expect(await floor.speakers()).toEqual(["bot"]);
  await floor.request("ben");
  expect((await floor.rulings()).slice(-2)).toEqual([
    "revokeFloor bot: answered: others are waiting",
    "grantFloor ben",
  ]);
  await floor.say("ben", "my turn");
  await floor.request("cleo");
  expect(await floor.speakers()).toEqual(["ben"]);
});

test.each(["queue", "round-robin", "moderated"])(
  "C15: %s announces each waiting utterance to its speaker, and loop detection does not trip",
  async (name) => {
    floor = await startConvenedFloor({ convener: `convener-${name}`, people });
    await floor.request("ben");
    const words = [1, 2, 3, 4].map((count) => utterance(floor.speakerOf("cleo"), `word ${count}`));
    await floor.act("cleo", ...words);
    await floor.quiet();
    expect(await floor.whispers("cleo")).toHaveLength(4);
    expect(await floor.refusals("cleo")).toEqual([]);
    expect(await floor.state()).toMatchObject({ isPaused: false });
  },
);

test("C18: the floor is revoked once, also when several utterances arrive before the update", async () => {
  floor = await startConvenedFloor({ people });
  const url = `${floor.url}/agents/convener-queue`;
  const taking = floor.must("/api/v1/conversations/c/convener", { serviceUrl: url });
  await Promise.all([taking, ...Array.from({ length: 8 }, (_, count) => floor.say("ann", `word ${count}`))]);
  await expect.poll(floor.speakers).toEqual([]);
  await floor.quiet();
  expect((await floor.rulings()).map((ruling) => ruling.split(":")[0]).toSorted()).toEqual(
    people.map((name) => `revokeFloor ${name}`).toSorted(),
  );
});

test("C7: the convener silences or removes agents for another conversant, but no person", async () => {
  floor = await startConvenedFloor({ convener: "convener-queue", people });
  await floor.bring("bot", await startAgent(silent));
  await floor.request("ben");
  for (const eventType of ["uninvite", "revokeFloor"]) {
    await floor.about("cleo", eventType, "ben");
    await floor.about("cleo", eventType, "ann");
  }
  expect(await floor.speakers()).toEqual(["ben"]);
  expect(await floor.present()).toEqual(expect.arrayContaining(["ann", "ben"]));
  await floor.about("cleo", "uninvite", "bot");
  expect(await floor.present()).not.toContain("bot");
  await floor.about("ann", "uninvite", "ben");
  expect(await floor.present()).not.toContain("ben");
});

test("C8 C12: an invited conversant joins without the floor; one that joins with it loses it", async () => {
  floor = await startConvenedFloor({ convener: "convener-queue", people: ["ben"] });
  await floor.bring("bot", await startAgent(silent));
  expect(await floor.present()).toContain("bot");
  expect(await floor.speakers()).toEqual(["ben"]);
  await floor.seat("eve");
  expect(await floor.speakers()).toEqual(["ben", "eve"]);
  await floor.say("ann", "welcome");
  expect(await floor.speakers()).toEqual(["ben"]);
});

test("C1: a convener that has lost the role does nothing more, and has forgotten the waiting requests", async () => {
  floor = await startConvenedFloor({ convener: "convener-queue", people });
  await floor.request("ben");
  await floor.request("cleo");
  await floor.removeConvener();
  // The floor grants what the convener had not decided.
  expect((await floor.speakers()).toSorted()).toEqual(["ben", "cleo"]);
  const before = (await floor.rulings()).length;
  await floor.say("ben", "a word");
  await floor.yields("ben");
  expect(await floor.rulings()).toHaveLength(before);
  await floor.convene("convener-queue");
  expect(await floor.speakers()).toEqual(["cleo"]);
  await floor.yields("cleo");
  expect(await floor.speakers()).toEqual([]);
});

test("C2 C17: an utterance with the floor is passed once; utterances without it are kept up to a limit", async () => {
  floor = await startConvenedFloor({ convener: "convener-queue", people: ["ben", "cleo"] });
  await floor.request("ben");
  await floor.say("ben", "my speech");
  for (let word = 1; word <= 9; word += 1) await floor.say("cleo", `word ${word}`);
  expect(await floor.heard()).toEqual(["ben: my speech"]);
  expect((await floor.rulings()).at(-1)).toMatch(/^revokeFloor cleo: @brokenPolicy/);
  await floor.yields("ben");
  expect(await floor.heard()).toHaveLength(9);
});
