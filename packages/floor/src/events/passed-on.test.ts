// D17: an event of a person that comes from another floor or by an agent's credential is counted like an agent's event.
import type { FloorEvent } from "@plenary/protocol";
import { expect, test } from "vitest";
import { decide } from "../decide.ts";
import type { Decision } from "../decision-builder.ts";
import type { Entry } from "../entry.ts";
import type { Floor } from "../floor.ts";
import type { EnvelopeInput } from "../input.ts";
import {
  ann,
  answer,
  ben,
  effective,
  envelopes,
  from,
  now,
  owl,
  parrot,
  refused,
  room,
  says,
  self,
  whispers,
} from "../testing/room.ts";

const other = "tag:other.example,2025:plenary";
const byAgent = { via: "agent" as const };
const places = ({ entries }: Decision) =>
  entries.flatMap((entry) => (entry.kind === "received" ? [{ turn: entry.turn, depth: entry.depth }] : []));
const textOf = (event: FloorEvent) =>
  event.eventType === "utterance" ? event.parameters.dialogEvent.features.text?.tokens[0]?.value : undefined;

let count = 0;
function words(): string {
  count += 1;
  return `word ${count}`;
}

type Trail = Partial<Pick<EnvelopeInput, "depth" | "floors" | "via">>;

/** A floor on which an agent answers all utterances, and its events that the bridge has not relayed yet. */
function loud(floor: Floor) {
  const unread: (Entry & { kind: "event" })[] = [];
  const entries: Entry[] = [];
  let latest = floor;
  const take = (decision: Decision) => {
    latest = decision.floor;
    entries.push(...decision.entries);
    unread.push(...decision.entries.filter((entry) => entry.kind === "event"));
    for (const { delivery, to, events } of envelopes(decision)) {
      const replies = events.filter(textOf).map(() => says(to.speakerUri, words()));
      take(decide(latest, answer(delivery, to.speakerUri, ...replies), now));
    }
  };
  return {
    entries,
    unread,
    say: (by: string, trail: Trail) => take(decide(latest, { ...from(by, says(by, words())), ...trail }, now)),
  };
}

const roundsMax = 200;

/** Relays each event of other senders to the other floor, until there is none. */
function carry(
  floors: [ReturnType<typeof loud>, ReturnType<typeof loud>],
  by: string,
  trailOf: (depth: number) => Trail,
): number {
  for (let rounds = 0; rounds < roundsMax; rounds += 1) {
    const at = floors.findIndex(({ unread }) => unread.length > 0);
    const next = floors[at]?.unread.shift();
    if (next === undefined) return rounds;
    if (next.sender !== by && textOf(next.event)) floors[1 - at]?.say(by, trailOf(next.depth + 1));
  }
  return roundsMax;
}

test.each<[string, (depth: number) => Trail]>([
  ["an agent's credential and no baggage", () => byAgent],
  ["a person's credential and the depth", (depth) => ({ depth })],
  ["a person's credential and the visited floors", () => ({ floors: [other, self.speakerUri] })],
])("a bridge that is the owner of both conversations is stopped: %s", (_, trailOf) => {
  const floors: Parameters<typeof carry>[0] = [
    loud(room({ people: [ann, ben], agents: [parrot] })),
    loud(room({ people: [ann], agents: [owl] })),
  ];
  floors[0].say(ben, {});
  expect(carry(floors, ann, trailOf)).toBeLessThan(roundsMax);
  const rules = floors.flatMap(({ entries }) => entries.flatMap((one) => (one.kind === "paused" ? [one.because] : [])));
  expect(rules).toContain("loop/depth");
});

test("two bridges that are seated as people and relay each other's utterances are stopped without an agent", () => {
  let floor = room({ people: [ann, ben], agents: [] });
  let said = 0;
  for (; said < 200; said += 1) {
    const by = said % 2 === 0 ? ann : ben;
    const decision = decide(floor, { ...from(by, says(by, words())), ...byAgent }, now);
    if (refused(decision).length > 0) break;
    floor = decision.floor;
  }
  expect(said).toBeLessThan(20);
});

