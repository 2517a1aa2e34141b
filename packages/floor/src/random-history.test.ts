// Random histories: the invariants hold for any inputs of people and agents.
import fc from "fast-check";
import { expect, test } from "vitest";
import { apply, fold } from "./apply.ts";
import { decide } from "./decide.ts";
import type { Decision } from "./decision-builder.ts";
import type { Entry } from "./entry.ts";
import { emptyFloor, type Floor, seatOf } from "./floor.ts";
import type { Failure, Input } from "./input.ts";
import { drift, emptyTexts, leaksInEnvelopes, problemsOfFloor, problemsOfStep } from "./invariants.ts";
import { defaultOptions } from "./options.ts";
import { becauseIds } from "./rules.ts";
import { by, events, facts, options, orders, someone, speakers, stranger } from "./testing/arbitrary.ts";
import { frozen } from "./testing/frozen.ts";
import {
  ann,
  ben,
  chair,
  command,
  from,
  identificationOf,
  now,
  owl,
  parrot,
  seating,
  self,
  urlOf,
} from "./testing/room.ts";
import { createSpecModel, type SpecModel } from "./testing/spec-model.ts";
import { visibleTo } from "./visibility.ts";

const nightly = process.env.PLENARY_NIGHTLY === "1";
const seed = Number(process.env.PLENARY_SEED ?? Date.now() % 2 ** 31);
const numRuns = Number(process.env.RUNS ?? (nightly ? 200_000 : 1_000));
/** A limit for a run that hangs. */
const timeoutMs = nightly ? 3_600_000 : 900_000;

type Real = {
  floor: Floor;
  log: Entry[];
  deliveries: { id: string; to: string }[];
  timers: string[];
  /** Text of a whisper -> speakers that may read it. */
  whispers: Map<string, Set<string>>;
};
type Step = fc.Command<SpecModel, Real>;

function must(hold: readonly string[], input: Input): void {
  if (hold.length > 0) throw new Error(`${hold.join("; ")} after ${JSON.stringify(input)}`);
}

const secretsIn = (data: unknown) => new Set(JSON.stringify(data).match(/whisper-\d+-/g));

/** The sender of a whisper may read it, and so may its addressee when it takes effect. */
function noteWhispers({ whispers, floor }: Real, input: Input, { entries }: Decision): void {
  if ("envelope" in input && input.envelope !== undefined) {
    const { sender, events: sent } = input.envelope;
    for (const text of secretsIn(sent)) {
      const name = seatOf(floor, sender.speakerUri)?.identification.speakerUri ?? sender.speakerUri;
      whispers.set(text, (whispers.get(text) ?? new Set()).add(sender.speakerUri).add(name));
    }
  }
  for (const entry of entries) {
    if (entry.kind === "renamed") for (const known of whispers.values()) if (known.has(entry.from)) known.add(entry.to);
    if (entry.kind !== "event" || entry.target === undefined) continue;
    for (const text of secretsIn(entry.event)) whispers.get(text)?.add(entry.target).add(entry.sender);
  }
}

/** Texts of whispers that a conversant reads or is sent without being entitled to it. */
function overheard({ whispers }: Real, { entries, effects, floor }: Decision): string[] {
  if (whispers.size === 0) return [];
  const mayKnow = (text: string, speakerUri: string) => whispers.get(text)?.has(speakerUri) === true;
  const inLog = entries.flatMap((entry) =>
    [...secretsIn(entry)].flatMap((text) =>
      // A conversant to which all public entries are revealed still reads no whisper of others.
      [...new Set([...entry.audience, ...speakers, stranger])]
        .filter((one) => visibleTo(entry, one, 1) && !mayKnow(text, one))
        .map((one) => `${one} reads ${text}`),
    ),
  );
  const sent = effects.flatMap((effect) => {
    if (effect.kind !== "deliver" || effect.isForwarded === true) return [];
    if (effect.isDelegation && floor.options.policy === "spec") return [];
    const { speakerUri } = effect.to;
    return [...secretsIn(effect)]
      .filter((text) => !mayKnow(text, speakerUri))
      .map((text) => `${speakerUri} is sent ${text}`);
  });
  return [...inLog, ...sent];
}

const undescribed = (ids: readonly { because: string }[]) =>
  ids.filter(({ because }) => !becauseIds.has(because)).map(({ because }) => `nothing describes ${because}`);

