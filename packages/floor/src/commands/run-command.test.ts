// The host interface: commands of the owner and the operator.
import { expect, test } from "vitest";
import { decide } from "../decide.ts";
import { emptyFloor, ownerOf, seatOf } from "../floor.ts";
import { defaultOptions } from "../options.ts";
import { becauseIds } from "../rules.ts";
import {
  after,
  ann,
  ben,
  chair,
  command,
  identificationOf,
  names,
  now,
  opened,
  owl,
  parrot,
  room,
  seating,
  self,
} from "../testing/room.ts";

test("open seats the owner with the floor and the role of owner", () => {
  expect(opened(ann)).toMatchObject({ seq: 1, self, floorGranted: [ann], roles: { owner: [ann] } });
});

test("a conversation can be opened only once", () => {
  const again = command({ verb: "open", self, options: defaultOptions });
  expect(decide(room(), again, now).refusals).toMatchObject([{ because: "command/open/taken", status: 409 }]);
});

test("a conversation that is not open refuses every other command with 404", () => {
  for (const verb of ["title", "pause", "resume", "close"] as const) {
    const decision = decide(emptyFloor("conv:1"), command({ verb }), now);
    expect(decision).toMatchObject({ entries: [], refusals: [{ because: "command/unopened", status: 404 }] });
  }
});

test("a seated conversant has joined and has the floor; without an owner the first person becomes the owner", () => {
  const floor = after(opened(undefined), seating(parrot, "agent"), seating(ben, "person"), seating(ann, "person"));
  expect(floor.floorGranted).toEqual([parrot, ben, ann]);
  expect(floor.conversants.map(({ state }) => state)).toEqual(["joined", "joined", "joined"]);
  expect(ownerOf(floor)).toBe(ben);
});

test("seat refuses a seated speakerUri, the floor's own speakerUri, and a full conversation", () => {
  expect(decide(room(), seating(self.speakerUri, "agent"), now).refusals).toMatchObject([{ status: 409 }]);
  expect(decide(room(), seating(parrot, "agent"), now).refusals).toMatchObject([
    { because: "command/seat/taken", status: 409 },
  ]);
  const full = room({ options: { conversantsMax: 3 } });
  expect(decide(full, seating(ben, "person"), now).refusals).toMatchObject([
    { because: "limit/conversants", status: 422 },
  ]);
});

test("the convener command assigns and removes the role; it refuses persons and agents that do not want it", () => {
  expect(after(room({ convener: chair }), command({ verb: "convener" })).roles).toEqual({ owner: [ann] });
  const unwilling = { ...identificationOf(parrot), openFloorRoles: { convener: false } };
  const floor = after(room(), command({ verb: "identify", speakerUri: parrot, identification: unwilling }));
  for (const speakerUri of [ann, parrot]) {
    const { refusals } = decide(floor, command({ verb: "convener", speakerUri }, "owner"), now);
    expect(refusals).toMatchObject([{ because: "command/convener/unfit", status: 422 }]);
  }
});

test("a title is shown to everyone, can be replaced and removed, and is not written twice", () => {
  const first = decide(room(), command({ verb: "title", title: "Birds" }, "owner"), now);
  const told = {
    kind: "titled",
    because: "command/title/owner",
    by: ann,
    audience: [ann, parrot, owl],
    title: "Birds",
  };
  expect(first.entries).toMatchObject([told]);
  expect(first.effects).toEqual([]);
  expect(first.floor.options).toEqual({ ...defaultOptions, title: "Birds" });
  expect(decide(first.floor, command({ verb: "title", title: "Birds" }), now).entries).toEqual([]);
  const second = after(first.floor, command({ verb: "title", title: "More birds" }));
  expect(second.options.title).toBe("More birds");
  const gone = decide(second, command({ verb: "title" }), now);
  expect(gone.entries).toMatchObject([{ kind: "titled", because: "command/title/operator" }]);
  for (const absent of ["title", "by"]) expect(gone.entries[0]).not.toHaveProperty(absent);
  expect(gone.floor.options).toEqual(defaultOptions);
  expect(decide(gone.floor, command({ verb: "title" }), now).entries).toEqual([]);
});

test("a title can be given when a conversation is opened, and replaced later", () => {
  const floor = opened(ann, { title: "Birds" });
  expect(floor).toMatchObject({ seq: 1, options: { title: "Birds" } });
  expect(after(floor, command({ verb: "title", title: "Bees" }, "owner")).options.title).toBe("Bees");
});

test("a closed conversation keeps its title", () => {
  const ended = after(opened(ann, { title: "Birds" }), command({ verb: "close" }));
  expect(decide(ended, command({ verb: "title", title: "Bees" }), now).refusals).toMatchObject([{ status: 409 }]);
  expect(ended.options.title).toBe("Birds");
});

test("identify has no effect for a conversant that is not in the conversation", () => {
  const identification = identificationOf(ben);
  expect(decide(room(), command({ verb: "identify", speakerUri: ben, identification }), now).entries).toEqual([]);
});

test("a timer with an unknown name throws", () => {
  expect(() => decide(room(), { kind: "timer", id: "tea:4" }, now)).toThrow("tea");
});

test("a seat is found by its speakerUri, and not by a property name of JavaScript", () => {
  expect(names(room())).toContain(parrot);
  for (const name of ["constructor", "__proto__", "toString"]) expect(seatOf(room(), name)).toBeUndefined();
});

test("every rule id has a description", () => {
  for (const [id, says] of becauseIds) {
    expect(id).toMatch(/^[\w.]+(?:\/[\w-]+)+$/);
    expect(says).toMatch(/\S \S/);
  }
  expect(becauseIds.size).toBeGreaterThan(90);
});
