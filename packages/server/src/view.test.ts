import { type Entry, emptyFloor, type Floor, type Seat } from "@plenary/floor";
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
    expect(readerFor(floor, name)).toEqual({ kind: "conversant", name });
  }
});

const address = "http://bob.example/";
const seat: Seat = {
  identification: { speakerUri: bob, serviceUrl: address, organization: "", conversationalName: "", synopsis: "" },
  ...{ kind: "agent", state: "joined", since: 3, misses: 0 },
};

test("whoever was called by another name reads what was for that name since it came, and nothing older", () => {
  const renamed = { ...floor, conversants: [seat] };
  const reader = readerFor(renamed, bob);
  const toAddress = (seq: number): Entry => ({ ...whisper, seq, audience: [address, cid] });
  expect(entryFor(toAddress(3), reader)).toMatchObject({ kind: "event" });
  expect(entryFor(toAddress(2), reader)).toEqual({ seq: 2, kind: "hidden" });
});

test("whoever reads under a name that another was once called by reads nothing of that other", () => {
  const renamed = { ...floor, conversants: [seat] };
  expect(entryFor(whisper, readerFor(renamed, address))).toEqual({ seq: 3, kind: "hidden" });
});

test("of a whisper owner and operator learn who, whom and when; others that there is an entry", () => {
  const told = { seq: 3, kind: "hidden", whisper: { at: now, from: bob, to: cid } };
  expect(entryFor(whisper, readerFor(floor, ann))).toEqual(told);
  expect(entryFor(whisper, readerFor(floor, undefined))).toEqual(told);
  expect(entryFor(whisper, readerFor({ ...floor, roles: { owner: [cid] } }, ann))).toEqual({ seq: 3, kind: "hidden" });
});
