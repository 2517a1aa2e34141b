// D42: who learns that a conversant did not answer, and what everyone is shown of it.
import { expect, test } from "vitest";
import { decide } from "../decide.ts";
import type { Decision } from "../decision-builder.ts";
import type { AnswerInput } from "../input.ts";
import {
  ann,
  ben,
  deliveryTo,
  failing,
  from,
  invites,
  names,
  now,
  owl,
  parrot,
  room,
  says,
  seating,
  whispers,
} from "../testing/room.ts";

const people = [ann, ben];
const missedBy = (asking: Decision, speakerUri: string) =>
  decide(asking.floor, failing(deliveryTo(asking, speakerUri), "timeout"), now);
const audienceOf = ({ entries }: Decision) => entries.find(({ kind }) => kind === "missed")?.audience;

test("D42: who could hear the words learns that a conversant missed them; who came later does not", () => {
  const asking = decide(room({ people }), from(ann, says(ann, "hello")), now);
  const { floor } = decide(asking.floor, seating("tag:cem.example,2025:1", "person"), now);
  expect(audienceOf(missedBy({ ...asking, floor }, parrot))).toEqual([ann, ben, parrot, owl]);
});

test("D42: who is invited with the words learns that another one missed them", () => {
  const asking = decide(room({ agents: [parrot] }), from(ann, invites(owl), says(ann, "hello")), now);
  expect(audienceOf(missedBy(asking, parrot))).toEqual([ann, parrot, owl]);
});

test("D42: a missed whisper is for the two it was between, a missed invite for the invited alone", () => {
  const whispering = decide(room({ people }), from(ann, whispers(ann, "psst", { speakerUri: parrot })), now);
  expect(audienceOf(missedBy(whispering, parrot))).toEqual([ann, parrot]);
  const inviting = decide(room({ people, agents: [] }), from(ann, invites(parrot)), now);
  const missed = missedBy(inviting, parrot);
  expect(audienceOf(missed)).toEqual([parrot]);
  expect(names(missed.floor)).toEqual(people);
});

test("D23: why an agent is declined or let go is said in the words of the one who tried, else by the kind of failure", () => {
  const reasonFor = (input: Partial<AnswerInput>) => {
    const inviting = decide(room({ agents: [] }), from(ann, invites(parrot)), now);
    const failed = failing(deliveryTo(inviting, parrot), "timeout");
    const declined = decide(inviting.floor, { ...failed, ...input }, now).entries.at(-1);
    return declined?.kind === "event" && declined.event.reason;
  };
  expect(reasonFor({})).toBe("@unavailable did not answer in time");
  expect(reasonFor({ failure: "refused" })).toBe("@error refused what it was sent");
  expect(reasonFor({ detail: "took 30 s" })).toBe("@unavailable took 30 s");
});

test("what went wrong is kept in the words of the one who tried, where there are some", () => {
  const asking = decide(room(), from(ann, says(ann, "hello")), now);
  const failed = failing(deliveryTo(asking, parrot), "refused");
  expect(decide(asking.floor, failed, now).entries[0]).not.toHaveProperty("detail");
  const detail = "answered with status 500";
  expect(decide(asking.floor, { ...failed, detail }, now).entries[0]).toMatchObject({ kind: "missed", detail });
  const unsent = { ...failing("d3.0", "refused"), unsent: { to: parrot } };
  expect(decide(room(), unsent, now).entries[0]).not.toHaveProperty("detail");
  expect(decide(room(), { ...unsent, detail }, now).entries[0]).toMatchObject({ because: "delivery/unsent", detail });
});

test("D23': what held only news of others is no miss, and only its recipient learns of it", () => {
  const asking = decide(room(), from(ann, says(ann, "hello")), now);
  const failed = { ...failing(deliveryTo(asking, parrot), "timeout"), isAboutOthers: true as const };
  const decision = decide(asking.floor, failed, now);
  expect(decision.entries).toMatchObject([{ kind: "missed", isUncounted: true, audience: [parrot] }]);
  expect(decision.floor.conversants.map(({ misses }) => misses)).toEqual([0, 0, 0]);
  const unsent = decide(room(), { ...failing("d9.0", "timeout"), unsent: { to: parrot }, isAboutOthers: true }, now);
  expect(unsent.entries).toMatchObject([{ kind: "missed", because: "delivery/unsent", audience: [parrot] }]);
});
