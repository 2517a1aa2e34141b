import type { Entry } from "@plenary/floor";
import type { DialogEvent, FloorEvent } from "@plenary/protocol";

/** Replaces the erased text. Not empty: other implementations reject an utterance without text (D21). */
const placeholder = "[erased]";
const addressKeys = ["speakerUri", "serviceUrl", "private"] as const;
const timeKeys = ["startTime", "startOffset", "endTime", "endOffset"] as const;

/** An erased event: its type, speaker, time and addressee remain (D35). */
export function scrubbed(event: FloorEvent): FloorEvent {
  const { eventType, to } = event;
  const kept: Record<string, unknown> = { eventType };
  if (to !== undefined) kept.to = only(to, addressKeys);
  const parameters = keptParameters(event);
  // All other event types allow absent parameters.
  if (parameters !== undefined) kept.parameters = parameters;
  return kept as FloorEvent;
}

function keptParameters(event: FloorEvent) {
  if (event.eventType === "utterance") return { dialogEvent: withoutText(event.parameters.dialogEvent) };
  if (event.eventType !== "invite" || event.parameters?.dialogHistory === undefined) return undefined;
  return { dialogHistory: event.parameters.dialogHistory.map(withoutText) };
}

function withoutText({ id, speakerUri, span }: DialogEvent): DialogEvent {
  const text = { mimeType: "text/plain", tokens: [{ value: placeholder }] };
  const times = only(span, timeKeys);
  return { id, speakerUri, span: times, features: { text } };
}

/** Keeps the listed properties only: any other property may contain text. */
function only<Whole extends object, Key extends keyof Whole>(whole: Whole, keys: readonly Key[]): Pick<Whole, Key> {
  const kept: Partial<Whole> = {};
  for (const key of keys) if (Object.hasOwn(whole, key)) kept[key] = whole[key];
  return kept as Pick<Whole, Key>;
}

/** The events in an entry. */
export function eventsIn(entry: Entry): readonly FloorEvent[] {
  switch (entry.kind) {
    case "event":
    case "refused":
      return [entry.event];
    case "received":
      return entry.events;
    case "parked":
      return entry.event === undefined ? entry.rest : [entry.event, ...entry.rest];
    default:
      return [];
  }
}

/** The entry with changed events. */
export function withEvents(entry: Entry, change: (event: FloorEvent) => FloorEvent): Entry {
  switch (entry.kind) {
    case "event":
    case "refused":
      return { ...entry, event: change(entry.event) };
    case "received":
      return { ...entry, events: entry.events.map(change) };
    case "parked":
      return { ...entry, rest: entry.rest.map(change), ...(entry.event && { event: change(entry.event) }) };
    default:
      return entry;
  }
}

/** Finds the events to erase for one entry, and their copies in other entries. */
export type Erasure = {
  /** In the decision of that entry: the event as received and as sent. */
  isHere(event: FloorEvent): boolean;
  /** In any other decision, with the turns of that decision. */
  isElsewhere(event: FloorEvent, turns: readonly string[]): boolean;
  /** Ids of the utterances to erase. */
  ids: readonly string[];
};

export function erasureOf(entry: Entry, decision: readonly FloorEvent[]): Erasure {
  const targets = eventsIn(entry);
  const isHere = (event: FloorEvent) => targets.some((one) => one === event || isSameEvent(one, event));
  const spoken = decision.filter(isHere).flatMap(spokenBy);
  return {
    isHere,
    isElsewhere(event, turns) {
      // A parked event is written on arrival and again when it takes effect, perhaps with other text.
      const isTurn = turns.includes(entry.turn);
      const isCopy = (one: DialogEvent, other: DialogEvent) =>
        isSame(one, other) && (isTurn || featuresOf(one) === featuresOf(other));
      if (event.eventType === "utterance")
        return spokenBy(event).some((one) => spoken.some((erased) => isCopy(erased, one)));
      return quotedIn(event).some((one) => spoken.some((erased) => isSame(erased, one)));
    },
    ids: [...new Set(spoken.map(({ id }) => id))],
  };
}

/** The same event before and after the floor set its id, addressee or history. */
function isSameEvent(one: FloorEvent, other: FloorEvent): boolean {
  const [utterance] = spokenBy(one);
  const [otherUtterance] = spokenBy(other);
  if (utterance !== undefined && otherUtterance !== undefined) {
    return utterance.speakerUri === otherUtterance.speakerUri && featuresOf(utterance) === featuresOf(otherUtterance);
  }
  return one.eventType === other.eventType && JSON.stringify(one.to) === JSON.stringify(other.to);
}

function spokenBy(event: FloorEvent): DialogEvent[] {
  return event.eventType === "utterance" ? [event.parameters.dialogEvent] : [];
}

function quotedIn(event: FloorEvent): readonly DialogEvent[] {
  return event.eventType === "invite" ? (event.parameters?.dialogHistory ?? []) : [];
}

function isSame(one: DialogEvent, other: DialogEvent): boolean {
  return one.id === other.id && one.speakerUri === other.speakerUri;
}

function featuresOf({ features }: DialogEvent): string {
  return JSON.stringify(features);
}

/** Keys of the utterances in an event and in its history; an erasure keeps them. */
export function idsIn(event: FloorEvent): readonly string[] {
  return [...spokenBy(event), ...quotedIn(event)].map(({ id, speakerUri }) => JSON.stringify([speakerUri, id]));
}
