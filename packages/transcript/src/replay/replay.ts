import { type CommandInput, type Decision, type Input, openDelivery } from "@plenary/floor";
import { callConvener, type NewConvener, newConvener } from "./convener-calls.ts";
import type { RecordedInput, Recording } from "./recorded-input.ts";
import {
  decideInput,
  dropSettledDeadlines,
  type InputPosition,
  newSimulatedFloor,
  type SimulatedFloor,
} from "./simulated-floor.ts";
import type { ConvenerCall, ConvenerReply, Impossible, Replayed, WhatIf } from "./what-if.ts";

type Replaying<Result = void> = Generator<ConvenerCall, Result, ConvenerReply>;

type Run = {
  recording: Recording;
  whatIf: WhatIf;
  simulated: SimulatedFloor;
  convener: NewConvener;
  /** Recorded deadlines, which fire at their recorded time. */
  rang: ReadonlySet<string>;
  nowMs: number;
  step: number;
  impossible: Impossible[];
  counts: { taken: number; leftOut: number; moot: number; unasked: number; unknown: number; undecided: number };
};

/**
 * Decides the recorded inputs again, at their times, on a simulated floor. Inputs of people, agents and the host
 * stay as recorded; the floor, and a replaced convener, decide anew. The
 * caller passes each yielded call to the new convener and performs no other effect.
 */
export function* replay(recording: Recording, whatIf: WhatIf): Replaying<Replayed> {
  const deadlines = recording.inputs.flatMap((input) => (input.kind === "deadline" ? [input.name] : []));
  const run: Run = {
    recording,
    whatIf,
    simulated: newSimulatedFloor(recording.id),
    convener: newConvener(whatIf),
    rang: new Set(whatIf.convener === "recorded" ? deadlines : []),
    nowMs: 0,
    step: 0,
    impossible: [],
    counts: { taken: 0, leftOut: 0, moot: 0, unasked: 0, unknown: 0, undecided: 0 },
  };
  for (const [step, input] of recording.inputs.entries()) {
    run.step = step;
    const atMs = Date.parse(input.at);
    if (step > 0) yield* letTimePass(run, atMs);
    run.nowMs = Math.max(run.nowMs, atMs);
    yield* enter(run, input);
  }
  yield* letTimePass(run, Date.parse(recording.endsAt));
  const { simulated, convener, impossible, counts } = run;
  const { entries, stepOfEntry, floor } = simulated;
  const { speakerUri, asked, unanswered } = convener;
  const name = speakerUri !== undefined && { convener: speakerUri };
  return { entries, stepOfEntry, floor, ...name, asked, unanswered, impossible, ...counts };
}

/** Timers fire a little late. Recorded inputs that arrived meanwhile counted, so they count here. */
const latenessMs = 1_000;

/** Fires the floor's deadlines and the new convener's wake-ups, in order. */
function* letTimePass(run: Run, untilMs: number): Replaying {
  const { simulated, convener, rang, recording } = run;
  dropSettledDeadlines(simulated);
  for (;;) {
    const isKnown = (name: string) => recording.deliveries.has(name);
    const due = simulated.deadlines
      .filter(({ name }) => !rang.has(name))
      .map((deadline) => ({ deadline, atMs: deadline.atMs + (isKnown(deadline.name) ? latenessMs : 0) }))
      .filter(({ atMs }) => atMs <= untilMs)
      .sort((one, other) => one.atMs - other.atMs)[0];
    const wakeAtMs = convener.wakeAtMs ?? Number.POSITIVE_INFINITY;
    if (wakeAtMs <= untilMs && wakeAtMs <= (due?.atMs ?? wakeAtMs)) {
      run.nowMs = Math.max(run.nowMs, wakeAtMs);
      yield* hearConvener(run, { kind: "time" });
    } else if (due !== undefined) {
      run.nowMs = Math.max(run.nowMs, due.atMs);
      simulated.deadlines = simulated.deadlines.filter((one) => one !== due.deadline);
      yield* decideOn(run, { kind: "timer", id: due.deadline.id });
    } else {
      return;
    }
  }
}

function* enter(run: Run, recorded: RecordedInput): Replaying {
  const { whatIf, counts, convener } = run;
  const isNewConveners = convener.speakerUri !== undefined && recorded.sender === convener.speakerUri;
  if (whatIf.convener !== "recorded" && (recorded.isConveners || isNewConveners)) {
    if (recorded.kind !== "deadline") counts.leftOut += 1;
    return;
  }
  const input = inputOf(run, recorded);
  if (input === undefined) return;
  counts.taken += 1;
  yield* decideOn(run, input, recorded);
}

