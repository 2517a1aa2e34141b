import { type EventOf, type FloorEvent, foldUri, revokeFloor, textOf, uninvite } from "@plenary/protocol";
import { beneficiaryOf, conversantFor, conversantWith, isGranted, isOwner, isPublicUtterance } from "./floor-view.ts";
import { approveOpenly } from "./open.ts";
import type { ConvenerPolicy, FloorView, PastEvent, PolicyInput, Ruling } from "./policy.ts";

export type BudgetOptions = {
  /** Per agent, until the owner grants it the floor again. */
  turnsMax?: number;
  perMinuteMax?: number;
  /** How often the same text may occur among the last utterances. */
  sameWordsMax?: number;
  /** How long a speaker who lost the floor has to wait. */
  pauseMs?: number;
  /** An agent with more violations is uninvited. */
  strikesMax?: number;
};

type Limits = Required<BudgetOptions>;

/** By speaker; the first has been silent for longest. */
type UsageBySpeaker = Readonly<Record<string, Usage>>;

const defaults: Limits = { turnsMax: 100, perMinuteMax: 12, sameWordsMax: 3, pauseMs: 60_000, strikesMax: 3 };
const speakersMax = 128;

/** Everyone may speak, within limits. */
export function budgetPolicy(options: BudgetOptions = {}): ConvenerPolicy<UsageBySpeaker> {
  const limits = { ...defaults, ...options };
  return {
    name: "budget",
    conversationalName: "Budget",
    synopsis:
      "Convenes with a budget: speakers who talk too much, too fast or repeat themselves lose the floor for a while.",
    newState: () => ({}),
    restore: (past, view) => past.reduce((usages, one) => restored(usages, one, view), {} as UsageBySpeaker),
    rule: (usages, input, view) => rule(usages, input, view, limits),
  };
}

/** Counts past utterances. Strikes and pauses are lost with a restart. */
function restored(usages: UsageBySpeaker, { event, sender, atMs }: PastEvent, view: FloorView): UsageBySpeaker {
  if (!isPublicUtterance(event) || isOwner(sender, view)) return usages;
  return withUsage(
    usages,
    sender,
    recordUtterance(usageOf(usages, sender), textOf(event.parameters.dialogEvent), atMs),
  );
}

/** The prefix keeps a speakerUri such as `__proto__` from being a key. */
const keyOf = (speakerUri: string) => `of ${foldUri(speakerUri)}`;

function usageOf(usages: UsageBySpeaker, speakerUri: string): Usage {
  return usages[keyOf(speakerUri)] ?? newUsage;
}

function withUsage(usages: UsageBySpeaker, speakerUri: string, usage: Usage): UsageBySpeaker {
  const { [keyOf(speakerUri)]: _, ...others } = usages;
  const kept = Object.entries(others).slice(1 - speakersMax);
  return Object.fromEntries([...kept, [keyOf(speakerUri), usage]]);
}

function rule(usages: UsageBySpeaker, input: PolicyInput, view: FloorView, limits: Limits): Ruling<UsageBySpeaker> {
  if (input.kind === "appointed" || input.kind === "timer") return { state: usages, events: [] };
  const { kind, event, sender } = input;
  if (kind === "observed") {
    const isCounted = isPublicUtterance(event) && !isOwner(sender, view) && conversantWith(view, sender) !== undefined;
    return isCounted ? onUtterance(usages, { kind, event, sender }, view, limits) : { state: usages, events: [] };
  }
  if (isOwner(sender, view)) return { state: resetGranted(usages, event, view), events: approveOpenly(input, view) };
  if (isPublicUtterance(event)) return onUtterance(usages, { kind, event, sender }, view, limits);
  const isWish = event.eventType === "requestFloor" || event.eventType === "grantFloor";
  const about = isWish ? beneficiaryOf(event, sender, view) : sender;
  const violation = isWish ? blockFor(usageOf(usages, about), about, view, limits) : undefined;
  if (violation !== undefined) return { state: usages, events: [refusal(about, violation)] };
  return { state: usages, events: approveOpenly(input, view) };
}

/** B6: a grant by the owner resets the budget. */
function resetGranted(usages: UsageBySpeaker, event: FloorEvent, view: FloorView): UsageBySpeaker {
  const target = event.eventType === "grantFloor" ? conversantFor(view, event.to) : undefined;
  return target === undefined ? usages : withUsage(usages, target.speakerUri, newUsage);
}

/** Why the speaker may not have the floor now; undefined: it may. */
function blockFor(usage: Usage, speakerUri: string, view: FloorView, limits: Limits): Violation | undefined {
  const leftMs = usage.pausedUntilMs - view.nowMs;
  if (leftMs > 0) return { kind: "pause", text: `ask again in ${Math.ceil(leftMs / 1000)} s` };
  const isSpent = usage.turns >= limits.turnsMax && conversantWith(view, speakerUri)?.isPerson !== true;
  return isSpent
    ? { kind: "turns", text: `all ${limits.turnsMax} turns are used: the owner can give more` }
    : undefined;
}

