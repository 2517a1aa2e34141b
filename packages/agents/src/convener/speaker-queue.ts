// Who has the floor and who waits for it, in order. Knows what has become of them, and no rule about who comes next.
import { type EventOf, isSameUri } from "@plenary/protocol";
import { conversantFor, conversantNamed, isGranted, leaverIn } from "./floor-view.ts";
import type { Matter, Sight } from "./policy.ts";

type Waiting = {
  speakerUri: string;
  sinceMs: number;
  /** It wants the floor; else it only wants its words to be heard. */
  wantsFloor: boolean;
  /** What it said without the floor, to be heard when its turn comes. */
  words: readonly EventOf<"utterance">[];
};

export type Line = {
  holder?: Holder;
  waiting: readonly Waiting[];
  /** Whom the convener took the floor from a moment ago: envelopes under way do not know it yet. */
  settled: readonly Since[];
  /** Who may have the floor although no envelope says so: what ended its turn may have happened before the grant. */
  doubted: readonly Since[];
  /** How much the convener has said. */
  count: number;
};

export type Holder = {
  speakerUri: string;
  /** When its time began. */
  sinceMs: number;
  /** When the convener last gave it the floor. */
  givenMs: number;
  /** It may have had the floor before that too, so an envelope that tells so may be from before. */
  hadBefore: boolean;
  /** An envelope that was written after the grant has told that it has the floor. */
  isSeen: boolean;
  /** It was heard in this turn. */
  hasSpoken?: true;
};

type Since = { speakerUri: string; atMs: number };

export const newLine: Line = { waiting: [], settled: [], doubted: [], count: 0 };

/** As many as a floor has conversants. */
const waitingMax = 64;
const wordsMax = 8;
export const wordsCharsMax = 64_000;

/** So long what an envelope says of the floor may be older than what the convener has ruled. */
export const staleMs = 5_000;

export function isHolder({ holder }: Line, speakerUri: string): boolean {
  return holder !== undefined && isSameUri(holder.speakerUri, speakerUri);
}

export function placeOf({ waiting }: Line, speakerUri: string): number {
  return waiting.findIndex((one) => isSameUri(one.speakerUri, speakerUri));
}

/**
 * What was heard since, and who is missing. The floor is the authority, and tells things in their order; but what was
 * under way when the convener last ruled knows nothing of that ruling.
 */
export function tidy(line: Line, matter: Matter, sight: Sight): Line {
  const leaver = leaverIn(matter, sight);
  const loser = loserIn(matter, sight.self);
  let next = recognise(withoutOld(line, matter, sight), matter, sight);
  if (leaver !== undefined) next = forget(next, leaver);
  if (loser !== undefined && isHolder(next, loser)) next = lose(next, sight);
  return withoutMissing(next, matter, sight);
}

/** What an envelope says now needs no remembering. */
function withoutOld(line: Line, matter: Matter, sight: Sight): Line {
  const isGiven = (one: string) => isSameUri(one, givenIn(matter, sight) ?? "");
  const settled = line.settled.filter((one) => isUnknown(one, sight) && !isGiven(one.speakerUri));
  const isOpen = ({ speakerUri, atMs }: Since) => isGranted(speakerUri, sight) || sight.nowMs - atMs < staleMs;
  const doubted = sight.isAmended === true ? line.doubted : line.doubted.filter(isOpen);
  return { ...line, settled, doubted };
}

/** True while envelopes go on telling that it has the floor, and for no longer than they may be late. */
export function isUnknown({ speakerUri, atMs }: Since, sight: Sight): boolean {
  return sight.nowMs - atMs < staleMs && (sight.isAmended === true || isGranted(speakerUri, sight));
}

/** Who was given the floor without the convener, because it did not answer in time. */
function givenIn(matter: Matter, sight: Sight): string | undefined {
  if (matter.kind !== "told" || matter.event.eventType !== "grantFloor") return undefined;
  return conversantFor(sight, matter.event.to)?.speakerUri;
}

function recognise(line: Line, { kind }: Matter, sight: Sight): Line {
  const { holder } = line;
  if (holder === undefined || holder.isSeen || kind === "time" || sight.isAmended === true) return line;
  const isSeen = !holder.hadBefore && isGranted(holder.speakerUri, sight);
  return isSeen ? { ...line, holder: { ...holder, isSeen } } : line;
}

/** Whose turn ends by something that may have happened before the turn began is not believed to be without the floor. */
function lose(line: Line, { nowMs }: Sight): Line {
  const { holder } = line;
  if (holder === undefined) return line;
  const isCertain = holder.isSeen || nowMs - holder.givenMs >= staleMs;
  return isCertain ? free(line) : doubt(free(line), holder.speakerUri, nowMs);
}

function withoutMissing(line: Line, { kind }: Matter, sight: Sight): Line {
  const { nowMs } = sight;
  const isGone = (speakerUri: string, sinceMs: number) =>
    nowMs - sinceMs >= staleMs && conversantNamed(sight, speakerUri) === undefined;
  const waiting = line.waiting.filter(({ speakerUri, sinceMs }) => !isGone(speakerUri, sinceMs));
  const next = { ...line, waiting };
  const { holder } = next;
  // At a time that has come nothing new is known of the floor.
  if (holder === undefined || kind === "time" || nowMs - holder.givenMs < staleMs) return next;
  // The floor may have refused the grant.
  return isGranted(holder.speakerUri, sight) ? next : doubt(free(next), holder.speakerUri, nowMs);
}