/** The recorded input for this replay; undefined when it has no counterpart. */
function inputOf(run: Run, recorded: RecordedInput): Input | undefined {
  const { simulated, whatIf, recording } = run;
  switch (recorded.kind) {
    case "envelope":
      return recorded.input;
    case "command":
      return commandFor(recorded.input, whatIf);
    case "lapsed":
      return { kind: "timer", id: `question:${recorded.question.seq}`, question: recorded.question };
    case "deadline": {
      const deadline = simulated.deadlines.find(({ name }) => name === recorded.name);
      simulated.deadlines = simulated.deadlines.filter((one) => one !== deadline);
      return deadline && { kind: "timer", id: deadline.id };
    }
    case "late": {
      const isNameless = !recording.deliveries.has(recorded.delivery);
      const delivery =
        simulated.naming.deliveryCalled(recorded.delivery) ?? (isNameless ? recorded.delivery : undefined);
      if (delivery === undefined) return undefined;
      if (openDelivery(simulated.floor, delivery) === undefined) {
        return { kind: "answer", delivery, turn: recorded.turn, ...recorded.unsent };
      }
      run.counts.unknown += 1;
      return undefined;
    }
    case "answer":
      return answerFor(run, recorded);
  }
}

/** An answer whose delivery does not exist in the replay becomes an envelope of its own. */
function answerFor(
  { simulated, counts }: Run,
  recorded: Extract<RecordedInput, { kind: "answer" }>,
): Input | undefined {
  const { input, isDelegation, whisperer } = recorded;
  const delivery = simulated.naming.deliveryCalled(recorded.delivery);
  if (delivery !== undefined) return { ...input, delivery };
  if (input.envelope === undefined) return undefined;
  if (isDelegation) {
    // A returned event belongs to its sender (D10), so it cannot become an envelope of the convener.
    counts.moot += 1;
    return undefined;
  }
  counts.unasked += 1;
  const { envelope, dialect, carried, facts, depth } = input;
  return {
    kind: "envelope",
    envelope,
    ...(dialect && { dialect }),
    ...(carried && { carried }),
    ...(facts && { facts }),
    ...(depth !== undefined && { depth }),
    ...(whisperer !== undefined && { whisperer }),
  };
}

function commandFor(input: CommandInput, { convener, options }: WhatIf): CommandInput {
  const { command } = input;
  if (command.verb !== "open") return input;
  const { convener: chosen, ...others } = command.options;
  const next = convener === "recorded" ? chosen : convener === "none" ? undefined : convener.serviceUrl;
  const changed = { ...others, ...options, ...(next !== undefined && { convener: next }) };
  return { ...input, command: { ...command, options: changed } };
}

function positionOf({ nowMs, step, recording }: Run): InputPosition {
  return { at: new Date(nowMs).toISOString(), step, input: recording.inputs[step]?.name ?? "" };
}

/** Decides one input and handles the convener's calls that follow. */
function* decideOn(run: Run, input: Input, recorded?: RecordedInput): Replaying {
  const decision = decideInput(run.simulated, input, positionOf(run));
  if (recorded !== undefined) noteImpossible(run, recorded, decision);
  if (run.whatIf.convener === "recorded") {
    for (const delivery of neverAsked(run, decision)) yield* decideWithout(run, delivery);
    return;
  }
  run.convener.hears(decision, run.simulated.floor);
  for (let next = run.convener.next(); next !== undefined; next = run.convener.next()) yield* hearConvener(run, next);
}

function* hearConvener(run: Run, call: Parameters<typeof callConvener>[1]): Replaying {
  const { simulated, convener, nowMs } = run;
  const answer = yield* callConvener(convener, call, { floor: simulated.floor, nowMs });
  if (answer !== undefined) yield* decideOn(run, answer);
}

function noteImpossible(run: Run, { seq, sender, ...recorded }: RecordedInput, { entries, refusals }: Decision): void {
  const isMissed = recorded.kind === "answer" && recorded.input.envelope === undefined;
  const isLate = recorded.kind === "answer" && entries[0]?.kind === "late";
  const because = isLate ? entries[0]?.because : entries.length === 0 ? refusals[0]?.because : undefined;
  if (because === undefined || isMissed || because.startsWith("command/erase") || because.startsWith("command/reveal"))
    return;
  const input = "input" in recorded ? recorded.input : undefined;
  const events = input !== undefined && "envelope" in input ? (input.envelope?.events ?? []) : [];
  const eventTypes = events.map(({ eventType }) => eventType);
  run.impossible.push({ seq, ...(sender !== undefined && { sender }), eventTypes, because });
}

/** Delegations that the recorded convener was never asked about. */
function neverAsked({ recording, simulated }: Run, { effects }: Decision): string[] {
  return effects.flatMap((effect) => {
    if (effect.kind !== "deliver" || !effect.isDelegation) return [];
    return recording.deliveries.has(simulated.naming.deliveryName(effect.delivery) ?? "") ? [] : [effect.delivery];
  });
}

/** As if it had not answered (D11), but without counting a miss, so it keeps its role. */
function* decideWithout(run: Run, delivery: string): Replaying {
  const { simulated, counts } = run;
  const { convenerMisses } = simulated.floor;
  counts.undecided += 1;
  simulated.floor = { ...simulated.floor, convenerMisses: 0 };
  yield* decideOn(run, { kind: "answer", delivery, failure: "timeout" });
  simulated.floor = { ...simulated.floor, convenerMisses };
}
