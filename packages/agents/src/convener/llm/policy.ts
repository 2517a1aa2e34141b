import { type FloorEvent, foldUri, isSameUri, textOf } from "@plenary/protocol";
import { revoke } from "../events.ts";
import { isGranted, isOwner, isPublicUtterance } from "../floor-view.ts";
import type { ConvenerPolicy, FloorView, PolicyInput, Ruling } from "../policy.ts";
import { moveToFront, positionOf, type SpeakerQueue } from "../speaker-queue.ts";
import {
  type Choice,
  type Question,
  questionAbout,
  type RecentUtterance,
  recentMax,
  refusalText,
  utteranceCharsMax,
} from "./prompt.ts";

/** By folded speakerUri. */
type Counts = Readonly<Record<string, number>>;

export type LlmPolicyState = {
  queue: SpeakerQueue;
  /** Refused requests in a row. */
  refused: Counts;
  /** How often the model preferred a speaker who had waited less long. */
  passedOver: Counts;
  /** Utterances let through during the current turn, beside the speaker's own. */
  interruptions: Counts;
  /** Public utterances, oldest first. */
  recent: readonly RecentUtterance[];
  /** Used by the adviser only. */
  modelAnswers: BackoffState;
};

/** `speakerUri` is the chosen speaker of a `next` question. */
export type Advice = { question: Question; choice: Choice; speakerUri?: string | undefined };

/** Without advice it rules like its base policy. */
export type LlmConvenerPolicy = ConvenerPolicy<LlmPolicyState> & {
  /** The question to ask a model before the ruling; undefined: the rules decide. */
  questionFor: (state: LlmPolicyState, input: PolicyInput, view: FloorView) => Question | undefined;
  /** Ignores advice that no longer fits: the floor may have changed since the question. */
  ruleWith: (advice: Advice, state: LlmPolicyState, input: PolicyInput, view: FloorView) => Ruling<LlmPolicyState>;
};

// Beyond these counts the rules decide: no speaker starves or is interrupted for ever, whatever the prompt contained.
const refusedMax = 2;
const passedOverMax = 2;
const interruptionsMax = 2;
const choicesMax = 20;

/** Lets a model decide where the queue policy leaves a choice. */
export function createLlmPolicy(base: ConvenerPolicy<SpeakerQueue>): LlmConvenerPolicy {
  const { restore, ...about } = base;
  const rule: LlmConvenerPolicy["rule"] = (state, input, view) => {
    const { state: queue, ...ruling } = base.rule(state.queue, input, view);
    const recent = input.kind === "observed" ? withRecent(state.recent, [input.event], input.sender) : state.recent;
    const next = resetCounts({ ...state, queue }, ruling.events, view);
    return { ...ruling, state: { ...next, recent: withRecent(recent, ruling.events) } };
  };
  const questionFor: LlmConvenerPolicy["questionFor"] = (state, input, view) => {
    const ruling = base.rule(state.queue, input, view);
    const question = questionAbout(input, view) ?? nextOf(state, ruling, view);
    return question === undefined || isDecidedByRule(question, state, ruling, view) ? undefined : question;
  };
  return {
    ...about,
    name: "llm",
    newState: () => stateWith(base.newState()),
    ...(restore && { restore: (past, view: FloorView) => stateWith(restore(past, view)) }),
    rule,
    questionFor,
    ruleWith({ question: asked, choice: { choice, why }, speakerUri }, state, input, view) {
      const question = questionFor(state, input, view);
      if (question?.kind !== asked.kind) return rule(state, input, view);
      if (question.kind === "next") return rule(prefer(speakerUri, state, question.waiting), input, view);
      // An approved request still waits for its turn, and so does an invited agent.
      const outcome =
        choice === "refuse" ? refuse(question, refusalText(why), state) : letThrough(question, choice, state);
      if (outcome === undefined) return rule(state, input, view);
      // Timeouts and extra speakers are handled in the same ruling.
      const upkeep = rule(outcome.state, { kind: "timer" }, view);
      const recent = withRecent(upkeep.state.recent, outcome.events);
      return { ...upkeep, state: { ...upkeep.state, recent }, events: [...outcome.events, ...upkeep.events] };
    },
  };
}

type Outcome = Pick<Ruling<LlmPolicyState>, "state" | "events">;

function stateWith(queue: SpeakerQueue): LlmPolicyState {
  return { queue, refused: {}, passedOver: {}, interruptions: {}, recent: [], modelAnswers: { backoff: noBackoff } };
}

/** A question arises when the base policy grants the floor to one of several waiting speakers. */
function nextOf({ queue }: LlmPolicyState, { events }: Ruling<SpeakerQueue>, view: FloorView): Question | undefined {
  const waiting = queue.waiting.slice(0, choicesMax).map(({ speakerUri }) => speakerUri);
  const [chosen, another] = events.filter(({ eventType }) => eventType === "grantFloor");
  if (chosen === undefined || another !== undefined || waiting.length < 2) return undefined;
  const isOwners = waiting.some((one) => isOwner(one, view));
  return isOwners || !isAmong(chosen.to?.speakerUri ?? "", waiting) ? undefined : { kind: "next", waiting };
}

