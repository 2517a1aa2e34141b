import { isDeepStrictEqual } from "node:util";
import type { Entry, LeftOutEvent } from "@plenary/floor";
import type { FloorEvent, LeftOut } from "@plenary/protocol";

/** An event of an accepted envelope that was not taken (D13). */
export type PartialRefusal = {
  /** Place of the event in the envelope; absent when it is about all of them. */
  index?: number;
  because: string;
  problem: string;
};

/** What of an envelope the decision refused, by its own numbering: entries about other envelopes are left out. */
export function refusalsOf(entries: readonly Entry[], events: readonly FloorEvent[]): PartialRefusal[] {
  if (!entries.some(({ kind }) => kind === "refused" || kind === "late")) return [];
  const received = entries.find(({ kind }) => kind === "received")?.seq;
  const placed = new Set<number>();
  return entries.flatMap((entry): PartialRefusal[] => {
    if (entry.kind === "late") {
      return [{ because: entry.because, problem: "nobody waits for this answer any longer: it has no effect" }];
    }
    if (entry.kind !== "refused" || entry.causedBy !== received) return [];
    const index = indexOf(entry.event, events, placed);
    if (index !== undefined) placed.add(index);
    return [{ ...(index !== undefined && { index }), because: entry.because, problem: entry.problem }];
  });
}

/** The same, of an envelope that was taken earlier: its events are read from the log, where they have their final ids. */
export function refusalsIn(entries: readonly Entry[], events: readonly FloorEvent[]): PartialRefusal[] {
  const received = entries.find((entry) => entry.kind === "received");
  return refusalsOf(entries, received?.events.length === events.length ? received.events : events);
}

function indexOf(event: FloorEvent, events: readonly FloorEvent[], placed: ReadonlySet<number>): number | undefined {
  const same = events.indexOf(event);
  if (same !== -1) return same;
  const equal = events.findIndex((other, index) => !placed.has(index) && isDeepStrictEqual(other, event));
  if (equal !== -1) return equal;
  // An utterance whose id was taken has been given another, made of the first (D29).
  if (event.eventType !== "utterance") return undefined;
  const { id } = event.parameters.dialogEvent;
  const index = events.findIndex(
    (other) => other.eventType === "utterance" && id.startsWith(`${other.parameters.dialogEvent.id}~`),
  );
  return index === -1 ? undefined : index;
}

/** What the parser left out, as the log keeps it. */
export function leftOutOf(leftOut: readonly LeftOut[]): LeftOutEvent[] {
  return leftOut.map(({ index, rule }) => ({ index, because: becauseOf(rule) }));
}

function becauseOf(rule: LeftOut["rule"]): LeftOutEvent["because"] {
  const isUnknown = rule === "event-type-known" || rule === "ovon-event-type-known";
  return isUnknown ? "1.9/unknown-event-type" : "1.8/unusable-event";
}

/** The place in the document of an event of the envelope: events that were left out stand before it. */
export function placeInDocument(index: number, leftOut: readonly LeftOut[]): number {
  let place = index;
  for (const left of leftOut) if (left.index <= place) place += 1;
  return place;
}

/** Refusals by the numbering of the document, with what the parser left out. */
export function inDocument(refused: readonly PartialRefusal[], leftOut: readonly LeftOut[]): readonly PartialRefusal[] {
  if (leftOut.length === 0) return refused;
  const taken = refused.map(({ index, ...rest }): PartialRefusal => {
    return index === undefined ? rest : { index: placeInDocument(index, leftOut), ...rest };
  });
  const left = leftOut.map(({ index, rule, problem }) => ({ index, because: becauseOf(rule), problem }));
  return [...left, ...taken].sort((a, b) => (a.index ?? 0) - (b.index ?? 0));
}