/** Who has the floor no longer, by what was told; what the convener did itself it knows. */
function loserIn(matter: Matter, self: string): string | undefined {
  if (matter.kind !== "told" || isSameUri(matter.sender, self)) return undefined;
  const { event, sender } = matter;
  if (event.eventType === "yieldFloor") return sender;
  return event.eventType === "revokeFloor" ? event.to?.speakerUri : undefined;
}

export function free(line: Line): Line {
  const { holder: _, ...rest } = line;
  return rest;
}

export function leave(line: Line, speakerUri: string): Line {
  const waiting = line.waiting.filter((one) => !isSameUri(one.speakerUri, speakerUri));
  const next = waiting.length === line.waiting.length ? line : { ...line, waiting };
  return isHolder(next, speakerUri) ? free(next) : next;
}

/** Whoever has gone and comes back has the floor by coming. */
export function forget(line: Line, speakerUri: string): Line {
  return leave({ ...line, ...withoutDoubtOf(line, speakerUri) }, speakerUri);
}

export function settle(line: Line, speakerUri: string, atMs: number): Line {
  const { settled, doubted } = withoutDoubtOf(line, speakerUri);
  return { ...line, doubted, settled: [...settled, { speakerUri, atMs }].slice(-waitingMax) };
}

function doubt(line: Line, speakerUri: string, atMs: number): Line {
  const { settled, doubted } = withoutDoubtOf(line, speakerUri);
  return { ...line, settled, doubted: [...doubted, { speakerUri, atMs }].slice(-waitingMax) };
}

function withoutDoubtOf({ settled, doubted }: Line, speakerUri: string): Pick<Line, "settled" | "doubted"> {
  const isOther = (one: Since) => !isSameUri(one.speakerUri, speakerUri);
  return { settled: settled.filter(isOther), doubted: doubted.filter(isOther) };
}

export function isSettled({ settled }: Line, speakerUri: string): boolean {
  return settled.some((one) => isSameUri(one.speakerUri, speakerUri));
}

export function hold(line: Line, speakerUri: string, sinceMs: number): Line {
  const isThis = (one: Since) => isSameUri(one.speakerUri, speakerUri);
  const hadBefore = isHolder(line, speakerUri) || line.settled.some(isThis) || line.doubted.some(isThis);
  return { ...forget(line, speakerUri), holder: { speakerUri, sinceMs, givenMs: sinceMs, hadBefore, isSeen: false } };
}

/** Who has the floor is given it once more, in the same turn. */
export function holdOn(line: Line, givenMs: number): Line {
  const { holder } = line;
  return holder === undefined ? line : { ...line, holder: { ...holder, givenMs, hadBefore: true, isSeen: false } };
}

/** The one who has the floor was heard. */
export function heard(line: Line): Line {
  return line.holder === undefined ? line : { ...line, holder: { ...line.holder, hasSpoken: true } };
}

/** Its time begins anew. */
export function renew(line: Line, sinceMs: number): Line {
  return line.holder === undefined ? line : { ...line, holder: { ...line.holder, sinceMs } };
}

/** At the end, or where it stands already. */
export function queueUp(line: Line, speakerUri: string, sinceMs: number): Line {
  const at = placeOf(line, speakerUri);
  const before = line.waiting[at];
  if (before !== undefined) return { ...line, waiting: line.waiting.with(at, { ...before, wantsFloor: true }) };
  return append(line, { speakerUri, sinceMs, wantsFloor: true, words: [] });
}

/** Whoever speaks without the floor raises a hand. Undefined when that is too much to be kept. */
export function keepWords(
  line: Line,
  speakerUri: string,
  sinceMs: number,
  said: EventOf<"utterance">,
): Line | undefined {
  const at = placeOf(line, speakerUri);
  const before = line.waiting[at] ?? { speakerUri, sinceMs, wantsFloor: false, words: [] };
  const words = [...before.words, ownWords(said, speakerUri)];
  if (words.length > wordsMax || words.reduce((sum, one) => sum + charsOf(one), 0) > wordsCharsMax) return undefined;
  const kept = { ...before, words };
  if (at !== -1) return { ...line, waiting: line.waiting.with(at, kept) };
  return line.waiting.length < waitingMax ? append(line, kept) : undefined;
}

/** What somebody is told whose words wait. Never the same twice, which a floor would take for a loop. */
export function keptWords(line: Line, speakerUri: string): string {
  const { length } = line.waiting[placeOf(line, speakerUri)]?.words ?? [];
  return length > 1 ? `The ${length} things you said are heard in your turn.` : "What you said is heard in your turn.";
}

/** With whatever else they carry: pictures and sounds wait, too. */
export function charsOf({ parameters }: EventOf<"utterance">): number {
  return JSON.stringify(parameters.dialogEvent).length;
}

/** The convener says them later, and lends its voice to nobody who speaks in somebody else's name. */
export function ownWords(said: EventOf<"utterance">, speakerUri: string): EventOf<"utterance"> {
  const { dialogEvent } = said.parameters;
  if (dialogEvent.speakerUri === speakerUri) return said;
  return { ...said, parameters: { ...said.parameters, dialogEvent: { ...dialogEvent, speakerUri } } };
}

function append(line: Line, newcomer: Waiting): Line {
  return line.waiting.length < waitingMax ? { ...line, waiting: [...line.waiting, newcomer] } : line;
}

export function toHead(line: Line, speakerUri: string): Line {
  const at = placeOf(line, speakerUri);
  const first = line.waiting[at];
  if (first === undefined) return line;
  return { ...line, waiting: [first, ...line.waiting.toSpliced(at, 1)] };
}
