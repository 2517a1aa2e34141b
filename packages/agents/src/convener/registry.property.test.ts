// Random histories on the mind of a real floor: whatever people and agents do, each convener keeps its promises.
import { convenerOf, ownerOf } from "@plenary/floor";
import {
  bye,
  type FloorEvent,
  grantFloor,
  invite,
  requestFloor,
  revokeFloor,
  uninvite,
  yieldFloor,
} from "@plenary/protocol";
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import {
  ann,
  ben,
  ConvenedFloor,
  cleo,
  convener,
  nameOf,
  owl,
  parrot,
  says,
  uri,
  urlOf,
} from "../testing/convened-floor.ts";
import { budgetPolicy } from "./budget.ts";
import { moderatedPolicy } from "./moderated.ts";
import { openPolicy } from "./open.ts";
import type { ConvenerPolicy } from "./policy.ts";
import { queuePolicy, singleSpeakerPolicy } from "./queue-policy.ts";
import { roundRobinPolicy } from "./round-robin.ts";
import { type SpeakerQueue, staleMs } from "./speaker-queue.ts";

const isNightly = process.env.PLENARY_NIGHTLY === "1";
// The nightly run uses new random histories, so that a rare failure does not block the day.
const seed = Number(process.env.PLENARY_SEED ?? (isNightly ? Date.now() % 2 ** 31 : 8));
const numRuns = Number(process.env.RUNS ?? (isNightly ? 2_000 : 40));
vi.setConfig({ testTimeout: numRuns > 40 ? 1_800_000 : 60_000 });
const turnMs = 60_000;

const guest = uri("guest");
const everyone = [ann, ben, cleo, owl, parrot, guest];
const who = fc.constantFrom(...everyone);
const target = fc.constantFrom(...everyone, convener).map((speakerUri) => ({ to: { speakerUri } }));

type Action = { run: (floor: ConvenedFloor<unknown>) => void };

/** A short name for failed histories. */
const named = (name: string, run: Action["run"]): Action => ({ run, [fc.toStringMethod]: () => name }) as Action;
const label = ({ eventType, to }: FloorEvent) => `${eventType} ${nameOf(to?.speakerUri ?? "")}`.trim();

const event: fc.Arbitrary<(by: string) => FloorEvent> = fc.oneof(
  { weight: 6, arbitrary: fc.constant(() => requestFloor()) },
  { weight: 1, arbitrary: target.map((to) => () => requestFloor(to)) },
  { weight: 4, arbitrary: fc.constant(() => yieldFloor()) },
  { weight: 4, arbitrary: fc.constantFrom("yes", "well", "and").map((text) => (by: string) => says(by, text)) },
  {
    weight: 2,
    arbitrary: target.map(
      ({ to }) =>
        (by: string) =>
          says(by, "yes", to),
    ),
  },
  {
    weight: 1,
    arbitrary: target.map(
      ({ to }) =>
        (by: string) =>
          says(by, "psst", { ...to, private: true }),
    ),
  },
  { weight: 1, arbitrary: fc.constant(() => bye()) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(owl, parrot).map((speakerUri) => () => {
      return invite({ to: { speakerUri, serviceUrl: urlOf(speakerUri) } });
    }),
  },
  {
    weight: 4,
    arbitrary: fc.tuple(fc.constantFrom(grantFloor, revokeFloor, uninvite), target).map(
      ([make, to]) =>
        () =>
          make(to),
    ),
  },
);

const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 20,
    arbitrary: fc.tuple(who, fc.array(event, { minLength: 1, maxLength: 2 })).map(([by, makers]) => {
      const name = `${nameOf(by)}: ${makers.map((make) => label(make(by))).join(", ")}`;
      return named(name, (floor) => floor.send(by, ...makers.map((make) => make(by))));
    }),
  },
  {
    weight: 4,
    arbitrary: fc
      .constantFrom(10, 3_000, 30_000, turnMs, 300_000)
      .map((ms) => named(`${ms} ms pass`, (floor) => floor.pass(ms))),
  },
  { weight: 1, arbitrary: fc.constant(named("a guest comes in", (floor) => floor.seat(guest, "person"))) },
  {
    weight: 1,
    arbitrary: fc.constant(
      named("owl will answer", (floor) => floor.answering(owl, [requestFloor(), says(owl, "because")])),
    ),
  },
  { weight: 3, arbitrary: fc.constant(named("answers arrive", (floor) => floor.settle())) },
);

const history = fc.array(action, { minLength: 5, maxLength: 40 });
const lag = fc.constantFrom(0, 0, 0, 1, 3);

