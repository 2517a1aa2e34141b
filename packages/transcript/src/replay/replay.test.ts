import {
  decide,
  defaultOptions,
  drift,
  type Entry,
  type EnvelopeInput,
  emptyFloor,
  type Failure,
  type Floor,
  fold,
  type Input,
  problemsOfFloor,
} from "@plenary/floor";
import { by, events, facts, options, orders, someone, stranger } from "@plenary/floor/testing/arbitrary";
import {
  ann,
  ben,
  chair,
  command,
  from,
  identificationOf,
  owl,
  parrot,
  seating,
  self,
  urlOf,
} from "@plenary/floor/testing/room";
import type { FloorEvent } from "@plenary/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import { compare } from "./compare.ts";
import { recordingOf } from "./recording.ts";
import { replay } from "./replay.ts";
import type { ConvenerCall, ConvenerReply, Replayed, WhatIf } from "./what-if.ts";

const nightly = process.env.PLENARY_NIGHTLY === "1";
const numRuns = Number(process.env.RUNS ?? (nightly ? 20_000 : 100));
const timeout = nightly ? 3_600_000 : 900_000;

const unchanged: WhatIf = { convener: "recorded", options: {} };

/** A floor, its log, and its open deliveries and timers. */
type World = {
  floor: Floor;
  log: Entry[];
  nowMs: number;
  deliveries: { id: string; to: string }[];
  timers: { id: string; atMs: number }[];
};

function happen(world: World, input: Input): void {
  const decision = decide(world.floor, input, new Date(world.nowMs).toISOString());
  world.floor = decision.floor;
  world.log.push(...decision.entries);
  for (const effect of decision.effects) {
    if (effect.kind === "deliver") world.deliveries.push({ id: effect.delivery, to: effect.to.speakerUri });
    else if (effect.kind === "timer") world.timers.push({ id: effect.id, atMs: Date.parse(effect.at) });
  }
}

/** Advances the clock. Timers that are due fire, `lateMs` late. */
function pass(world: World, ms: number, lateMs: number): void {
  const untilMs = world.nowMs + ms;
  for (;;) {
    const due = world.timers.filter(({ atMs }) => atMs + lateMs <= untilMs).sort((a, b) => a.atMs - b.atMs)[0];
    if (due === undefined) break;
    world.timers = world.timers.filter((one) => one !== due);
    world.nowMs = Math.max(world.nowMs, due.atMs + lateMs);
    happen(world, { kind: "timer", id: due.id });
  }
  world.nowMs = untilMs;
}

type Step = (world: World) => Input | undefined;

const failures = fc.constantFrom<Failure>("unreachable", "timeout", "no-envelope", "refused");
const speakers = fc.oneof({ weight: 20, arbitrary: someone }, fc.constant(stranger));
const losses = fc.constantFrom({}, { leftOut: [{ index: 0, because: "1.8/unusable-event" as const }] });
/** Baggage that a bridge between floors may send (D17). */
const trails = fc.constantFrom<Partial<EnvelopeInput>>(
  ...[{}, {}, {}, { via: "agent" as const }, { depth: 2 }, { floors: [self.speakerUri] }],
  { via: "agent", depth: 1, floors: ["tag:other.example,2025:plenary", self.speakerUri] },
);
const speak = fc.tuple(speakers, events, facts, losses, trails);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: speak.map(
      ([speaker, said, found, lost, trail]): Step =>
        () => ({ ...from(speaker, ...said), facts: found, ...lost, ...trail }),
    ),
  },
  {
    weight: 4,
    arbitrary: fc.tuple(fc.nat(3), events, losses).map(
      ([which, said, lost]): Step =>
        ({ deliveries }) => {
          const delivery = deliveries.at(-1 - which);
          if (delivery === undefined) return undefined;
          const speaker = delivery.to.startsWith("https") ? stranger : delivery.to;
          return { kind: "answer", delivery: delivery.id, envelope: from(speaker, ...said).envelope, ...lost };
        },
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.nat(3), failures, fc.constantFrom(undefined, {}, { whisperer: ann })).map(
      ([which, failure, unsent]): Step =>
        ({ deliveries }) => {
          const delivery = deliveries.at(-1 - which);
          const stopped = delivery && unsent && { unsent: { to: delivery.to, ...unsent } };
          return delivery && { kind: "answer", delivery: delivery.id, failure, ...stopped };
        },
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(orders, by).map(
      ([given, who]): Step =>
        () =>
          command(given, ...who),
    ),
  },
);
const moment = fc.record({ ms: fc.constantFrom(0, 5, 2_000, 15_000, 70_000), lateMs: fc.nat(500) });
const history = fc.array(fc.tuple(moment, step), { maxLength: 40, size: "max" });
const company = fc.constantFrom<Input[]>(
  [],
  [seating(ben, "person"), seating(parrot, "agent"), seating(owl, "agent")],
  [seating(parrot, "agent"), seating(chair, "agent"), command({ verb: "convener", speakerUri: chair })],
);

