// Erasing: the log states which entry is erased, and no copy of its text remains elsewhere.
import { expect, test } from "vitest";
import { fold } from "../apply.ts";
import { decide } from "../decide.ts";
import { textFingerprint } from "../events/loop-guard.ts";
import { emptyFloor } from "../floor.ts";
import { defaultOptions, type FloorOptions } from "../options.ts";
import {
  after,
  ann,
  answer,
  chair,
  command,
  delegationOf,
  from,
  invites,
  now,
  owl,
  parrot,
  room,
  says,
  self,
} from "../testing/room.ts";

const erase = (seq: number) => command({ verb: "erase", seq }, "owner");

test("erase writes an entry for everyone that names the erased entry, and changes nothing else", () => {
  const floor = room();
  const decision = decide(floor, erase(2), now);
  expect(decision.entries).toMatchObject([
    { kind: "erased", because: "command/erase/owner", erases: 2, seq: 4, audience: [ann, parrot, owl] },
  ]);
  expect(decision.floor).toEqual({ ...floor, seq: 4 });
  expect(decision.effects).toEqual([]);
});

test("erase accepts only the number of an entry in the log", () => {
  const floor = room();
  for (const seq of [0, -1, floor.seq + 1, 1.5, Number.NaN]) {
    expect(decide(floor, erase(seq), now).refusals).toMatchObject([{ because: "command/erase/unknown", status: 404 }]);
  }
  expect(decide(floor, erase(floor.seq), now).refusals).toEqual([]);
});

test("an entry that waits for the convener cannot be erased before the convener answers", () => {
  const asking = decide(room({ convener: chair }), from(ann, invites("tag:new.example,2025:1")), now);
  const parked = asking.entries.find(({ kind }) => kind === "parked")?.seq ?? 0;
  // The received entry contains the same text.
  for (const seq of [parked, parked - 1]) {
    expect(decide(asking.floor, erase(seq), now).refusals).toMatchObject([
      { because: "command/erase/waiting", status: 409 },
    ]);
  }
  const answered = after(asking.floor, answer(delegationOf(asking), chair));
  expect(decide(answered, erase(parked), now).refusals).toEqual([]);
});

test("a closed conversation accepts erase, and no other command", () => {
  const closed = after(room(), command({ verb: "close" }));
  expect(decide(closed, erase(2), now).entries).toMatchObject([{ kind: "erased" }]);
  expect(decide(closed, command({ verb: "resume" }, "owner"), now).refusals).toMatchObject([{ status: 409 }]);
});

test("only entries that contain an event contain its text; fingerprints contain no text and no speaker", () => {
  const words = "the code is 4711";
  const decision = decide(room(), from(parrot, says(parrot, words)), now);
  expect(JSON.stringify(decision.floor)).not.toContain("4711");
  expect(JSON.stringify(decision.floor.turns)).not.toContain(parrot);
  const bare = decision.entries.map((entry) => ({ ...entry, event: undefined, events: undefined }));
  expect(JSON.stringify(bare)).not.toContain("4711");
});

test("a fingerprint differs for other speakers and texts, is short, and is equal for equal input", () => {
  const floor = room();
  const mark = (speakerUri: string, text: string) => {
    const origin = { speakerUri, turn: "t1", causedBy: 1, depth: 0, withheld: [], isAddressed: false };
    return textFingerprint(floor, says(speakerUri, text), origin) ?? "";
  };
  const marks = [mark(parrot, "yes"), mark(owl, "yes"), mark(parrot, "no"), mark(parrot, "x".repeat(9_999))];
  expect(new Set(marks).size).toBe(4);
  for (const one of marks) expect(one).toMatch(/^[\da-z]{1,7}\.[\da-z]{1,7}$/);
  expect(mark(parrot, "yes")).toBe(marks[0]);
  const many = Array.from({ length: 5_000 }, (_, count) => mark(parrot, `number ${count}`));
  expect(new Set(many.map((one) => one.split(".")[0])).size).toBeGreaterThan(4_990);
  expect(new Set(many.map((one) => one.split(".")[1])).size).toBeGreaterThan(4_990);
});

test("an old log with text in its fingerprints and without newer options still folds", () => {
  const { entries } = decide(room(), from(parrot, says(parrot, "hi")), now);
  const old = entries.map((entry) => (entry.kind === "event" ? { ...entry, said: `${parrot} hi` } : entry));
  expect(fold("conv:1", old).turns[0]?.said).toEqual([`${parrot} hi`]);
  const { turnInvitesMax: _, newcomersSee: __, ...fewer } = defaultOptions;
  const options = { ...fewer, turnDepthMax: 3 } as FloorOptions;
  const [opening] = decide(emptyFloor("conv:1"), command({ verb: "open", self, options }), now).entries;
  expect(opening && fold("conv:1", [opening]).options).toEqual({ ...defaultOptions, turnDepthMax: 3 });
});