function isDecidedByRule(
  question: Question,
  state: LlmPolicyState,
  { events }: Ruling<SpeakerQueue>,
  view: FloorView,
): boolean {
  const { queue, refused, interruptions, passedOver } = state;
  switch (question.kind) {
    case "floor":
      // A waiting speaker who asks again keeps its position.
      return positionOf(queue, question.about) !== -1 || countOf(refused, question.about) >= refusedMax;
    case "words": {
      const { sender } = question;
      const hasHeld = (queue.waiting[positionOf(queue, sender)]?.utterances ?? []).length > 0;
      return hasHeld || isGranted(sender, view) || countOf(interruptions, sender) >= interruptionsMax;
    }
    case "invite":
    case "uninvite":
      // A model may be stricter than the rules about invites and uninvites, never laxer.
      return !events.includes(question.event);
    case "next":
      return question.waiting.some((one) => countOf(passedOver, one) >= passedOverMax);
  }
}

function prefer(speakerUri: string | undefined, state: LlmPolicyState, waiting: readonly string[]): LlmPolicyState {
  const at = waiting.findIndex((one) => speakerUri !== undefined && isSameUri(one, speakerUri));
  const chosen = waiting[at];
  if (chosen === undefined) return state;
  const passedOver = waiting.slice(0, at).reduce(increment, state.passedOver);
  return { ...state, queue: moveToFront(state.queue, chosen), passedOver };
}

/** Undefined: the base policy rules. */
function letThrough(question: Refusable, choice: string, state: LlmPolicyState): Outcome | undefined {
  if (question.kind !== "words" || choice !== "approve") return undefined;
  const { event, sender } = question;
  const interruptions = state.queue.holder === undefined ? state.interruptions : increment(state.interruptions, sender);
  return { state: { ...state, interruptions }, events: [event] };
}

type Refusable = Exclude<Question, { kind: "next" }>;

function refuse(question: Refusable, reason: string, state: LlmPolicyState): Outcome {
  if (question.kind === "words") return { state, events: [revoke(question.sender, reason)] };
  // A revokeFloor would take the sender's own floor. The floor drops the event and answers the sender.
  if (question.kind !== "floor") return { state, events: [] };
  const refused = increment(state.refused, question.about);
  return { state: { ...state, refused }, events: [revoke(question.about, reason)] };
}

/** For speakers who got the floor or left. */
function resetCounts(state: LlmPolicyState, events: readonly FloorEvent[], { conversants }: FloorView): LlmPolicyState {
  const granted = events.flatMap(({ eventType, to }) => (eventType === "grantFloor" ? (to?.speakerUri ?? []) : []));
  const kept = conversants.map(({ speakerUri }) => speakerUri).filter((one) => !isAmong(one, granted));
  const { refused, passedOver, interruptions } = state;
  return {
    ...state,
    refused: onlyOf(kept, refused),
    passedOver: onlyOf(kept, passedOver),
    interruptions: granted.length > 0 || state.queue.holder === undefined ? {} : interruptions,
  };
}

/** The floor does not report utterances back that the convener passes on; their dialog events name the speaker. */
function withRecent(
  recent: readonly RecentUtterance[],
  events: readonly FloorEvent[],
  sender?: string,
): readonly RecentUtterance[] {
  const utterances = events.filter(isPublicUtterance).map(({ parameters: { dialogEvent } }) => ({
    speakerUri: sender ?? dialogEvent.speakerUri,
    text: textOf(dialogEvent).slice(0, utteranceCharsMax),
  }));
  return utterances.length === 0 ? recent : [...recent, ...utterances].slice(-recentMax);
}

function onlyOf(speakers: readonly string[], counts: Counts): Counts {
  const folded = new Set(speakers.map(foldUri));
  return Object.fromEntries(Object.entries(counts).filter(([speaker]) => folded.has(speaker)));
}

function increment(counts: Counts, speakerUri: string): Counts {
  return { ...counts, [foldUri(speakerUri)]: countOf(counts, speakerUri) + 1 };
}

function countOf(counts: Counts, speakerUri: string): number {
  const key = foldUri(speakerUri);
  return Object.hasOwn(counts, key) ? (counts[key] ?? 0) : 0;
}

function isAmong(speakerUri: string, others: readonly string[]): boolean {
  return others.some((other) => isSameUri(other, speakerUri));
}

/** After several failures in a row the model is not asked for a while. */
export type Backoff = { failures: number; untilMs: number };

/** One for the endpoint, shared by all conversations, and one per conversation for the model's answers. */
export type BackoffState = { backoff: Backoff };

export const noBackoff: Backoff = { failures: 0, untilMs: 0 };

const failuresMax = 3;
const restMs = 5_000;
const restMsMax = 120_000;

export function mayAsk({ untilMs }: Backoff, nowMs: number): boolean {
  return nowMs >= untilMs;
}

/** Waits for `retryAfterMs` of the endpoint, up to a limit, if that is longer than our own backoff. */
export function afterFailure({ failures }: Backoff, nowMs: number, retryAfterMs = 0): Backoff {
  const count = failures + 1;
  const ownMs = count < failuresMax ? 0 : restMs * 2 ** Math.min(count - failuresMax, 10);
  return { failures: count, untilMs: nowMs + Math.min(Math.max(ownMs, retryAfterMs), restMsMax) };
}
