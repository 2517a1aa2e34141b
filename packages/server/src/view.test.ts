import { type Entry, emptyFloor, type Floor } from "@plenary/floor";
import { textUtterance } from "@plenary/protocol";
import { expect, test } from "vitest";
import { currentName, entryFor, readerFor } from "./view.ts";

const now = "2026-01-01T00:00:00.000Z";
const [ann, bob, cid] = ["tag:a.example,2026:ann", "tag:b.example,2026:bob", "tag:c.example,2026:cid"];

const floor: Floor = {
  ...emptyFloor("c"),
  seq: 9,
  aliases: { "http://bob.example/": bob },
  roles: { owner: [ann] },
};

const whisper: Entry = {
  ...{ seq: 3, at: now, kind: "event", turn: "t1", because: "door/accepted", audience: [bob, cid], sender: bob },
  event: {
    ...textUtterance("psst", { speakerUri: bob, id: "w", startTime: now }),
    to: { speakerUri: cid, private: true },
  },
  ...{ depth: 0, target: cid, deliveries: [] },
};

test("names come from outside: what every object has is no alias", () => {
  for (const name of ["constructor", "toString", "__proto__", "hasOwnProperty", "valueOf"]) {
    expect(currentName(floor, name)).toBe(name);
    expect(readerFor(floor, name)).toEqual({ kind: "conversant", names: [name, name] });
  }
});

test("whoever is known by another name reads what was for either", () => {
  expect(readerFor(floor, "http://bob.example/")).toMatchObject({ names: expect.arrayContaining([bob]) });
  expect(entryFor(whisper, readerFor(floor, "http://bob.example/"))).toMatchObject({ kind: "event", sender: bob });
});

test("of a whisper owner and operator learn who, whom and when; others that there is an entry", () => {
  const told = { seq: 3, kind: "hidden", whisper: { at: now, from: bob, to: cid } };
  expect(entryFor(whisper, readerFor(floor, ann))).toEqual(told);
  expect(entryFor(whisper, readerFor(floor, undefined))).toEqual(told);
  expect(entryFor(whisper, readerFor({ ...floor, roles: { owner: [cid] } }, ann))).toEqual({ seq: 3, kind: "hidden" });
});
