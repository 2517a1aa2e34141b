// Each kind of entry changes the state of a floor in its own way, and changes no other field.
import { expect, test } from "vitest";
import { apply } from "./apply.ts";
import type { Entry, NewEntry } from "./entry.ts";
import type { Floor, OpenDelivery, Parked } from "./floor.ts";
import { frozen } from "./testing/frozen.ts";
import { ann, chair, identificationOf, invites, now, owl, parrot, room, says } from "./testing/room.ts";

const floor = frozen(room());
const [person, first, second] = floor.conversants;
if (person === undefined || first === undefined || second === undefined) throw new Error("three are here");

type Fields = Omit<Extract<NewEntry, { kind: "event" }>, "because" | "audience"> | { kind: Entry["kind"] };

/** The floor after one entry; the fields that every entry has are filled in. */
function applied(before: Floor, entry: Fields & Record<string, unknown>): Floor {
  const common = { seq: before.seq + 1, at: now, turn: "t9", because: "door/accepted", audience: [] };
  return apply(frozen(before), { ...common, ...entry } as unknown as Entry);
}

/** The fields that changed, without `seq`. */
function changes(before: Floor, next: Floor): Partial<Floor> {
  const changed = Object.entries(next).filter(([key, value]) => value !== before[key as keyof Floor]);
  const { seq, ...others } = Object.fromEntries(changed) as Partial<Floor>;
  expect(seq).toBe(before.seq + 1);
  return others;
}

const delivery = (part: Partial<OpenDelivery>): OpenDelivery => {
  const flags = { isInvite: false, isAddressed: false, isDelegation: false };
  return { id: "d1.0", to: parrot, turn: "t1", depth: 1, ...flags, at: now, ...part };
};
const waiting: Parked = { sender: ann, turn: "t1", depth: 0, rest: [], withheld: [], isAddressed: false, seq: 3 };
const received = { kind: "received" as const, sender: parrot, events: [], depth: 2 };
const event = { kind: "event" as const, sender: ann, event: says(ann, "hello"), depth: 0, deliveries: [] };

test("entries of kind refused, erased and late change no field of the floor", () => {
  for (const kind of ["refused", "erased", "late"] as const)
    expect(changes(floor, applied(floor, { kind }))).toEqual({});
});

test("an answer closes its delivery, resets the misses of its sender and sets the dialect", () => {
  const before = {
    ...floor,
    open: [delivery({}), delivery({ id: "d1.1", to: owl })],
    conversants: [person, { ...first, misses: 2 }, second],
    convenerMisses: 1,
  };
  const next = applied(before, { ...received, answers: "d1.0", dialect: "1.0" });
  expect(changes(before, next)).toEqual({
    open: [delivery({ id: "d1.1", to: owl })],
    conversants: [person, { ...first, misses: 0, dialect: "1.0" }, second],
  });
  const again = applied(next, { ...received, answers: "d1.1", dialect: "1.0" });
  expect(changes(next, again)).toEqual({ open: [] });
  const older = applied(next, { ...received, answers: "d1.1", dialect: "0.9" });
  expect(older.conversants[1]).toEqual({ ...first, dialect: "0.9" });
});

test("an answer of the convener resets its misses", () => {
  const before = { ...floor, open: [delivery({ isDelegation: true })], convenerMisses: 1 };
  expect(changes(before, applied(before, { ...received, answers: "d1.0" }))).toEqual({ open: [], convenerMisses: 0 });
});

test("an agent that speaks unasked belongs to that turn afterwards; a person does not", () => {
  const next = applied(floor, received);
  expect(changes(floor, next)).toEqual({
    conversants: [person, { ...first, last: { turn: "t9", depth: 2 } }, second],
  });
  expect(changes(next, applied(next, { ...received, depth: 5 }))).toEqual({});
  expect(changes(floor, applied(floor, { ...received, sender: ann }))).toEqual({});
  expect(changes(floor, applied(floor, { ...received, sender: chair }))).toEqual({});
});

const state = (turn: string, isPaused = false) => ({ turn, agentEvents: 1, said: [], isPaused });