/** What is promised by every convener, of the whole log. What is overtaken by something else may be refused. */
function promises(floor: ConvenedFloor<unknown>, isLate: boolean): string[] {
  const said = floor.log.flatMap((entry) =>
    entry.kind === "event" && entry.event.eventType === "utterance" ? [entry.event.parameters.dialogEvent.id] : [],
  );
  const allowed = ["grantFloor", "revokeFloor", "uninvite", "utterance"];
  const stray = floor.convenerEvents.filter(({ eventType }) => !allowed.includes(eventType));
  const refused = floor.log.filter((entry) => {
    return !isLate && entry.kind === "refused" && entry.sender === convener && entry.because.startsWith("guard/");
  });
  return [
    ...(new Set(said).size === said.length || floor.wasLate ? [] : ["something was said twice"]),
    ...stray.map(({ eventType }) => `the convener did ${eventType}`),
    ...refused.map((entry) => `the convener was refused something: ${JSON.stringify(entry)}`),
  ];
}

/**
 * Lives through a history. It is looked at after each step, or, where answers of the convener are overtaken by what others
 * do, when all have arrived, and again when the convener has heard something more.
 */
function live<State>(policy: ConvenerPolicy<State>, look: (floor: ConvenedFloor<State>) => void) {
  const isOver = ({ floor }: ConvenedFloor<State>) => floor.isClosed || convenerOf(floor) === undefined;
  return fc.property(history, lag, (events, late) => {
    const floor = new ConvenedFloor(policy, { people: [ann, ben, cleo], agents: [owl], lag: late });
    for (const { run } of events) {
      if (isOver(floor)) break;
      run(floor as ConvenedFloor<unknown>);
      if (late === 0 && !isOver(floor)) look(floor);
    }
    floor.settle();
    if (!isOver(floor) && !floor.wasLate) look(floor);
    floor.pass(staleMs);
    floor.send(ownerOf(floor.floor) ?? ann, says(ann, "so"));
    floor.settle();
    if (!isOver(floor)) look(floor);
    expect(promises(floor as ConvenedFloor<unknown>, late > 0)).toEqual([]);
  });
}

const about = (promise: string) => `${promise} (seed ${seed})`;
const alone = [queuePolicy({ turnMs }), singleSpeakerPolicy({ turnMs })];

function oneSpeaker<State>(floor: ConvenedFloor<State>): void {
  const speakers = floor.speakers.filter((one) => !floor.unseen.includes(one));
  expect(speakers.length, `${speakers.join(", ")} have the floor`).toBeLessThanOrEqual(1);
}

test.each(alone.map((policy) => [policy.name, policy] as const))(
  about("%s: never two speakers, and those who wait stand in the order of asking"),
  (_name, policy) => {
    const look = (floor: ConvenedFloor<SpeakerQueue>) => {
      oneSpeaker(floor);
      const owner = ownerOf(floor.floor);
      const since = floor.state.waiting.filter(({ speakerUri }) => speakerUri !== owner).map(({ sinceMs }) => sinceMs);
      expect(since).toEqual(since.toSorted((a, b) => a - b));
    };
    fc.assert(live(policy, look), { seed, numRuns });
  },
);

test.each(alone.map((policy) => [policy.name, policy] as const))(
  about("%s: no speaker waits longer than one turn of each speaker before"),
  (_name, policy) => {
    let waited = 0;
    const property = fc.property(history, (events) => {
      const floor = new ConvenedFloor(policy, { people: [ann, ben, cleo], agents: [owl] });
      for (const { run } of events) run(floor as ConvenedFloor<unknown>);
      if (floor.floor.isClosed || convenerOf(floor.floor) === undefined) return;
      floor.answering(owl, []);
      // A person's word lets agents go on that were stopped for talking too much.
      floor.send(ownerOf(floor.floor) ?? ann, says(ann, "go on"));
      const waiting = floor.state.waiting.filter(({ wantsFloor }) => wantsFloor).map(({ speakerUri }) => speakerUri);
      waited += waiting.length;
      const from = floor.log.length;
      floor.pass((floor.state.waiting.length + 1) * turnMs);
      const granted = floor.since(from).filter((one) => one.startsWith("chair: grantFloor"));
      expect(granted).toEqual(waiting.map((one) => `chair: grantFloor ${nameOf(one)}`));
      expect(floor.state.waiting).toEqual([]);
    });
    fc.assert(property, { seed, numRuns });
    // Histories without waiting speakers prove nothing.
    expect(waited).toBeGreaterThan(0);
  },
);

test(about("round-robin: never two speakers (C12)"), () => {
  fc.assert(live(roundRobinPolicy(), oneSpeaker), { seed, numRuns });
});

test(about("moderated: only speakers approved by the owner have the floor"), () => {
  const look = (floor: ConvenedFloor<ReturnType<typeof moderatedPolicy.newState>>) => {
    const allowed = floor.state.allowed.map(nameOf);
    const others = floor.speakers.filter((one) => !allowed.includes(one) && !floor.unseen.includes(one));
    expect(others).toEqual([]);
  };
  fc.assert(live(moderatedPolicy, look), { seed, numRuns });
});

test(about("C2, C4, C7: budget and open keep the promises of any convener"), () => {
  const strict = budgetPolicy({ turnsMax: 5, perMinuteMax: 3, sameWordsMax: 1, strikesMax: 1 });
  fc.assert(
    live(strict, () => {}),
    { seed, numRuns },
  );
  fc.assert(
    live(openPolicy, () => {}),
    { seed, numRuns },
  );
});
