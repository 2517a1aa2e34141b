// D22: which events share an envelope.
import { expect, test } from "vitest";
import { decide } from "../decide.ts";
import {
  after,
  ann,
  answer,
  chair,
  delegationOf,
  deliveryTo,
  envelopes,
  envelopesTo,
  from,
  invites,
  now,
  owl,
  parrot,
  received,
  room,
  says,
  self,
  to,
  whispers,
} from "../testing/room.ts";
import { isIdle } from "./recipients.ts";

test("D22: an invite and its utterance reach the invitee in one envelope, and everyone else too", () => {
  const decision = decide(
    room({ agents: [owl] }),
    from(ann, says(ann, "I ask the parrot"), invites(parrot), says(ann, "well?")),
    now,
  );
  expect(received(decision)).toEqual([`${owl}: utterance invite utterance`, `${parrot}: invite utterance`]);
  expect(envelopesTo(decision, parrot)[0]).toMatchObject({ isInvite: true });
});

test("D22: a grant and a whisper reach their target in one envelope; the others get the grant only", () => {
  const events = [
    { eventType: "grantFloor" as const, ...to(parrot) },
    whispers(ann, "book it", { speakerUri: parrot }),
  ];
  const decision = decide(room(), from(ann, ...events), now);
  expect(received(decision)).toEqual([`${parrot}: grantFloor utterance`, `${owl}: grantFloor`]);
});

test("D22: an envelope ends where the sender changes", () => {
  const floor = after(room(), from(parrot, { eventType: "yieldFloor" }));
  const decision = decide(
    floor,
    from(parrot, { eventType: "requestFloor" }, says(parrot, "a"), says(parrot, "b")),
    now,
  );
  expect(envelopesTo(decision, owl).map(({ sender, events }) => [sender.speakerUri, events.length])).toEqual([
    [self.speakerUri, 1],
    [parrot, 2],
  ]);
});

test("D22: events of one sender are not combined across an event of another sender", () => {
  const asking = decide(
    room({ convener: chair }),
    from(ann, says(ann, "one"), invites("tag:new.example,2025:1"), says(ann, "two")),
    now,
  );
  const approving = [says(chair, "yes"), invites("tag:new.example,2025:1"), says(chair, "welcome")];
  const decision = decide(asking.floor, answer(delegationOf(asking), chair, ...approving), now);
  expect(envelopesTo(decision, owl).map(({ sender, events }) => [sender.speakerUri, events.length])).toEqual([
    [chair, 1],
    [ann, 1],
    [chair, 1],
    [ann, 1],
  ]);
});

test("D22: each delivery has an id of its own, and its answer is awaited once", () => {
  const decision = decide(room(), from(ann, says(ann, "one"), says(ann, "two")), now);
  const ids = envelopes(decision).map(({ delivery }) => delivery);
  expect(new Set(ids).size).toBe(2);
  expect(decision.floor.open.map(({ id }) => id)).toEqual(ids);
  const next = decide(decision.floor, from(ann, says(ann, "three")), now);
  expect(new Set([...ids, ...envelopes(next).map(({ delivery }) => delivery)]).size).toBe(4);
});

test("D22: an envelope that contains an invite is an invite, and has the depth of its deepest event", () => {
  const decision = decide(room(), from(ann, says(ann, "hello"), invites(parrot)), now);
  expect(envelopesTo(decision, parrot)[0]).toMatchObject({ isInvite: true, depth: 1 });
  expect(envelopesTo(decision, owl)[0]).toMatchObject({ isInvite: false, depth: 1 });
  expect(decision.floor.open.map(({ isInvite, depth }) => [isInvite, depth])).toEqual([
    [true, 1],
    [false, 1],
  ]);
});

test("D22: events of two turns are not combined in one envelope, also if one decision sends both", () => {
  const asking = decide(room({ convener: chair }), from(ann, invites("tag:new.example,2025:1"), says(ann, "one")), now);
  const waiting = after(asking.floor, from(ann, says(ann, "two")));
  const decision = decide(waiting, answer(delegationOf(asking), chair), now);
  expect(envelopesTo(decision, owl).map(({ events, turn }) => [events.length, turn])).toEqual([
    [1, asking.entries[0]?.turn],
    [1, waiting.parked[1]?.turn],
  ]);
});

test("D1: the same input on the same floor gives the same entries, including ids", () => {
  const floor = room({ convener: chair });
  const input = from(ann, says(ann, "hello"), invites("tag:new.example,2025:1"));
  expect(decide(floor, input, now)).toEqual(decide(floor, input, now));
});

test("D4: a delivery, its answer and what follows belong to one turn, which is idle when no answer is awaited", () => {
  const speaking = decide(room(), from(ann, says(ann, "hello")), now);
  const turn = speaking.entries[0]?.turn;
  const answering = decide(speaking.floor, answer(deliveryTo(speaking, parrot), parrot, says(parrot, "hi")), now);
  expect([...speaking.entries, ...answering.entries].map((entry) => entry.turn)).toEqual(Array(4).fill(turn));
  expect(envelopes(answering).map((envelope) => envelope.turn)).toEqual([turn]);
  expect(decide(answering.floor, from(ann, says(ann, "again")), now).entries[0]?.turn).not.toBe(turn);
  expect(isIdle(answering.floor, turn ?? "")).toBe(false);
  const quiet = answering.floor.open.map(({ id, to: name }) => answer(id, name));
  expect(isIdle(after(answering.floor, ...quiet), turn ?? "")).toBe(true);
  const other = after(answering.floor, ...quiet, from(ann, says(ann, "again")));
  expect(isIdle(other, turn ?? "")).toBe(true);
});

test("D4: a turn is not idle while something of it is parked", () => {
  const asking = decide(room({ convener: chair }), from(ann, invites("tag:new.example,2025:1")), now);
  const waiting = decide(asking.floor, from(ann, says(ann, "so?")), now);
  expect(isIdle(waiting.floor, waiting.entries[0]?.turn ?? "")).toBe(false);
  expect(isIdle(waiting.floor, "t1")).toBe(true);
  expect(waiting.entries.map(({ seq }) => seq)).toEqual([asking.floor.seq + 1, asking.floor.seq + 2]);
});
