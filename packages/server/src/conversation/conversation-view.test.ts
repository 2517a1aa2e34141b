import { type Entry, emptyFloor, type Floor, type Seat } from "@plenary/floor";
import { textUtterance } from "@plenary/protocol";
import { expect, test } from "vitest";
import { briefEntryFor, entryFor } from "./conversation-view.ts";
import { currentName, type Reader, readerFor, visibilityOf } from "./visibility.ts";

const now = "2026-01-01T00:00:00.000Z";
const [ann, bob, cid] = ["tag:a.example,2026:ann", "tag:b.example,2026:bob", "tag:c.example,2026:cid"];

const floor: Floor = {
  ...emptyFloor("c"),
  seq: 9,
  aliases: { "http://bob.example/": bob },
  roles: { owner: [ann] },
};

const whisper: Entry = {
  seq: 3,
  at: now,
  kind: "event",
  turn: "t1",
  because: "door/accepted",
  audience: [bob, cid],
  sender: bob,
  event: {
    ...textUtterance("psst", { speakerUri: bob, id: "w", startTime: now }),
    to: { speakerUri: cid, private: true },
  },
  depth: 0,
  target: cid,
  deliveries: [],
};

test("an inherited object property is not an alias", () => {
  for (const name of ["constructor", "toString", "__proto__", "hasOwnProperty", "valueOf"]) {
    expect(currentName(floor, name)).toBe(name);
    expect(readerFor(floor, name)).toEqual({ kind: "conversant", name });
  }
});

const address = "http://bob.example/";
const seat: Seat = {
  identification: { speakerUri: bob, serviceUrl: address, organization: "", conversationalName: "", synopsis: "" },
  kind: "agent",
  state: "joined",
  since: 3,
  misses: 0,
};

test("a renamed conversant reads what its earlier name received since it joined, and nothing older", () => {
  const renamed = { ...floor, conversants: [seat] };
  const reader = readerFor(renamed, bob);
  const toAddress = (seq: number): Entry => ({ ...whisper, seq, audience: [address, cid] });
  expect(entryFor(toAddress(3), reader)).toMatchObject({ kind: "event" });
  expect(entryFor(toAddress(2), reader)).toEqual({ seq: 2, kind: "hidden" });
});

test("a conversant does not read what another one received under the same name", () => {
  const renamed = { ...floor, conversants: [seat] };
  expect(entryFor(whisper, readerFor(renamed, address))).toEqual({ seq: 3, kind: "hidden" });
});

test("the owner and the operator see sender, addressee and time of a whisper; others only that there is an entry", () => {
  const counted = { seq: 3, kind: "hidden", whisper: { at: now, from: bob, to: cid } };
  expect(entryFor(whisper, readerFor(floor, ann))).toEqual(counted);
  expect(entryFor(whisper, readerFor(floor, undefined))).toEqual(counted);
  expect(entryFor(whisper, readerFor({ ...floor, roles: { owner: [cid] } }, ann))).toEqual({ seq: 3, kind: "hidden" });
});

test("readers with the same visibility get the same rendering", () => {
  const history = [textUtterance("psst", { speakerUri: bob, id: "h", startTime: now }).parameters.dialogEvent];
  const invited: Entry = {
    ...whisper,
    audience: [ann, bob, cid],
    event: { eventType: "invite", to: { speakerUri: cid }, parameters: { dialogHistory: history } },
  };
  const waiting: Entry = {
    seq: 5,
    at: now,
    kind: "parked",
    turn: "t1",
    because: "x",
    audience: [ann, bob, cid],
    sender: bob,
    depth: 0,
    rest: [whisper.event],
    withheld: [],
    isAddressed: false,
  };
  const others = ["tag:d.example,2026:dan", "tag:e.example,2026:eve"];
  const readers: Reader[] = [ann, bob, cid, ...others, undefined].map((name) => readerFor(floor, name));
  for (const entry of [whisper, invited, waiting]) {
    for (const one of readers) {
      for (const other of readers) {
        if (visibilityOf(entry, one) !== visibilityOf(entry, other)) continue;
        expect(briefEntryFor(entry, one)).toEqual(briefEntryFor(entry, other));
      }
    }
  }
});

test("a brief entry of a received envelope has no events and no persistent state", () => {
  const received: Entry = {
    seq: 2,
    at: now,
    kind: "received",
    turn: "t1",
    because: "door/accepted",
    audience: [bob],
    sender: bob,
    events: [whisper.event],
    depth: 0,
    persistentState: { secret: 1 },
  };
  const { events: _, persistentState: __, audience: ___, ...rest } = received;
  expect(briefEntryFor(received, readerFor(floor, bob))).toEqual(rest);
  expect(entryFor(received, readerFor(floor, bob))).toEqual({ ...rest, events: [whisper.event] });
  expect(briefEntryFor(received, readerFor(floor, cid))).toEqual({ seq: 2, kind: "hidden" });
});
