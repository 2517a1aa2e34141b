// What the received entry records: duplicates, new ids, and the state of older peers.
import type { FloorEvent } from "@plenary/protocol";
import { expect, test } from "vitest";
import { decide } from "../decide.ts";
import {
  after,
  ann,
  answer,
  command,
  deliveryTo,
  effective,
  from,
  invites,
  kinds,
  now,
  owl,
  parrot,
  refused,
  room,
  says,
  whispers,
} from "../testing/room.ts";

test("D29: a repeated event has no second effect; the other events of its envelope take effect", () => {
  const events = [says(ann, "one"), says(ann, "two")];
  const decision = decide(room(), { ...from(ann, ...events), facts: { duplicates: [0] } }, now);
  expect(effective(decision)).toHaveLength(1);
  expect(decision.entries[0]).toMatchObject({ kind: "received", because: "door/accepted", events: [events[1]] });
});

test("D29: an envelope with only repeated events writes nothing", () => {
  const decision = decide(room(), { ...from(ann, says(ann, "one")), facts: { duplicates: [0] } }, now);
  expect(decision).toMatchObject({ entries: [], effects: [], refusals: [] });
});

test("D29: an answer with only repeated events still closes its delivery", () => {
  const speaking = decide(room(), from(ann, says(ann, "hello")), now);
  const again = { ...answer(deliveryTo(speaking, parrot), parrot, says(parrot, "hi")), facts: { duplicates: [0] } };
  const decision = decide(speaking.floor, again, now);
  expect(kinds(decision)).toEqual(["received"]);
  expect(decision.floor.open.map(({ to }) => to)).toEqual([owl]);
});

test("D29: a used id with another text gets a new id, derived from the old one, and the entry says so", () => {
  const event = says(ann, "one");
  const decision = decide(room(), { ...from(ann, says(ann, "zero"), event), facts: { clashes: [1] } }, now);
  expect(decision.entries[0]?.because).toBe("door/new-id");
  const [, , entry] = decision.entries;
  const spoken = entry?.kind === "event" && entry.event.eventType === "utterance" && entry.event.parameters.dialogEvent;
  expect(spoken).toMatchObject({ id: `${event.parameters.dialogEvent.id}~4.1`, speakerUri: ann });
  const reply = answer(deliveryTo(decision, parrot), parrot, says(parrot, "two"));
  const entries = [{}, { clashes: [0] }].map((facts) => decide(decision.floor, { ...reply, facts }, now).entries[0]);
  expect(entries.map((one) => one?.because)).toEqual(["answer/in-time", "door/new-id"]);
});

test("D29: a refusal gives the index of the event in the envelope as it was sent", () => {
  const floor = after(room(), from(parrot, { eventType: "yieldFloor" }));
  const events = [says(parrot, "a"), { eventType: "publishManifests" as const }, says(parrot, "b")];
  const decision = decide(floor, { ...from(parrot, ...events), facts: { duplicates: [0], clashes: [2] } }, now);
  expect(decision.refusals.map(({ index }) => index)).toEqual([2]);
  const newcomer = "tag:new.example,2025:1";
  const early = [whispers(parrot, "psst", { speakerUri: newcomer }), invites(newcomer), says(parrot, "c")];
  const moved = decide(floor, from(parrot, ...early), now);
  expect(refused(moved)).toHaveLength(2);
  expect(moved.refusals.map(({ index }) => index)).toEqual([0, 2]);
});

test("D16: history items that are withheld from an invitee are withheld in an answer too", () => {
  const speaking = decide(room(), from(ann, says(ann, "hello")), now);
  const secret = { ...says(ann, "secret").parameters.dialogEvent, id: "de:secret" };
  const invite = { ...invites("tag:new.example,2025:1"), parameters: { dialogHistory: [secret] } };
  const answering = { ...answer(deliveryTo(speaking, parrot), parrot, invite), facts: { withheld: ["de:secret"] } };
  const decision = decide(speaking.floor, answering, now);
  expect(JSON.stringify(decision.effects)).not.toContain("secret");
  expect(decision.entries[0]?.because).toBe("answer/in-time");
});

