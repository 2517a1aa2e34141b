import { isDeepStrictEqual } from "node:util";
import type { Entry, LeftOutEvent } from "@plenary/floor";
import type { FloorEvent, LeftOut } from "@plenary/protocol";

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
export function placeInDocument(index: number, leftOut: readonly LeftOut[]): number {
  let place = index;
  for (const left of leftOut) if (left.index <= place) place += 1;
  return place;
}

/** Refusals by their index in the document, with the events the parser left out. */
export function inDocument(refused: readonly PartialRefusal[], leftOut: readonly LeftOut[]): readonly PartialRefusal[] {
  if (leftOut.length === 0) return refused;
  const taken = refused.map(({ index, ...rest }): PartialRefusal => {
    return index === undefined ? rest : { index: placeInDocument(index, leftOut), ...rest };
  });
  const left = leftOut.map(({ index, rule, problem }) => ({ index, because: becauseOf(rule), problem }));
  return [...left, ...taken].sort((a, b) => (a.index ?? 0) - (b.index ?? 0));
}
