// What newcomers see of earlier entries, and what stays private.
import { expect, test } from "vitest";
import { decide } from "./decide.ts";
import type { Entry } from "./entry.ts";
import { type Floor, seatOf } from "./floor.ts";
import type { Input } from "./input.ts";
import {
  after,
  ann,
  answer,
  ben,
  chair,
  command,
  deliveryTo,
  from,
  identificationOf,
  invites,
  now,
  opened,
  owl,
  parrot,
  room,
  says,
  seating,
  to,
  urlOf,
  whispers,
} from "./testing/room.ts";
import { visibleTo } from "./visibility.ts";

const everything = { newcomersSee: "everything" } as const;
const late = "tag:late.example,2025:1";

function play(floor: Floor, ...inputs: Input[]): { floor: Floor; entries: Entry[] } {
  const entries: Entry[] = [];
  let next = floor;
  for (const input of inputs) {
    const decision = decide(next, input, now);
    entries.push(...decision.entries);
    next = decision.floor;
  }
  return { floor: next, entries };
}

/** A conversation with every kind of entry, except those about deliveries and the end. */
function lively(floor: Floor): Entry[] {
  const asking = play(floor, from(parrot, says(parrot, "hello"), whispers(parrot, "psst", { speakerUri: owl })));
  const more = play(
    asking.floor,
    from(parrot, { eventType: "yieldFloor" }, says(parrot, "still")),
    command({ verb: "rebind", speakerUri: owl, serviceUrl: "https://new.example" }),
    command({ verb: "erase", seq: 1 }),
    command({ verb: "title", title: "Birds" }),
    command({ verb: "reveal", speakerUri: owl, from: 1 }),
    seating(ben, "person"),
    command({ verb: "convener", serviceUrl: "https://new.example" }),
    from(parrot, invites(late)),
    answer("d99.0", parrot),
    command({ verb: "close" }),
  );
  return [...asking.entries, ...more.entries];
}

const entries = lively(room());

test("without `seesFrom` a conversant sees only the entries whose audience includes it", () => {
  for (const entry of entries) {
    expect(visibleTo(entry, owl)).toBe(entry.audience.includes(owl));
    expect(visibleTo(entry, late)).toBe(entry.audience.includes(late));
  }
});

test("a conversant that sees everything sees all public entries and no entry for some readers only", () => {
  const shown = entries.filter((entry) => visibleTo(entry, late, 1));
  const kinds = new Set(shown.map(({ kind }) => kind));
  expect([...kinds].toSorted()).toEqual(["closed", "erased", "event", "rebound", "role", "seated", "titled"]);
  const hidden = new Set(entries.filter((entry) => !visibleTo(entry, late, 1)).map(({ kind }) => kind));
  expect([...hidden].toSorted()).toEqual(["event", "late", "parked", "received", "refused", "revealed"]);
  expect(JSON.stringify(shown)).not.toContain("psst");
  expect(shown.filter((entry) => entry.kind === "event" && entry.isNotice === true)).toEqual([]);
  expect(entries.filter((entry) => entry.kind === "event" && entry.isNotice === true)).toHaveLength(1);
});

const common = { at: now, turn: "t1", because: "door/accepted", audience: [] };

test("each kind of entry is either always public or never", () => {
  const open = ["seated", "renamed", "role", "chosen", "paused", "resumed", "titled", "rebound", "erased", "closed"];
  const shut = [
    "opened",
    "received",
    "parked",
    "unparked",
    "refused",
    "late",
    "missed",
    "forwarded",
    "held",
    "revealed",
  ];
  const made = (kind: string) => ({ ...common, seq: 5, kind }) as unknown as Entry;
  expect(open.map((kind) => visibleTo(made(kind), late, 1))).toEqual(open.map(() => true));
  expect(shut.map((kind) => visibleTo(made(kind), late, 1))).toEqual(shut.map(() => false));
});

test("`seesFrom` reveals from its entry on; before that only the audience counts", () => {
  const entry = { ...common, seq: 5, kind: "resumed" } as Entry;
  expect([4, 5, 6].map((from) => visibleTo(entry, late, from))).toEqual([true, true, false]);
  expect(visibleTo({ ...entry, audience: [late] }, late, 6)).toBe(true);
});

test("with newcomersSee `everything`, owner, seated and invited conversants see all, also after they join", () => {
  const floor = after(opened(ann, everything), seating(ben, "person"), seating(parrot, "agent"));
  const inviting = decide(floor, from(ann, invites(owl)), now);
  expect(inviting.floor.conversants.map(({ seesFrom }) => seesFrom)).toEqual([1, 1, 1, 1]);
  const joined = after(inviting.floor, answer(deliveryTo(inviting, owl), "tag:hoo.example,2025:1"));
  expect(seatOf(joined, owl)).toMatchObject({ state: "joined", seesFrom: 1 });
  const chosen = after(opened(ann, { ...everything, convener: urlOf(chair) }));
  expect(chosen.conversants.map(({ seesFrom }) => seesFrom)).toEqual([1, 1]);
});

test("by default no seat has `seesFrom`", () => {
  const floor = after(opened(ann), seating(ben, "person"), from(ann, invites(owl)));
  for (const seat of floor.conversants) expect(seat).not.toHaveProperty("seesFrom");
});

test("the owner reveals earlier entries to one conversant, and everyone sees that", () => {
  const decision = decide(room(), command({ verb: "reveal", speakerUri: owl, from: 2 }, "owner"), now);
  expect(decision.entries).toMatchObject([
    { kind: "revealed", because: "command/reveal/owner", audience: [ann, parrot, owl], speakerUri: owl, from: 2 },
  ]);
  expect(decision.floor.conversants.map(({ seesFrom }) => seesFrom)).toEqual([undefined, undefined, 2]);
  const identify = command({
    verb: "identify",
    speakerUri: owl,
    identification: { ...identificationOf(owl), role: "x" },
  });
  expect(seatOf(after(decision.floor, identify), owl)?.seesFrom).toBe(2);
});

test("a conversant that leaves and joins again does not see what was revealed before", () => {
  const revealed = after(room(), command({ verb: "reveal", speakerUri: owl, from: 1 }));
  const back = after(revealed, from(ann, { eventType: "uninvite", ...to(owl) }), from(ann, invites(owl)));
  expect(seatOf(back, owl)).not.toHaveProperty("seesFrom");
});

test("reveal is refused for an absent conversant and for a number before the first entry", () => {
  expect(decide(room(), command({ verb: "reveal", speakerUri: late, from: 1 }), now).refusals).toMatchObject([
    { because: "command/reveal/unknown", status: 404 },
  ]);
  for (const from of [0, -1, 1.5, Number.NaN]) {
    expect(decide(room(), command({ verb: "reveal", speakerUri: owl, from }), now).refusals).toMatchObject([
      { because: "command/reveal/from", status: 422 },
    ]);
  }
});
