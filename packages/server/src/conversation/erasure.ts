import type { Entry } from "@plenary/floor";
import type { DialogEvent, FloorEvent } from "@plenary/protocol";
import { Problem } from "../errors.ts";
import type { FloorStore } from "../ports/store.ts";
import type { Receiver } from "./receive.ts";

/** Stands where the words were. Not empty: others take an utterance without words for a broken one (D21). */
const placeholder = "[erased]";

/** What is left of an event that is erased: that it was there, whose, when and for whom (D35). */
export function scrubbed(event: FloorEvent): FloorEvent {
  const { eventType, to } = event;
  const left = { eventType, ...(to && { to: only(to, ["speakerUri", "serviceUrl", "private"]) }) };
  const parameters = parametersLeft(event);
  // Of the others every parameter may be absent.
  return (parameters === undefined ? left : { ...left, parameters }) as FloorEvent;
}

function parametersLeft(event: FloorEvent) {
  if (event.eventType === "utterance") return { dialogEvent: unsaid(event.parameters.dialogEvent) };
  if (event.eventType !== "invite" || event.parameters?.dialogHistory === undefined) return undefined;
  return { dialogHistory: event.parameters.dialogHistory.map(unsaid) };
}

function unsaid({ id, speakerUri, span }: DialogEvent): DialogEvent {
  const text = { mimeType: "text/plain", tokens: [{ value: placeholder }] };
  const times = only(span, ["startTime", "startOffset", "endTime", "endOffset"]);
  return { id, speakerUri, span: times, features: { text } };
}

/** Whatever else somebody wrote there may be words, too. */
function only<Whole extends object, Key extends keyof Whole>(whole: Whole, keys: readonly Key[]): Pick<Whole, Key> {
  return Object.fromEntries(keys.flatMap((key) => (Object.hasOwn(whole, key) ? [[key, whole[key]]] : []))) as Pick<
    Whole,
    Key
  >;
}

/** The events that an entry speaks of. */
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

/** The same entry with what became of its events. */
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

/** What one entry wants forgotten, wherever a copy of it stands. */
export type Erasure = {
  /** In the decision of that entry: it, as it came in, and as it went out. */
  isHere(event: FloorEvent): boolean;
  /** In any other decision, by the turns that belong to. */
  isElsewhere(event: FloorEvent, turns: readonly string[]): boolean;
  /** Of the utterances among them. */
  ids: readonly string[];
};

export function erasureOf(entry: Entry, decision: readonly FloorEvent[]): Erasure {
  const named = eventsIn(entry);
  const isHere = (event: FloorEvent) => named.some((one) => one === event || isAlike(one, event));
  const spoken = decision.filter(isHere).flatMap(spokenBy);
  return {
    isHere,
    isElsewhere(event, turns) {
      // What waited for the convener was written when it came and when it took effect, maybe in other words.
      const isTurn = turns.includes(entry.turn);
      const isCopy = (one: DialogEvent, other: DialogEvent) =>
        isSame(one, other) && (isTurn || featuresOf(one) === featuresOf(other));
      if (event.eventType === "utterance") return spokenBy(event).some((one) => spoken.some((it) => isCopy(it, one)));
      return quotedIn(event).some((one) => spoken.some((it) => isSame(it, one)));
    },
    ids: [...new Set(spoken.map(({ id }) => id))],
  };
}

/** The same event before and after it was given an id, an addressee, or another history. */
function isAlike(one: FloorEvent, other: FloorEvent): boolean {
  const [said] = spokenBy(one);
  const [again] = spokenBy(other);
  if (said !== undefined && again !== undefined) {
    return said.speakerUri === again.speakerUri && featuresOf(said) === featuresOf(again);
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

/** The names of what is said or quoted in an event; they stay when the words go. */
export function idsIn(event: FloorEvent): readonly string[] {
  return [...spokenBy(event), ...quotedIn(event)].map(({ id, speakerUri }) => JSON.stringify([speakerUri, id]));
}

/**
 * The same receiver; nobody is told that something is forgotten when nothing can be. The core writes that an entry is
 * erased and does not know what it holds. What is not there is the core's to refuse.
 */
export function withErasable(receiver: Receiver, { entries }: Pick<FloorStore, "entries">): Receiver {
  return {
    ...receiver,
    async command(conversationId, command, of) {
      if (command.verb === "erase") {
        const { seq } = command;
        const [entry] = await entries(conversationId, { after: seq - 1, limit: 1 });
        if (entry?.seq === seq && eventsIn(entry).length === 0) throw nothingIn(entry);
      }
      return receiver.command(conversationId, command, of);
    },
  };
}

function nothingIn({ seq, kind }: { seq: number; kind: string }): Problem {
  const detail = `/seq: entry ${seq} (${kind}) holds no event, so there is nothing in it to erase`;
  return new Problem("refused", {
    pointer: "/seq",
    detail,
    fix: "name the entry in which it was said; the log shows it",
  });
}