/** Decides one input and checks all invariants. */
function take(model: SpecModel, real: Real, input: Input): void {
  const before = real.floor;
  const decision = decide(before, input, now);
  if (JSON.stringify(decide(before, input, now)) !== JSON.stringify(decision)) must(["deciding again differs"], input);
  let floor = before;
  for (const entry of decision.entries) {
    const next = apply(floor, entry);
    must(problemsOfStep(floor, entry, next), input);
    model.learn(entry);
    floor = next;
  }
  noteWhispers(real, input, decision);
  must(undescribed([...decision.entries, ...decision.refusals]), input);
  must(drift(floor, decision.floor), input);
  must(leaksInEnvelopes(decision), input);
  must(emptyTexts(decision), input);
  must(overheard(real, decision), input);
  must(problemsOfFloor(decision.floor), input);
  must(model.differences(decision.floor), input);
  real.floor = frozen(decision.floor);
  real.log.push(...decision.entries);
  for (const effect of decision.effects) {
    if (effect.kind === "deliver") real.deliveries.push({ id: effect.delivery, to: effect.to.speakerUri });
    else if (effect.kind === "timer") real.timers.push(effect.id);
  }
}

function step(name: () => string, inputOf: (real: Real) => Input | undefined): Step {
  return {
    check: () => true,
    run: (model, real) => {
      const input = inputOf(real);
      if (input !== undefined) take(model, real, frozen(input));
    },
    toString: name,
  };
}

const told = (value: unknown) => JSON.stringify(value);

const speak = fc
  .tuple(fc.oneof({ weight: 20, arbitrary: someone }, { weight: 1, arbitrary: fc.constant(stranger) }), events, facts)
  .map(([speaker, said, found]) =>
    step(
      () => `${speaker} sends ${told(said)} ${told(found)}`,
      () => ({ ...from(speaker, ...said), facts: found }),
    ),
  );

const reply = fc.tuple(fc.nat(), events, fc.option(someone, { nil: undefined, freq: 12 })).map(([which, said, name]) =>
  step(
    () => `delivery ${which} is answered ${told(said)} ${name ?? ""}`,
    ({ deliveries }) => {
      const delivery = deliveries[which % Math.max(1, deliveries.length)];
      if (delivery === undefined) return undefined;
      const speaker = name ?? (delivery.to.startsWith("https") ? stranger : delivery.to);
      return { kind: "answer", delivery: delivery.id, envelope: from(speaker, ...said).envelope };
    },
  ),
);

const newest = fc.tuple(events, facts).map(([said, found]) =>
  step(
    () => `the newest delivery is answered ${told(said)} ${told(found)}`,
    ({ deliveries }) => {
      const delivery = deliveries.at(-1);
      if (delivery === undefined) return undefined;
      return { kind: "answer", delivery: delivery.id, envelope: from(delivery.to, ...said).envelope, facts: found };
    },
  ),
);

const fail = fc
  .tuple(fc.nat(), fc.constantFrom<Failure>("unreachable", "timeout", "no-envelope", "refused"))
  .map(([which, failure]) =>
    step(
      () => `delivery ${which} fails: ${failure}`,
      ({ deliveries }) => {
        const delivery = deliveries[which % Math.max(1, deliveries.length)];
        return delivery && { kind: "answer", delivery: delivery.id, failure };
      },
    ),
  );

const ring = fc.nat().map((which) =>
  step(
    () => `timer ${which} rings`,
    ({ timers }) => {
      const id = timers[which % Math.max(1, timers.length)];
      return id === undefined ? undefined : { kind: "timer", id };
    },
  ),
);

const order = fc.tuple(orders, by).map(([given, commander]) =>
  step(
    () => `${told(commander)} commands ${told(given)}`,
    () => command(given, ...commander),
  ),
);

/** Only the owner, with others, or with others and a convener. */
const company = fc.constantFrom<Input[]>(
  [],
  [seating(ben, "person"), seating(parrot, "agent"), seating(owl, "agent")],
  [seating(parrot, "agent"), seating(chair, "agent"), command({ verb: "convener", serviceUrl: urlOf(chair) })],
);

const history = fc.commands([speak, speak, reply, newest, newest, fail, ring, order], { maxCommands: 60, size: "max" });

const commanded = ["command/pause/owner", "command/pause/person", "command/resume/owner", "command/title/owner"];
const about = `random histories keep the invariants, and the floor is the fold of its log (seed ${seed})`;

test(about, { timeout: timeoutMs }, () => {
  const seen = new Set<string>();
  const property = fc.property(options, company, history, (given, others, commands) => {
    const model = createSpecModel();
    const real: Real = { floor: emptyFloor("conv:1"), log: [], deliveries: [], timers: [], whispers: new Map() };
    const opening = { self, owner: identificationOf(ann), options: { ...defaultOptions, ...given } };
    for (const input of [command({ verb: "open", ...opening }), ...others]) take(model, real, input);
    fc.modelRun(() => ({ model, real }), commands);
    expect(drift(fold("conv:1", JSON.parse(JSON.stringify(real.log))), real.floor)).toEqual([]);
    for (const { because } of real.log) seen.add(because);
  });
  fc.assert(property, { seed, numRuns });
  // The histories must cover most rules.
  if (numRuns >= 1_000) expect(seen.size).toBeGreaterThan(88);
  if (numRuns >= 1_000) for (const one of commanded) expect([...seen]).toContain(one);
});