const lives = fc.tuple(options, company, history).map(([given, others, steps]) => {
  const world: World = { floor: emptyFloor("conv:1"), log: [], nowMs: 1_746_000_000_000, deliveries: [], timers: [] };
  const opening = { self, owner: identificationOf(ann), options: { ...defaultOptions, ...given } };
  for (const input of [command({ verb: "open", ...opening }), ...others]) happen(world, input);
  for (const [{ ms, lateMs }, next] of steps) {
    pass(world, ms, lateMs);
    const input = next(world);
    if (input !== undefined) happen(world, input);
  }
  return world.log;
});

type Reply = (call: ConvenerCall) => ConvenerReply;

function run(log: readonly Entry[], whatIf: WhatIf, reply: Reply = () => ({ failure: "unreachable" })): Replayed {
  const replaying = replay(recordingOf("conv:1", log), whatIf);
  let next = replaying.next();
  while (next.done !== true) next = replaying.next(reply(next.value));
  return next.value;
}

test("a replay with unchanged rules gives the same entries and no differences, for any conversation", {
  timeout: 60_000,
}, () => {
  const property = fc.property(lives, (log) => {
    const replayed = run(log, unchanged);
    const { entries, unasked, unknown, undecided, impossible } = replayed;
    expect(entries).toEqual(log);
    const recording = recordingOf("conv:1", log);
    const was = { entries: log, stepOfEntry: recording.stepOfEntry };
    expect(compare(was, replayed, recording, new Set()).differences).toEqual([]);
    expect({ unasked, unknown, undecided, impossible }).toEqual({
      unasked: 0,
      unknown: 0,
      undecided: 0,
      impossible: [],
    });
  });
  fc.assert(property, { numRuns });
});

const changes = fc.constantFrom<WhatIf>(
  { convener: "none", options: {} },
  { convener: "none", options: { policy: "spec", floorEnforcement: "table" } },
  { convener: "recorded", options: { floorEnforcement: "advisory" } },
  { convener: "recorded", options: { policy: "spec" } },
  { convener: { serviceUrl: "https://new.example/" }, options: {} },
  { convener: { serviceUrl: "https://new.example/" }, options: { policy: "spec" } },
  // A conversant of the recorded conversation.
  { convener: { serviceUrl: urlOf(owl) }, options: {} },
);

const fresh = "tag:new.example,2025:1";

/** Accepts the invite, then acts by chance: returns the event, asks for a wake-up, revokes the floor, fails or drops it. */
function moody(moods: readonly number[]): Reply {
  let count = 0;
  return (call) => {
    const mood = moods[count % moods.length] ?? 0;
    count += 1;
    const { id } = call.floor;
    const saying = (...said: FloorEvent[]): ConvenerReply => ({
      envelope: { schema: { version: "1.1.0" }, conversation: { id }, sender: { speakerUri: fresh }, events: said },
    });
    if (call.kind === "time") return saying({ eventType: "grantFloor", to: { speakerUri: parrot } });
    if (call.effect.isInvite) return saying({ eventType: "acceptInvite" });
    if (mood === 0) return saying(...call.effect.events);
    if (mood === 1) return { ...saying(), wakeAtMs: Date.parse(call.at) + 3_000 };
    if (mood === 2) return saying({ eventType: "revokeFloor", to: { speakerUri: owl } });
    return mood === 3 ? { failure: "timeout" } : saying();
  };
}

test("a replay with changed rules gives a valid floor, is repeatable, and sends no whisper to a new convener", {
  timeout,
}, () => {
  const moods = fc.array(fc.nat(4), { minLength: 1, maxLength: 12 });
  const property = fc.property(lives, changes, moods, (log, whatIf, given) => {
    const heard: ConvenerCall[] = [];
    const reply = moody(given);
    const replayed = run(log, whatIf, (call) => {
      heard.push(call);
      return reply(call);
    });
    expect(problemsOfFloor(replayed.floor)).toEqual([]);
    const [folded, floor] = [fold("conv:1", replayed.entries), replayed.floor];
    expect(drift({ ...folded, convenerMisses: 0 }, { ...floor, convenerMisses: 0 })).toEqual([]);
    expect(run(log, whatIf, moody(given))).toEqual(replayed);
    if (whatIf.convener !== "recorded") {
      const sent = heard.flatMap((call) => (call.kind === "deliver" ? call.effect.events : []));
      expect(JSON.stringify(sent)).not.toMatch(/whisper-\d+-/u);
    }
  });
  fc.assert(property, { numRuns });
});