test("a person's own event begins a turn at depth 0; a relayed one, or one by an agent's credential, deeper", () => {
  const floor = room();
  const placed = (trail: Trail) => places(decide(floor, { ...from(ann, says(ann, words())), ...trail }, now));
  const turn = `t${floor.seq + 1}`;
  expect(placed({})).toEqual([{ turn, depth: 0 }]);
  expect(placed({ via: "operator" })).toEqual([{ turn, depth: 0 }]);
  expect(placed({ depth: 0, floors: [] })).toEqual([{ turn, depth: 0 }]);
  expect(placed(byAgent)).toEqual([{ turn, depth: 1 }]);
  expect(placed({ depth: 5 })).toEqual([{ turn, depth: 5 }]);
  expect(placed({ floors: [other, "tag:third"] })).toEqual([{ turn, depth: 2 }]);
});

test("an event that was on this floor before belongs to its sender's last turn; on a sub-floor only depth counts", () => {
  const heard = (options: { parent?: string }) => {
    const first = decide(room({ options }), { ...from(ann, says(ann, words())), ...byAgent }, now);
    const reply = decide(first.floor, answer(envelopes(first)[0]?.delivery, parrot, says(parrot, words())), now);
    return { turn: places(first)[0]?.turn, floor: reply.floor, next: `t${reply.floor.seq + 1}` };
  };
  const back = { depth: 4, floors: [self.speakerUri, other] };
  const outer = heard({});
  const placed = (floor: Floor, trail: Trail) => places(decide(floor, { ...from(ann, says(ann, "x")), ...trail }, now));
  expect(placed(outer.floor, back)).toEqual([{ turn: outer.turn, depth: 4 }]);
  expect(placed(outer.floor, byAgent)).toEqual([{ turn: outer.turn, depth: 3 }]);
  for (const depth of [1, 4]) {
    expect(placed(outer.floor, { depth, floors: [other] })).toEqual([{ turn: outer.next, depth }]);
  }
  const sub = heard({ parent: "outer" });
  expect(placed(sub.floor, back)).toEqual([{ turn: sub.next, depth: 4 }]);
  expect(placed(sub.floor, { floors: [self.speakerUri] })).toEqual([{ turn: sub.turn, depth: 3 }]);
});

test("a relayed event does not resume paused agents; a person's own utterance does", () => {
  const paused = decide(room(), { ...from(parrot, says(parrot, words())), depth: 17 }, now).floor;
  expect(paused.turns.some(({ isPaused }) => isPaused)).toBe(true);
  const kindsOf = (trail: Trail) =>
    decide(paused, { ...from(ann, says(ann, words())), ...trail }, now).entries.map(({ kind }) => kind);
  for (const trail of [byAgent, { depth: 2 }, { floors: [other] }]) expect(kindsOf(trail)).not.toContain("resumed");
  expect(kindsOf({})).toContain("resumed");
});

test("an event above the depth limit is refused, and its sender may still leave", () => {
  const deep = { depth: 17 };
  const decision = decide(room(), { ...from(ann, says(ann, words())), ...deep }, now);
  expect([effective(decision), refused(decision)]).toEqual([[], ["loop/depth"]]);
  expect(effective(decide(room(), { ...from(ann, { eventType: "bye" }), ...deep }, now))[0]?.[1]).toBe("bye");
});

test("a person who has relayed nothing begins a new turn, whatever another person has relayed", () => {
  const floor = room({ people: [ann, ben] });
  const passedOn = decide(floor, { ...from(ann, says(ann, words())), ...byAgent }, now).floor;
  const heard = decide(passedOn, from(parrot, says(parrot, words())), now).floor;
  const placed = places(decide(heard, { ...from(ben, says(ben, words())), ...byAgent }, now));
  expect(placed).toEqual([{ turn: `t${heard.seq + 1}`, depth: 1 }]);
});

test("events that a bridge sends itself or cannot see do not change its turn and depth", () => {
  const floor = room({ people: [ann, ben] });
  const first = decide(floor, { ...from(ann, says(ann, words())), ...byAgent }, now);
  const whispered = decide(first.floor, from(ben, whispers(ben, words(), { speakerUri: owl })), now).floor;
  for (const next of [first.floor, whispered]) {
    const placed = places(decide(next, { ...from(ann, says(ann, words())), ...byAgent }, now));
    expect(placed).toEqual(places(first));
  }
});
