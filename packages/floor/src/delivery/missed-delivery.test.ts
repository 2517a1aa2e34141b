// D42: who sees that a conversant did not answer, and what is shown.
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

test("D42: the audience of an utterance sees that it was missed; a conversant that joined later does not", () => {
  const asking = decide(room({ people }), from(ann, says(ann, "hello")), now);
  const { floor } = decide(asking.floor, seating("tag:cem.example,2025:1", "person"), now);
  expect(audienceOf(missedBy({ ...asking, floor }, parrot))).toEqual([ann, ben, parrot, owl]);
});

test("D42: a conversant invited in the same envelope sees that another one missed the utterance", () => {
  const asking = decide(room({ agents: [parrot] }), from(ann, invites(owl), says(ann, "hello")), now);
  expect(audienceOf(missedBy(asking, parrot))).toEqual([ann, parrot, owl]);
});

test("D42: a missed whisper is visible to sender and addressee, a missed invite to the invitee only", () => {
  const whispering = decide(room({ people }), from(ann, whispers(ann, "psst", { speakerUri: parrot })), now);
  expect(audienceOf(missedBy(whispering, parrot))).toEqual([ann, parrot]);
  const inviting = decide(room({ people, agents: [] }), from(ann, invites(parrot)), now);
  const missed = missedBy(inviting, parrot);
  expect(audienceOf(missed)).toEqual([parrot]);
  expect(names(missed.floor)).toEqual(people);
});

test("D23: the reason of a decline is the detail of the failed delivery, or else its kind", () => {
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

test("an entry `missed` contains the detail of the failure if there is one", () => {
  const asking = decide(room(), from(ann, says(ann, "hello")), now);
  const failed = failing(deliveryTo(asking, parrot), "refused");
  expect(decide(asking.floor, failed, now).entries[0]).not.toHaveProperty("detail");
  const detail = "answered with status 500";
  expect(decide(asking.floor, { ...failed, detail }, now).entries[0]).toMatchObject({ kind: "missed", detail });
  const unsent = { ...failing("d3.0", "refused"), unsent: { to: parrot } };
  expect(decide(room(), unsent, now).entries[0]).not.toHaveProperty("detail");
  expect(decide(room(), { ...unsent, detail }, now).entries[0]).toMatchObject({ because: "delivery/unsent", detail });
});

test("D23': a missed delivery with only events about others is not counted, and only its recipient sees it", () => {
  const asking = decide(room(), from(ann, says(ann, "hello")), now);
  const failed = { ...failing(deliveryTo(asking, parrot), "timeout"), isAboutOthers: true as const };
  const decision = decide(asking.floor, failed, now);
  expect(decision.entries).toMatchObject([{ kind: "missed", isUncounted: true, audience: [parrot] }]);
  expect(decision.floor.conversants.map(({ misses }) => misses)).toEqual([0, 0, 0]);
  const unsent = decide(room(), { ...failing("d9.0", "timeout"), unsent: { to: parrot }, isAboutOthers: true }, now);
  expect(unsent.entries).toMatchObject([{ kind: "missed", because: "delivery/unsent", audience: [parrot] }]);
});
