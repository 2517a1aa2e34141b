import { isDeepStrictEqual } from "node:util";
import { type Decision, type Entry, type LeftOutEvent, seatNamed } from "@plenary/floor";
import type { FloorEvent, LeftOut } from "@plenary/protocol";
import { Problem } from "../errors.ts";
import { isOperator, type Principal } from "../ports/principal.ts";
import type { DecodedEnvelope } from "./decode.ts";

/** An event of an accepted envelope that was refused (D13). */
export type PartialRefusal = {
  /** Index of the event in the envelope; absent when the refusal is about the whole envelope. */
  index?: number;
  because: string;
  problem: string;
};

/** The refused events of an envelope, by their index in it. Ignores entries about other envelopes. */
export function refusalsOf(entries: readonly Entry[], events: readonly FloorEvent[]): PartialRefusal[] {
  if (!entries.some(({ kind }) => kind === "refused" || kind === "late")) return [];
  const received = entries.find(({ kind }) => kind === "received")?.seq;
  const placed = new Set<number>();
  return entries.flatMap((entry): PartialRefusal[] => {
    if (entry.kind === "late") {
      return [{ because: entry.because, problem: "the delivery is no longer open, so this answer has no effect" }];
    }
    if (entry.kind !== "refused" || entry.causedBy !== received) return [];
    const index = indexOf(entry.event, events, placed);
    if (index !== undefined) placed.add(index);
    return [{ ...(index !== undefined && { index }), because: entry.because, problem: entry.problem }];
  });
}

/** The same for an envelope accepted earlier: uses the events in the log, which have their final ids. */
export function refusalsIn(entries: readonly Entry[], events: readonly FloorEvent[]): PartialRefusal[] {
  const received = entries.find((entry) => entry.kind === "received");
  return refusalsOf(entries, received?.events.length === events.length ? received.events : events);
}

function indexOf(event: FloorEvent, events: readonly FloorEvent[], placed: ReadonlySet<number>): number | undefined {
  const same = events.indexOf(event);
  if (same !== -1) return same;
  const equal = events.findIndex((other, index) => !placed.has(index) && isDeepStrictEqual(other, event));
  if (equal !== -1) return equal;
  // An utterance with an id already in use got a new id, derived from the first (D29).
  if (event.eventType !== "utterance") return undefined;
  const { id } = event.parameters.dialogEvent;
  const index = events.findIndex(
    (other) => other.eventType === "utterance" && id.startsWith(`${other.parameters.dialogEvent.id}~`),
  );
  return index === -1 ? undefined : index;
}

/** The events that the parser left out, in the form of the log. */
export function leftOutOf(leftOut: readonly LeftOut[]): LeftOutEvent[] {
  return leftOut.map(({ index, rule }) => ({ index, because: becauseOf(rule) }));
}

function becauseOf(rule: LeftOut["rule"]): LeftOutEvent["because"] {
  const isUnknown = rule === "event-type-known" || rule === "ovon-event-type-known";
  return isUnknown ? "1.9/unknown-event-type" : "1.8/unusable-event";
}

/** The index of an event in the document, which also counts the events the parser left out. */
function indexInDocument(index: number, leftOut: readonly LeftOut[]): number {
  let position = index;
  for (const left of leftOut) if (left.index <= position) position += 1;
  return position;
}

/** Refusals by their index in the document, with the events the parser left out. */
export function inDocument(refused: readonly PartialRefusal[], leftOut: readonly LeftOut[]): readonly PartialRefusal[] {
  if (leftOut.length === 0) return refused;
  const accepted = refused.map(({ index, ...rest }): PartialRefusal => {
    return index === undefined ? rest : { index: indexInDocument(index, leftOut), ...rest };
  });
  const left = leftOut.map(({ index, rule, problem }) => ({ index, because: becauseOf(rule), problem }));
  return [...left, ...accepted].sort((a, b) => (a.index ?? 0) - (b.index ?? 0));
}

/** Throws when the whole input was refused and nothing was applied. */
export function assertAccepted(
  { entries, refusals, floor }: Decision,
  read?: DecodedEnvelope,
  principal?: Principal,
): void {
  const [refusal] = refusals;
  if (entries.length > 0 || refusal === undefined) return;
  const { because, status, problem, index } = refusal;
  // A sender outside a conversation may not learn that it exists.
  const sender = read?.envelope.sender.speakerUri;
  const isEnded = because === "ending/closed" && sender !== undefined && seatNamed(floor, sender) === undefined;
  const isOutside = (because === "guard/not-seated" || isEnded) && principal !== undefined && !isOperator(principal);
  if (isOutside || because === "command/unopened") throw new Problem("unknown-conversation");
  const position = index === undefined || read === undefined ? undefined : indexInDocument(index, read.leftOut);
  const pointer = position === undefined ? pointers[because] : `/openFloor/events/${position}`;
  const fix = fixes[because];
  const details = { status, detail: problem, ...(pointer && { pointer }), ...(fix !== undefined && { fix }) };
  throw new Problem("refused", { ...details, extra: { because } });
}

/** What to do about the most frequent refusals. */
const fixes: Readonly<Record<string, string>> = {
  "1.8/private-addressee": "name one conversant by its speakerUri: GET /api/v1/conversations/ID lists them",
  "ending/closed": "open another conversation; the log of this one stays readable",
  "command/erase/empty": "name the entry that contains the utterance; the log shows its number",
};

/** The wrong field of a command. */
const pointers: Readonly<Record<string, string>> = { "command/erase/empty": "/seq" };