test("a new turn drops the counts of old turns, except paused turns and turns that are still in use", () => {
  const before = {
    ...floor,
    turns: [state("t1"), state("t2", true), state("t3"), state("t4"), state("t5")],
    open: [delivery({ turn: "t3" })],
    parked: [{ ...waiting, turn: "t4" }],
    conversants: [person, first, { ...second, last: { turn: "t5", depth: 1 } }],
  };
  const kept = applied(before, { ...received, sender: ann }).turns.map(({ turn }) => turn);
  expect(kept).toEqual(["t2", "t3", "t4", "t5"]);
  expect(applied(before, { ...received, sender: ann, turn: "t1" }).turns).toBe(before.turns);
  expect(applied(before, { ...received, answers: "d7.0" }).turns).toBe(before.turns);
});

test("an event opens its deliveries and becomes the last event of each recipient", () => {
  const deliveries = [
    { id: "d9.0", to: parrot, isInvite: true, isAddressed: true },
    { id: "d9.1", to: owl },
  ];
  const next = applied(floor, { ...event, deliveries, depth: 3 });
  const last = { turn: "t9", depth: 4 };
  expect(changes(floor, next)).toEqual({
    conversants: [person, { ...first, last }, { ...second, last }],
    open: [
      delivery({ id: "d9.0", turn: "t9", depth: 4, isInvite: true, isAddressed: true }),
      delivery({ id: "d9.1", to: owl, turn: "t9", depth: 4 }),
    ],
  });
  expect(changes(floor, applied(floor, event))).toEqual({});
});

test("an event added to an open envelope adds its flags to the delivery and removes none", () => {
  const before = { ...floor, open: [delivery({ depth: 5, isInvite: true }), delivery({ id: "d1.1", to: owl })] };
  const deliveries = [
    { id: "d1.0", to: parrot, isAddressed: true, isMore: true },
    { id: "d9.1", to: owl },
  ];
  expect(applied(before, { ...event, deliveries, depth: 1 }).open).toEqual([
    delivery({ depth: 5, isInvite: true, isAddressed: true }),
    delivery({ id: "d1.1", to: owl }),
    delivery({ id: "d9.1", to: owl, turn: "t9", depth: 2 }),
  ]);
  const invite = [{ id: "d1.1", to: owl, isInvite: true, isMore: true }];
  expect(applied(before, { ...event, deliveries: invite, depth: 6 }).open[1]).toEqual(
    delivery({ id: "d1.1", to: owl, depth: 7, isInvite: true }),
  );
  const addressed = { ...floor, open: [delivery({ isAddressed: true })] };
  const more = [{ id: "d1.0", to: parrot, isMore: true }];
  expect(applied(addressed, { ...event, deliveries: more }).open).toEqual([delivery({ isAddressed: true })]);
});

test("an event of an agent is counted in its turn, together with its text", () => {
  const before = { ...floor, turns: [state("t1"), state("t9", true)] };
  const next = applied(before, { ...event, isAgents: true, said: "parrot hi" });
  const counted = { turn: "t9", agentEvents: 2, said: ["parrot hi"], isPaused: true };
  expect(changes(before, next)).toEqual({ turns: [state("t1"), counted] });
  expect(applied(floor, { ...event, isAgents: true }).turns).toEqual([state("t9")]);
});

test("revokeFloor takes the floor and the right to answer from its target only; a notice takes nothing", () => {
  const held = [parrot, owl].map((speakerUri) => ({ speakerUri, seq: 1, turn: "t1", depth: 0 }));
  const open = [delivery({ isAddressed: true }), delivery({ id: "d1.1", to: owl, isAddressed: true })];
  const before = { ...floor, held, open, told: [parrot, owl] };
  const revoked = { ...event, event: { eventType: "revokeFloor" as const }, target: parrot };
  expect(changes(before, applied(before, revoked))).toEqual({
    floorGranted: [ann, owl],
    held: held.slice(1),
    told: [owl],
    open: [delivery({}), open[1]],
  });
  const notice = applied({ ...before, told: [] }, { ...revoked, isNotice: true });
  expect(notice).toMatchObject({ floorGranted: [ann, parrot, owl], told: [parrot], held: held.slice(1), open });
});

