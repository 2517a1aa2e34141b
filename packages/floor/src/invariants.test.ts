// Each check of an invariant is tested with a broken input, so that it is known to fail.
import { expect, test } from "vitest";
import { decide } from "./decide.ts";
import type { Decision } from "./decision-builder.ts";
import type { Entry, EventEntry } from "./entry.ts";
import type { Floor } from "./floor.ts";
import {
  afterTheEnd,
  amplified,
  deposed,
  drift,
  emptyTexts,
  excess,
  gaps,
  leaksInEnvelopes,
  leaksInLog,
  misdirected,
  problemsOfFloor,
  problemsOfStep,
  requestsThatChange,
  stranded,
  strayRights,
  traces,
  unstopped,
} from "./invariants.ts";
import {
  after,
  ann,
  chair,
  command,
  from,
  invites,
  now,
  owl,
  parrot,
  room,
  says,
  self,
  to,
  whispers,
} from "./testing/room.ts";

const floor = room();
const speaking = decide(floor, from(ann, says(ann, "hello")), now);
const whispering = decide(floor, from(ann, whispers(ann, "psst", { speakerUri: owl })), now);

function eventOf({ entries }: Decision): EventEntry {
  const entry = entries.find(({ kind }) => kind === "event");
  if (entry?.kind !== "event") throw new Error("nothing took effect");
  return entry;
}

test("I2 detects a gap in the log and a floor that is behind its log", () => {
  const entry = eventOf(speaking);
  expect(gaps({ ...floor, seq: entry.seq - 1 }, entry, speaking.floor)).toEqual([]);
  expect(gaps(floor, entry, speaking.floor)).toHaveLength(1);
  expect(gaps({ ...floor, seq: entry.seq - 1 }, entry, floor)).toHaveLength(1);
});

test("D20: the check detects an entry after the end", () => {
  expect(afterTheEnd(floor, eventOf(speaking))).toEqual([]);
  expect(afterTheEnd({ ...floor, isClosed: true }, eventOf(speaking))).toHaveLength(1);
  const [erased] = decide(floor, command({ verb: "erase", seq: 1 }), now).entries;
  expect(erased && afterTheEnd({ ...floor, isClosed: true }, erased)).toEqual([]);
});

test("I5 detects a whisper in the wrong audience, delivery or envelope, and a received entry shown to others", () => {
  const entry = eventOf(whispering);
  const [received] = whispering.entries;
  expect(leaksInLog(floor, entry)).toEqual([]);
  expect(leaksInLog(floor, { ...entry, audience: [ann, owl, parrot] })).toHaveLength(1);
  expect(leaksInLog(floor, { ...entry, deliveries: [{ id: "d1.0", to: parrot }] })).toHaveLength(1);
  expect(leaksInLog(floor, { ...received, audience: [ann, owl] } as Entry)).toHaveLength(1);
  expect(leaksInEnvelopes(whispering)).toEqual([]);
  const effects = whispering.effects.map((effect) => ({ ...effect, to: { speakerUri: parrot, serviceUrl: "" } }));
  expect(leaksInEnvelopes({ ...whispering, effects: effects as Decision["effects"] })).toHaveLength(1);
});

test("I14 detects an empty mandatory text, and an agent that is listed as a user", () => {
  expect(emptyTexts(speaking)).toEqual([]);
  const listedAs = (change: object): Decision => {
    const effects = speaking.effects.map((effect) => {
      if (effect.kind !== "deliver") return effect;
      const conversants = effect.conversation.conversants?.map(({ identification }) => {
        return { identification: { ...identification, ...change } };
      });
      return { ...effect, conversation: { id: "conv:1", ...(conversants && { conversants }) } };
    });
    return { ...speaking, effects };
  };
  expect(emptyTexts(listedAs({ synopsis: " " }))).toHaveLength(6);
  expect(emptyTexts(listedAs({ role: "User" }))).toHaveLength(4);
});

test("I6 detects rights and roles of absent conversants, duplicates, and two conveners", () => {
  expect(strayRights(floor)).toEqual([]);
  const broken: Partial<Floor>[] = [
    { floorGranted: [chair] },
    { floorGranted: [ann, ann] },
    { roles: { archivist: [chair] } },
    { roles: { convener: [parrot, owl] } },
    { conversants: [...floor.conversants, ...floor.conversants] },
  ];
  for (const part of broken) expect(strayRights({ ...floor, ...part }).length).toBe(1);
});

test("I7 detects a requestFloor that changes who has the floor", () => {
  const entry = { ...eventOf(speaking), event: { eventType: "requestFloor" as const } };
  expect(requestsThatChange(floor, entry, floor)).toEqual([]);
  expect(requestsThatChange(floor, entry, { ...floor, floorGranted: [ann] })).toHaveLength(1);
});

