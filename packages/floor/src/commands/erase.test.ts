// Erasing: the log says that something is to be forgotten, and nothing of it lives on elsewhere.
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

test("erasing writes which entry is meant, for everyone, and changes nothing else", () => {
  const floor = room();
  const decision = decide(floor, erase(2), now);
  expect(decision.entries).toMatchObject([
    { kind: "erased", because: "command/erase/owner", erases: 2, seq: 4, audience: [ann, parrot, owl] },
  ]);
  expect(decision.floor).toEqual({ ...floor, seq: 4 });
  expect(decision.effects).toEqual([]);
});

test("only what is in the log can be erased", () => {
  const floor = room();
  for (const seq of [0, -1, floor.seq + 1, 1.5, Number.NaN]) {
    expect(decide(floor, erase(seq), now).refusals).toMatchObject([{ because: "command/erase/unknown", status: 404 }]);
  }
  expect(decide(floor, erase(floor.seq), now).refusals).toEqual([]);
});

test("what still waits for the convener is not erased before it was answered", () => {
  const asking = decide(room({ convener: chair }), from(ann, invites("tag:new.example,2025:1")), now);
  const parked = asking.entries.find(({ kind }) => kind === "parked")?.seq ?? 0;
  // The envelope as it was received holds the same words.
  for (const seq of [parked, parked - 1]) {
    expect(decide(asking.floor, erase(seq), now).refusals).toMatchObject([
      { because: "command/erase/waiting", status: 409 },
    ]);
  }
  const answered = after(asking.floor, answer(delegationOf(asking), chair));
  expect(decide(answered, erase(parked), now).refusals).toEqual([]);
});

test("what was said can be erased after the end as well, and nothing else happens then", () => {
  const closed = after(room(), command({ verb: "close" }));
  expect(decide(closed, erase(2), now).entries).toMatchObject([{ kind: "erased" }]);
  expect(decide(closed, command({ verb: "resume" }, "owner"), now).refusals).toMatchObject([{ status: 409 }]);
});

test("neither the floor nor any entry but those that hold the event keeps its words or its speaker's mark in clear", () => {
  const words = "the code is 4711";
  const decision = decide(room(), from(parrot, says(parrot, words)), now);
  expect(JSON.stringify(decision.floor)).not.toContain("4711");
  expect(JSON.stringify(decision.floor.turns)).not.toContain(parrot);
  const bare = decision.entries.map((entry) => ({ ...entry, event: undefined, events: undefined }));
  expect(JSON.stringify(bare)).not.toContain("4711");
});

test("a mark tells speakers and texts apart, short and long, and is the same for the same", () => {
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

test("a log from before, with words in its marks and options it did not know, still folds", () => {
  const { entries } = decide(room(), from(parrot, says(parrot, "hi")), now);
  const old = entries.map((entry) => (entry.kind === "event" ? { ...entry, said: `${parrot} hi` } : entry));
  expect(fold("conv:1", old).turns[0]?.said).toEqual([`${parrot} hi`]);
  const { turnInvitesMax: _, newcomersSee: __, ...fewer } = defaultOptions;
  const options = { ...fewer, turnDepthMax: 3 } as FloorOptions;
  const [opening] = decide(emptyFloor("conv:1"), command({ verb: "open", self, options }), now).entries;
  expect(opening && fold("conv:1", [opening]).options).toEqual({ ...defaultOptions, turnDepthMax: 3 });
});