test("grantFloor ends the held request and the notice of its target", () => {
  const held = [parrot, owl].map((speakerUri) => ({ speakerUri, seq: 1, turn: "t1", depth: 0 }));
  const before = { ...floor, floorGranted: [ann], held, told: [parrot, owl] };
  const granted = applied(before, { ...event, event: { eventType: "grantFloor" }, target: parrot });
  expect(changes(before, granted)).toEqual({
    floorGranted: [ann, parrot],
    held: held.slice(1),
    told: [owl],
    attention: [parrot],
  });
});

test("a conversant that leaves loses all its state, but its parked envelopes stay to be refused", () => {
  const before: Floor = {
    ...floor,
    roles: { owner: [ann], convener: [parrot], archivist: [parrot, owl] },
    open: [delivery({}), delivery({ id: "d1.1", to: "x", asker: parrot }), delivery({ id: "d1.2", to: owl })],
    held: [parrot, owl].map((speakerUri) => ({ speakerUri, seq: 1, turn: "t1", depth: 0 })),
    told: [parrot, owl],
    attention: [parrot, owl],
    aliases: { old: parrot, older: owl },
    parked: [{ ...waiting, sender: parrot }],
    persistentState: { a: { by: parrot, value: 1 }, b: { by: owl, value: 2 } },
    conversantState: { [parrot]: 1, [owl]: 2 },
  };
  const left = applied(before, { ...event, sender: parrot, event: { eventType: "bye" }, target: parrot });
  expect(changes(before, left)).toEqual({
    conversants: [person, second],
    floorGranted: [ann, owl],
    roles: { owner: [ann], archivist: [owl] },
    open: [delivery({ id: "d1.2", to: owl })],
    held: before.held.slice(1),
    told: [owl],
    attention: [owl],
    aliases: { older: owl },
    persistentState: { b: { by: owl, value: 2 } },
    conversantState: { [owl]: 2 },
  });
});

test("events without a known target change no conversant's standing", () => {
  for (const eventType of ["invite", "grantFloor", "revokeFloor", "uninvite", "requestFloor"] as const) {
    expect(changes(floor, applied(floor, { ...event, event: { eventType } }))).toEqual({});
  }
});

test("an entry `parked` opens its delegation; an entry `unparked` closes it", () => {
  const asked = invites(owl);
  const fields = { sender: ann, rest: [event.event], withheld: ["w"], depth: 2, isAddressed: true };
  const next = applied(floor, {
    kind: "parked",
    ...fields,
    event: asked,
    delivery: { id: "d4.0", to: chair },
    until: now,
  });
  const seq = floor.seq + 1;
  const parked = { ...fields, turn: "t9", seq, delivery: "d4.0", until: now, delegated: asked };
  expect(changes(floor, next)).toEqual({
    parked: [parked],
    open: [delivery({ id: "d4.0", to: chair, turn: "t9", depth: 3, isDelegation: true })],
  });
  expect(changes(next, applied(next, { kind: "unparked", parkedSeq: seq }))).toEqual({ parked: [], open: [] });
  const behind = applied(next, { kind: "parked", ...fields });
  expect(behind.parked[1]).toEqual({ ...fields, turn: "t9", seq: seq + 1 });
  expect(applied(behind, { kind: "unparked", parkedSeq: seq + 1 }).open).toEqual(next.open);
});

test("an entry `forwarded` opens one delivery for its asker, also when it is applied twice", () => {
  const fields = { delivery: { id: "d4.0", to: "x" }, serviceUrl: "https://x.example", depth: 1, asker: ann };
  const next = applied(floor, { kind: "forwarded", ...fields });
  const open = [delivery({ id: "d4.0", to: "x", turn: "t9", depth: 2, asker: ann, serviceUrl: "https://x.example" })];
  expect(changes(floor, next)).toEqual({ open });
  expect(applied(next, { kind: "forwarded", ...fields }).open).toEqual(open);
});

test("an entry `held` replaces an older request of the same conversant", () => {
  const next = applied(floor, { kind: "held", speakerUri: parrot, depth: 1 });
  const again = applied(next, { kind: "held", speakerUri: parrot, depth: 2 });
  expect(next.held).toEqual([{ speakerUri: parrot, seq: floor.seq + 1, turn: "t9", depth: 1 }]);
  expect(again.held).toEqual([{ speakerUri: parrot, seq: floor.seq + 2, turn: "t9", depth: 2 }]);
});

