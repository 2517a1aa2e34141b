// Properties of the conveners under random actions.
import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import { isNightly } from "../support/nightly.ts";
import { newSeed } from "../support/random.ts";
import { type ConvenedFloor, startConvenedFloor } from "./convened-floor.ts";

let floor: ConvenedFloor;
afterEach(async () => {
  await floor.close();
  expect(floor.errors).toEqual([]);
});

const people = ["ben", "cleo", "dan", "eve"];
type Act = { who: string; what: "request" | "yield" | "say" | "give" | "remove" | "silence"; target: string };

const act = fc.record<Act>({
  who: fc.constantFrom("ann", ...people),
  what: fc.constantFrom("request", "request", "request", "yield", "yield", "say", "say", "give", "remove", "silence"),
  target: fc.constantFrom("ann", ...people),
});
/** Each person does one thing at a time, and several act at the same time. */
const atOnce = fc.uniqueArray(act, { selector: ({ who }) => who, minLength: 1, maxLength: 4 });
const crowd = fc.array(atOnce, { minLength: 14, maxLength: 14 });

let words = 0;
const newWords = () => `word ${words++}`;

function perform({ who, what, target }: Act): Promise<unknown> {
  switch (what) {
    case "request":
      return floor.request(who);
    case "yield":
      return floor.yields(who);
    case "say":
      return floor.say(who, newWords());
    case "give":
      return floor.about(who, "grantFloor", target);
    // The owner could do so, and each conversant for itself.
    case "remove":
      return who === "ann" || who === target ? floor.request(who) : floor.about(who, "uninvite", target);
    case "silence":
      return floor.about(who, "revokeFloor", target);
  }
}

/** Holders of the floor beside owner and convener, after each entry. */
async function speakersOverTime(): Promise<string[][]> {
  let speakers: string[] = people;
  return (await floor.log()).map(({ kind, event, target, sender, isNotice }) => {
    if (kind !== "event" || event === undefined || isNotice === true) return speakers;
    const about = floor.nameOf(event.eventType === "yieldFloor" ? sender : target);
    const others = speakers.filter((one) => one !== about);
    if (event.eventType === "grantFloor" && people.includes(about)) speakers = [...others, about];
    if (event.eventType === "yieldFloor" || event.eventType === "revokeFloor") speakers = others;
    return speakers;
  });
}

const rounds = Number(process.env.RUNS ?? (isNightly ? 20 : 1));
// Only a nightly run uses new seeds.
const firstSeed = isNightly || process.env.PLENARY_SEED !== undefined ? newSeed("convener properties") : 8;
const plays = Array.from({ length: rounds }, (_, round) => firstSeed + round).flatMap((seed) =>
  ["convener-queue", "convener-single-speaker", "convener-round-robin"].map((convener) => ({ convener, seed })),
);

test.each(plays)(
  "$convener: never two speakers, no request waits longer than its queue, and no conversant is removed",
  async ({ convener, seed }) => {
    floor = await startConvenedFloor({ convener, people });
    const begin = (await floor.log()).length;
    for (const acts of fc.sample(crowd, { seed, numRuns: 1 })[0] ?? []) await Promise.all(acts.map(perform));
    await floor.quiet();
    const seen = (await speakersOverTime()).slice(begin);
    expect(seen.length).toBeGreaterThan(20);
    expect(
      seen.filter((speakers) => speakers.length > 1),
      `seed ${seed}`,
    ).toEqual([]);
    expect(await floor.present(), `seed ${seed}`).toEqual(expect.arrayContaining(["ann", ...people]));
    expect((await floor.state()).assignedFloorRoles).toMatchObject({ owner: [floor.speakerOf("ann")] });
    for (const name of people) await floor.request(name);
    const waiting = new Set(people);
    // R7: a speaker whose utterance waited has its turn with it in the first round, and the floor in the second.
    const isRound = convener === "convener-round-robin";
    const turnsMax = people.length * (isRound ? 2 : 1) + 1;
    for (let turns = 0; turns <= turnsMax && waiting.size > 0; turns += 1) {
      const [speaker = "ann"] = await floor.speakers();
      waiting.delete(speaker);
      // R4: a round without an utterance ends the round.
      await (isRound ? floor.say(speaker, newWords()) : floor.yields(speaker));
    }
    expect([...waiting], `seed ${seed}`).toEqual([]);
  },
);