test("I8 detects all remaining state of a conversant that left", () => {
  const leaving = decide(after(floor, from(ann, invites(parrot))), from(parrot, { eventType: "bye" }), now);
  const entry = eventOf(leaving);
  expect(traces(floor, entry, leaving.floor)).toEqual([]);
  const before = after(room({ convener: parrot }), from(ann, says(ann, "hi", { speakerUri: parrot })));
  expect(traces(floor, entry, before)).toHaveLength(5);
});

test("D13: the check detects another conversant that stops the owner, but not the owner itself or a command", () => {
  const entry = { ...eventOf(speaking), event: { eventType: "uninvite" as const, ...to(ann) }, target: ann };
  const silent = { ...entry, event: { eventType: "revokeFloor" as const, ...to(ann) } };
  for (const one of [entry, silent]) {
    expect(deposed(floor, one)).toEqual([]);
    expect(deposed(floor, { ...one, sender: self.speakerUri })).toEqual([]);
    expect(deposed(floor, { ...one, sender: parrot })).toHaveLength(1);
    expect(deposed(floor, { ...one, sender: parrot, target: owl })).toEqual([]);
    expect(deposed({ ...floor, options: { ...floor.options, policy: "spec" } }, { ...one, sender: parrot })).toEqual(
      [],
    );
  }
  expect(deposed(floor, { ...silent, sender: parrot, isNotice: true })).toEqual([]);
});

test("D18: the check detects an open delivery in a paused turn, but not a delegation", () => {
  const stopped = decide(speaking.floor, command({ verb: "pause" }), now);
  const [entry] = stopped.entries;
  if (entry === undefined) throw new Error("there was something to stop");
  expect(unstopped(speaking.floor, entry, stopped.floor)).toEqual([]);
  expect(unstopped(speaking.floor, entry, speaking.floor)).toHaveLength(1);
  const open = speaking.floor.open.map((one) => ({ ...one, isDelegation: true }));
  expect(unstopped(speaking.floor, entry, { ...speaking.floor, open })).toEqual([]);
});

test("the check detects too many approved addresses and exceeded quotas", () => {
  const bindings = Object.fromEntries(
    Array.from({ length: 257 }, (_, count) => [`tag:n${count}`, "https://n.example"]),
  );
  const [turn] = after(floor, from(parrot, says(parrot, "hi"))).turns;
  if (turn === undefined) throw new Error("an agent's word is counted");
  const spent = [{ speakerUri: parrot, invites: 9, uninvites: 9, manifests: 17 }];
  expect(excess({ ...floor, bindings, turns: [turn, { ...turn, spent }] })).toHaveLength(4);
  const enough = [{ speakerUri: parrot, invites: 8, uninvites: 8, manifests: 16 }];
  expect(excess({ ...floor, turns: [{ ...turn, spent: enough }] })).toEqual([]);
});

test("I9 detects deliveries to people, to absent speakers and to the sender", () => {
  const entry = eventOf(speaking);
  expect(misdirected(floor, entry)).toEqual([]);
  const deliveries = [ann, chair].map((name, index) => ({ id: `d1.${index}`, to: name }));
  expect(misdirected(floor, { ...entry, deliveries })).toHaveLength(2);
  expect(misdirected(floor, { ...entry, sender: parrot })).toHaveLength(1);
  expect(misdirected(floor, { ...entry, approvedBy: owl })).toHaveLength(1);
});

test("I10 detects an event that is sent to a conversant twice, or to more conversants than are seated", () => {
  const entry = eventOf(speaking);
  expect(amplified(floor, entry)).toEqual([]);
  expect(amplified(floor, { ...entry, deliveries: Array(4).fill({ id: "d1.0", to: owl }) })).toHaveLength(2);
});

test("I12 detects a different floor, and ignores the order of keys", () => {
  const { id, ...rest } = floor;
  expect(drift({ ...rest, id }, floor)).toEqual([]);
  expect(drift({ ...floor, told: [parrot] }, floor)).toHaveLength(1);
});

test("I13 detects parked envelopes that wait for nothing, and deliveries to absent conversants", () => {
  const asking = decide(room({ convener: chair }), from(ann, invites("tag:new.example,2025:1")), now);
  const waiting = after(asking.floor, from(ann, says(ann, "so?")));
  expect(stranded(waiting)).toEqual([]);
  expect(stranded({ ...waiting, open: [] })).toHaveLength(1);
  expect(stranded({ ...waiting, parked: waiting.parked.slice(1) })).toHaveLength(1);
  expect(stranded({ ...speaking.floor, conversants: [] })).toHaveLength(2);
});

test("a correct step and a correct floor have no problem", () => {
  const entry = eventOf(decide(floor, from(ann, { eventType: "uninvite", ...to(owl) }), now));
  const [received] = speaking.entries;
  expect(received && problemsOfStep(floor, received, { ...floor, seq: received.seq })).toEqual([]);
  expect(problemsOfFloor(speaking.floor)).toEqual([]);
  expect(problemsOfStep(floor, entry, floor).length).toBeGreaterThan(2);
});
