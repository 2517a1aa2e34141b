import { type Entry, emptyFloor, type Floor, type Seat } from "@plenary/floor";
import { textUtterance } from "@plenary/protocol";
import { expect, test } from "vitest";
import { briefEntryFor, currentName, entryFor, type Reader, readerFor, sightOf } from "./conversation-view.ts";

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

test("readers who see an entry in the same way are shown the same", () => {
  const history = [textUtterance("psst", { speakerUri: bob, id: "h", startTime: now }).parameters.dialogEvent];
  const invited: Entry = {
    ...{ ...whisper, audience: [ann, bob, cid] },
    event: { eventType: "invite", to: { speakerUri: cid }, parameters: { dialogHistory: history } },
  };
  const waiting: Entry = {
    ...{ seq: 5, at: now, kind: "parked", turn: "t1", because: "x", audience: [ann, bob, cid], sender: bob, depth: 0 },
    ...{ rest: [whisper.event], withheld: [], isAddressed: false },
  };
  const others = ["tag:d.example,2026:dan", "tag:e.example,2026:eve"];
  const readers: Reader[] = [ann, bob, cid, ...others, undefined].map((name) => readerFor(floor, name));
  for (const entry of [whisper, invited, waiting]) {
    for (const one of readers) {
      for (const other of readers) {
        if (sightOf(entry, one) !== sightOf(entry, other)) continue;
        expect(briefEntryFor(entry, one)).toEqual(briefEntryFor(entry, other));
      }
    }
  }
});

test("in brief an envelope that was received comes without its events, and without what 0.9 peers keep", () => {
  const received: Entry = {
    ...{ seq: 2, at: now, kind: "received", turn: "t1", because: "door/accepted", audience: [bob], sender: bob },
    ...{ events: [whisper.event], depth: 0, persistentState: { secret: 1 } },
  };
  const { events: _, persistentState: __, audience: ___, ...rest } = received;
  expect(briefEntryFor(received, readerFor(floor, bob))).toEqual(rest);
  expect(entryFor(received, readerFor(floor, bob))).toEqual({ ...rest, events: [whisper.event] });
  expect(briefEntryFor(received, readerFor(floor, cid))).toEqual({ seq: 2, kind: "hidden" });
});