test("an empty envelope is recorded and has no other effect", () => {
  expect(kinds(decide(room(), from(parrot), now))).toEqual(["received"]);
});

test("D33: an envelope sent with the operator's token is recorded as such", () => {
  const decision = decide(room(), { ...from(ann, says(ann, "hi")), via: "operator" }, now);
  expect(decision.entries[0]).toMatchObject({ kind: "received", via: "operator" });
});

function keeping(speakerUri: string, persistentState: Record<string, unknown>, ...events: FloorEvent[]) {
  return { ...from(speakerUri, ...events), dialect: "0.9" as const, carried: { persistentState } };
}

test("D19: the state of 0.9 peers is merged by key, and each key records the peer that set it last", () => {
  const floor = after(
    room(),
    keeping(parrot, { mood: "good", seed: 1 }),
    keeping(owl, { mood: "good", seed: 2, night: true }),
  );
  expect(floor.persistentState).toEqual({
    mood: { by: parrot, value: "good" },
    seed: { by: owl, value: 2 },
    night: { by: owl, value: true },
  });
  const again = decide(floor, keeping(parrot, { mood: "good" }), now);
  expect(again.entries[0]).not.toHaveProperty("persistentState");
});

test("D19: bye or removal of a peer removes its keys", () => {
  const floor = after(room(), keeping(parrot, { mood: "good" }), keeping(owl, { night: true }));
  expect(after(floor, from(parrot, { eventType: "bye" })).persistentState).toEqual({ night: { by: owl, value: true } });
  expect(after(floor, command({ verb: "remove", speakerUri: owl })).persistentState).toEqual({
    mood: { by: parrot, value: "good" },
  });
});

test("D19: the floor keeps at most 64 KiB of state; a key that does not fit is dropped", () => {
  const half = "é".repeat(20_000);
  const floor = after(room(), keeping(parrot, { a: half, b: half, c: "small" }));
  expect(Object.keys(floor.persistentState)).toEqual(["a", "c"]);
  expect(Object.keys(after(floor, keeping(parrot, { a: "less", b: half })).persistentState).toSorted()).toEqual([
    "a",
    "b",
    "c",
  ]);
  const many = after(
    room(),
    ...Array.from({ length: 40 }, (_, index) => keeping(parrot, { [`k${index}`]: "x".repeat(4_000) })),
  );
  expect(JSON.stringify(many.persistentState).length).toBeLessThanOrEqual(64 * 1024);
});

test("D19: the size of the state is counted in bytes of UTF-8", () => {
  for (const letter of ["x", "\u007f", "\u0080", "\u07ff", "\u0800", "\uffff", "\u{10000}", "\u{10ffff}"]) {
    const bytes = new TextEncoder().encode(letter).length;
    const kept = (size: number) => after(room(), keeping(parrot, { a: letter.repeat(size / bytes) })).persistentState;
    expect(Object.keys(kept(65_000))).toEqual(["a"]);
    expect(kept(66_000)).toEqual({});
  }
});

test("D19: a 1.0 peer keeps one value for itself and cannot set one for others", () => {
  const carried = { conversantState: { [parrot]: { step: 2 }, [owl]: { step: 9 } } };
  const floor = after(room(), { ...from(parrot), dialect: "1.0", carried });
  expect(floor.conversantState).toEqual({ [parrot]: { step: 2 } });
  const again = decide(floor, { ...from(parrot), dialect: "1.0", carried }, now);
  expect(again.entries[0]).not.toHaveProperty("conversantState");
  const none = decide(floor, { ...from(parrot), dialect: "1.0", carried: { conversantState: {} } }, now);
  expect(none.entries[0]).not.toHaveProperty("conversantState");
  const much = { conversantState: { [parrot]: "x".repeat(70_000) } };
  expect(after(floor, { ...from(parrot), dialect: "1.0", carried: much }).conversantState).toEqual(
    floor.conversantState,
  );
  expect(after(floor, from(parrot, { eventType: "bye" })).conversantState).toEqual({});
});