test("an entry `paused` stops a turn and its deliveries; an entry `resumed` resets its counts", () => {
  const last = { turn: "t9", depth: 17 };
  const elsewhere = { turn: "t1", depth: 3 };
  const conversants = [person, { ...first, last }, { ...second, last: elsewhere }];
  const before = { ...floor, conversants, open: [delivery({}), delivery({ id: "d1.1" })], turns: [state("t1")] };
  const paused = applied(before, { kind: "paused", aborts: ["d1.0"] });
  expect(changes(before, paused)).toEqual({
    open: [delivery({ id: "d1.1" })],
    turns: [state("t1"), { ...state("t9", true), agentEvents: 0 }],
  });
  const resumed = applied(paused, { kind: "resumed" });
  expect(resumed.conversants).toEqual([person, first, { ...second, last: elsewhere }]);
  expect(resumed.turns).toEqual([state("t1")]);
});

test("an entry `missed` counts against the conversant, or against the convener if the delivery is a delegation", () => {
  const before = { ...floor, open: [delivery({}), delivery({ id: "d1.1", isDelegation: true })] };
  const once = applied(before, { kind: "missed", delivery: "d1.0", speakerUri: parrot });
  expect(changes(before, once)).toEqual({
    open: [before.open[1]],
    conversants: [person, { ...first, misses: 1 }, second],
  });
  const asked = applied(before, { kind: "missed", delivery: "d1.1", speakerUri: parrot });
  expect(changes(before, asked)).toEqual({ open: [before.open[0]], convenerMisses: 1 });
});

test("an entry `role` assigns or removes a role, and a new convener starts without misses", () => {
  const before = { ...floor, convenerMisses: 2 };
  const given = applied(before, { kind: "role", role: "convener", speakerUri: owl });
  expect(changes(before, given)).toEqual({ roles: { owner: [ann], convener: [owl] }, convenerMisses: 0 });
  expect(applied(given, { kind: "role", role: "convener" }).roles).toEqual({ owner: [ann] });
  expect(applied(before, { kind: "role", role: "owner", speakerUri: owl }).convenerMisses).toBe(2);
});

test("an entry `renamed` replaces the name everywhere, and the old name still works as an addressee", () => {
  const before: Floor = {
    ...floor,
    conversants: [person, { ...first, isProvisional: true }, second],
    roles: { owner: [ann], convener: [parrot] },
    open: [delivery({}), delivery({ id: "d1.1", to: "x", asker: parrot }), delivery({ id: "d1.2", to: owl })],
    held: [{ speakerUri: parrot, seq: 1, turn: "t1", depth: 0 }],
    told: [parrot],
    attention: [parrot],
    aliases: { older: parrot },
    parked: [{ ...waiting, sender: parrot }],
  };
  const identification = identificationOf("polly");
  expect(changes(before, applied(before, { kind: "renamed", from: parrot, to: "polly", identification }))).toEqual({
    conversants: [person, { ...first, identification }, second],
    floorGranted: [ann, "polly", owl],
    roles: { owner: [ann], convener: ["polly"] },
    open: [delivery({ to: "polly" }), delivery({ id: "d1.1", to: "x", asker: "polly" }), before.open[2]],
    held: [{ speakerUri: "polly", seq: 1, turn: "t1", depth: 0 }],
    told: ["polly"],
    attention: ["polly"],
    aliases: { older: "polly", [parrot]: "polly" },
    parked: [{ ...waiting, sender: "polly" }],
  });
});

test("an entry `closed` ends deliveries, parked envelopes, held requests and turns", () => {
  const held = [{ speakerUri: parrot, seq: 1, turn: "t1", depth: 0 }];
  const before = { ...floor, open: [delivery({})], parked: [waiting], held, turns: [state("t1")] };
  const none = { isClosed: true, open: [], parked: [], held: [], turns: [] };
  expect(changes(before, applied(before, { kind: "closed" }))).toEqual(none);
});
