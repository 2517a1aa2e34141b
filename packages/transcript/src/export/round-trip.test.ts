// Any history, written as JSON lines and read again, folds into the same floor after every entry.

import {
  apply,
  decide,
  defaultOptions,
  type Entry,
  emptyFloor,
  entryFault,
  type Floor,
  type FloorOptions,
  type Input,
} from "@plenary/floor";
import { by, events, facts, options, orders, someone } from "@plenary/floor/testing/arbitrary";
import {
  ann,
  answer,
  chair,
  command,
  failing,
  from,
  identificationOf,
  now,
  owl,
  parrot,
  seating,
  self,
  urlOf,
} from "@plenary/floor/testing/room";
import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonlLine } from "./jsonl.ts";

/** The next input, depending on the floor. */
type Step = (floor: Floor) => Input | undefined;

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.tuple(someone, events, facts).map(
      ([speakerUri, said, known]): Step =>
        () => ({ ...from(speakerUri, ...said), facts: known }),
    ),
  },
  {
    weight: 4,
    arbitrary: fc.tuple(fc.nat(), events, fc.boolean()).map(
      ([which, said, isAnswered]): Step =>
        (floor) => {
          const open = floor.open[which % Math.max(1, floor.open.length)];
          if (open === undefined) return undefined;
          return isAnswered ? answer(open.id, open.to, ...said) : failing(open.id, "timeout");
        },
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constant<Step>(({ parked, held }) => {
      const [waiting] = parked;
      if (waiting?.delivery !== undefined) return { kind: "timer", id: `delegation:${waiting.delivery}` };
      return held[0] && { kind: "timer", id: `held:${held[0].seq}` };
    }),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(orders, by).map(
      ([order, [who, speakerUri]]): Step =>
        () =>
          command(order, who, speakerUri),
    ),
  },
);

function live(steps: readonly Step[], settings: Partial<FloorOptions>): Entry[] {
  const owner = identificationOf(ann);
  const open = command({ verb: "open", self, options: { ...defaultOptions, ...settings }, owner });
  const company = [parrot, owl, chair].map(
    (one): Step =>
      () =>
        seating(one, "agent"),
  );
  const convene: Step = () => command({ verb: "convener", serviceUrl: urlOf(chair) });
  const log: Entry[] = [];
  let floor = emptyFloor("conv:1");
  for (const next of [() => open, ...company, convene, ...steps]) {
    const input = next(floor);
    if (input === undefined) continue;
    const decision = decide(floor, input, now);
    log.push(...decision.entries);
    floor = decision.floor;
  }
  return log;
}

test("any log that is written and read again gives the same floor after each entry", () => {
  const kinds = new Set<string>();
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), options, (steps, settings) => {
      let [before, after] = [emptyFloor("conv:1"), emptyFloor("conv:1")];
      for (const entry of live(steps, settings)) {
        kinds.add(entry.kind);
        const again: Entry = JSON.parse(jsonlLine(entry));
        expect(entryFault(again)).toBeUndefined();
        [before, after] = [apply(before, entry), apply(after, again)];
        expect(JSON.stringify(after)).toBe(JSON.stringify(before));
      }
    }),
    { numRuns: 200 },
  );
  // Most kinds of entries occur; the rare ones depend on the seed.
  expect(kinds.size).toBeGreaterThan(12);
});

const seated: Entry = {
  seq: 2,
  at: now,
  turn: "t1",
  because: "command/seat",
  audience: [ann],
  kind: "seated",
  seat: { identification: identificationOf(owl), kind: "agent", state: "joined", since: 2, misses: 0 },
};

test.each<[string, unknown, string]>([
  ["a list", [], "it is no JSON object"],
  ["a hidden entry", { seq: 2, kind: "hidden" }, "it is hidden"],
  ["an unknown kind", { ...seated, kind: "__proto__" }, "its kind is none that a log has"],
  ["a seat without identification", { ...seated, seat: { kind: "agent" } }, "seat is not what it should be"],
  ["an invalid time", { ...seated, at: "yesterday" }, "at is not what it should be"],
  [
    "an option of the wrong type",
    { ...seated, kind: "opened", self, options: { ...defaultOptions, turnDepthMax: "many" } },
    "options is not what it should be",
  ],
  ["an entry without an audience", { ...seated, audience: undefined }, "audience is missing"],
  [
    "an unknown event type",
    { ...seated, kind: "event", sender: ann, depth: 0, deliveries: [], event: { eventType: "shout" } },
    "event is not what it should be",
  ],
])("entryFault rejects %s", (_what, value, problem) => {
  expect(entryFault(seated)).toBeUndefined();
  expect(entryFault(value)).toContain(problem);
});