const refusal = (speakerUri: string, { text }: Violation): FloorEvent =>
  revokeFloor({ to: { speakerUri }, reason: `@brokenPolicy ${text}` });

type Utterance = { kind: "delegated" | "observed"; event: EventOf<"utterance">; sender: string };

/**
 * A delegated utterance, without the floor, passes within the budget; beyond it, it counts as a violation. B7: an addressed
 * agent may answer without the floor, so an observed utterance counts as a violation only with it.
 */
function onUtterance(
  usages: UsageBySpeaker,
  { kind, event, sender }: Utterance,
  view: FloorView,
  limits: Limits,
): Ruling<UsageBySpeaker> {
  const noted = recordUtterance(usageOf(usages, sender), textOf(event.parameters.dialogEvent), view.nowMs);
  const isDelegated = kind === "delegated";
  const block = isDelegated ? blockFor(noted, sender, view, limits) : undefined;
  const isJudged = isDelegated || isGranted(sender, view);
  const violation = block ?? (isJudged ? violationOf(noted, sender, view, limits) : undefined);
  if (violation !== undefined) return penalize(usages, noted, { speakerUri: sender, violation }, view, limits);
  return { state: withUsage(usages, sender, noted), events: isDelegated ? [event] : [] };
}

type SpeakerViolation = { speakerUri: string; violation: Violation };

function penalize(
  usages: UsageBySpeaker,
  usage: Usage,
  offender: SpeakerViolation,
  view: FloorView,
  limits: Limits,
): Ruling<UsageBySpeaker> {
  const { speakerUri, violation } = offender;
  const strikes = usage.strikes + 1;
  const isAgent = conversantWith(view, speakerUri)?.isPerson === false;
  if (isAgent && strikes > limits.strikesMax) {
    const broken = violation.kind === "pause" ? "it had to pause" : violation.text;
    const reason = `@brokenPolicy ${broken}, and it continued`;
    return { state: withUsage(usages, speakerUri, newUsage), events: [uninvite({ to: { speakerUri }, reason })] };
  }
  const pausedUntilMs = Math.max(usage.pausedUntilMs, view.nowMs + limits.pauseMs);
  const state = withUsage(usages, speakerUri, { ...usage, strikes, pausedUntilMs });
  return { state, events: [refusal(speakerUri, violation)] };
}

type Usage = {
  turns: number;
  /** Of the utterances in the last minute. */
  times: readonly number[];
  /** Of the last utterances; not their text. */
  fingerprints: readonly string[];
  /** Number of violations. */
  strikes: number;
  pausedUntilMs: number;
};

const newUsage: Usage = { turns: 0, times: [], fingerprints: [], strikes: 0, pausedUntilMs: 0 };

const minuteMs = 60_000;
const timesMax = 240;
const fingerprintsMax = 16;

function recordUtterance(usage: Usage, text: string, atMs: number): Usage {
  const times = [...usage.times.filter((one) => atMs - one < minuteMs), atMs].slice(-timesMax);
  return {
    ...usage,
    turns: usage.turns + 1,
    times,
    fingerprints: [...usage.fingerprints, fingerprintOf(text)].slice(-fingerprintsMax),
  };
}

type Violation = { kind: "turns" | "rate" | "repetition" | "pause"; text: string };

/** Persons have no limit of turns. */
function violationOf(usage: Usage, speakerUri: string, view: FloorView, limits: Limits): Violation | undefined {
  const { turnsMax, perMinuteMax, sameWordsMax } = limits;
  const last = usage.fingerprints.at(-1);
  if (usage.fingerprints.filter((one) => one === last).length > sameWordsMax) {
    return { kind: "repetition", text: `the same text more than ${times(sameWordsMax)}` };
  }
  if (usage.times.filter((one) => view.nowMs - one < minuteMs).length > perMinuteMax) {
    return { kind: "rate", text: `more than ${times(perMinuteMax)} in a minute` };
  }
  const isOver = usage.turns > turnsMax && conversantWith(view, speakerUri)?.isPerson !== true;
  return isOver ? { kind: "turns", text: `more than ${turnsMax} turns` } : undefined;
}

const times = (count: number) => (count === 1 ? "once" : count === 2 ? "twice" : `${count} times`);

/** Ignores case, spaces and punctuation. FNV-1a and the length. */
function fingerprintOf(text: string): string {
  const folded = text
    .toLowerCase()
    .replaceAll(/[\p{P}\p{Z}\p{C}]+/gu, " ")
    .trim();
  let value = 0x811c9dc5;
  for (let index = 0; index < folded.length; index += 1) {
    value = Math.imul(value ^ folded.charCodeAt(index), 0x01000193);
  }
  return `${(value >>> 0).toString(36)}.${folded.length}`;
}
