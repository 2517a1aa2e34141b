import { type CommandInput, type Decision, type Input, openDelivery } from "@plenary/floor";
import { callConvener, type NewConvener, newConvener } from "./new-convener.ts";
import type { RecordedInput, Recording } from "./recorded-input.ts";
import { forgetMoot, newScratch, type Place, type Scratch, take } from "./simulated-floor.ts";
import type { ConvenerCall, ConvenerReply, Impossible, Replayed, WhatIf } from "./what-if.ts";

type Replaying<Result = void> = Generator<ConvenerCall, Result, ConvenerReply>;

type Run = {
  recording: Recording;
  whatIf: WhatIf;
  scratch: Scratch;
  convener: NewConvener;
  /** Deadlines that were reached in the record ring where they rang. */
  rang: ReadonlySet<string>;
  nowMs: number;
  step: number;
  impossible: Impossible[];
  counts: { taken: number; leftOut: number; moot: number; unasked: number; unknown: number; undecided: number };
};

/**
 * Decides the recorded inputs again, at their times, on a floor that is only thought of. What people, agents and the host
 * did is taken as it was; what the floor did, and what a convener decides that has another's place, is decided anew. Whoever
 * runs it tells the new convener what it is to hear, and nobody else anything.
 */
export function* replay(recording: Recording, whatIf: WhatIf): Replaying<Replayed> {
  const deadlines = recording.inputs.flatMap((input) => (input.kind === "deadline" ? [input.name] : []));
  const run: Run = {
    ...{ recording, whatIf, scratch: newScratch(recording.id), convener: newConvener(whatIf) },
    rang: new Set(whatIf.convener === "recorded" ? deadlines : []),
    ...{ nowMs: 0, step: 0, impossible: [] },
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
  const { scratch, convener, impossible, counts } = run;
  const { entries, stepOfEntry, floor } = scratch;
  const { speakerUri, asked, unanswered } = convener;
  const name = speakerUri !== undefined && { convener: speakerUri };
  return { entries, stepOfEntry, floor, ...name, asked, unanswered, impossible, ...counts };
}

/** A floor rings a little late; what came meanwhile counted in the record, so it counts here. */
const latenessMs = 1_000;

/** Deadlines of the floor, and the times the new convener wished to be woken at, in order. */
function* letTimePass(run: Run, untilMs: number): Replaying {
  const { scratch, convener, rang, recording } = run;
  forgetMoot(scratch);
  for (;;) {
    const isKnown = (name: string) => recording.deliveries.has(name);
    const due = scratch.deadlines
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
      scratch.deadlines = scratch.deadlines.filter((one) => one !== due.deadline);
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

/** What it is here; undefined when there is nothing it could be. */
function inputOf(run: Run, recorded: RecordedInput): Input | undefined {
  const { scratch, whatIf, recording } = run;
  switch (recorded.kind) {
    case "envelope":
      return recorded.input;
    case "command":
      return commandFor(recorded.input, whatIf);
    case "lapsed":
      return { kind: "timer", id: `question:${recorded.question.seq}`, question: recorded.question };
    case "deadline": {
      const deadline = scratch.deadlines.find(({ name }) => name === recorded.name);
      scratch.deadlines = scratch.deadlines.filter((one) => one !== deadline);
      return deadline && { kind: "timer", id: deadline.id };
    }
    case "late": {
      const isNameless = !recording.deliveries.has(recorded.delivery);
      const delivery = scratch.naming.deliveryCalled(recorded.delivery) ?? (isNameless ? recorded.delivery : undefined);
      if (delivery === undefined) return undefined;
      if (openDelivery(scratch.floor, delivery) === undefined) {
        return { kind: "answer", delivery, turn: recorded.turn, ...recorded.unsent };
      }
      run.counts.unknown += 1;
      return undefined;
    }
    case "answer":
      return answerFor(run, recorded);
  }
}

/** The answer to what was never sent here is still what this agent said then: an envelope of its own. */
function answerFor({ scratch, counts }: Run, recorded: Extract<RecordedInput, { kind: "answer" }>): Input | undefined {
  const { input, isDelegation, whisperer } = recorded;
  const delivery = scratch.naming.deliveryCalled(recorded.delivery);
  if (delivery !== undefined) return { ...input, delivery };
  if (input.envelope === undefined) return undefined;
  if (isDelegation) {
    // What a convener returns is its sender's again; said by itself it would be something else (D10).
    counts.moot += 1;
    return undefined;
  }
  counts.unasked += 1;
  const { envelope, dialect, carried, facts, depth } = input;
  return {
    ...{ kind: "envelope", envelope },
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

function placeIn({ nowMs, step, recording }: Run): Place {
  return { at: new Date(nowMs).toISOString(), step, input: recording.inputs[step]?.name ?? "" };
}

/** One decision, and all that the convener has to say to it. */
function* decideOn(run: Run, input: Input, recorded?: RecordedInput): Replaying {
  const decision = take(run.scratch, input, placeIn(run));
  if (recorded !== undefined) noteImpossible(run, recorded, decision);
  if (run.whatIf.convener === "recorded") {
    for (const delivery of neverAsked(run, decision)) yield* decideWithout(run, delivery);
    return;
  }
  run.convener.hears(decision, run.scratch.floor);
  for (let next = run.convener.next(); next !== undefined; next = run.convener.next()) yield* hearConvener(run, next);
}

function* hearConvener(run: Run, call: Parameters<typeof callConvener>[1]): Replaying {
  const { scratch, convener, nowMs } = run;
  const answer = yield* callConvener(convener, call, { floor: scratch.floor, nowMs });
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
function neverAsked({ recording, scratch }: Run, { effects }: Decision): string[] {
  return effects.flatMap((effect) => {
    if (effect.kind !== "deliver" || !effect.isDelegation) return [];
    return recording.deliveries.has(scratch.naming.deliveryName(effect.delivery) ?? "") ? [] : [effect.delivery];
  });
}

/** As if it had not answered (D11). It is not to blame, so that it keeps its role. */
function* decideWithout(run: Run, delivery: string): Replaying {
  const { scratch, counts } = run;
  const { convenerMisses } = scratch.floor;
  counts.undecided += 1;
  scratch.floor = { ...scratch.floor, convenerMisses: 0 };
  yield* decideOn(run, { kind: "answer", delivery, failure: "timeout" });
  scratch.floor = { ...scratch.floor, convenerMisses };
}
