import type { DeliverEffect, Entry } from "@plenary/floor";
import type { Conversation, FloorEvent } from "@plenary/protocol";
import { scrubbed } from "../../conversation/erasure.ts";
import type { Change } from "../../ports/conversation-log.ts";
import { leafOf, sha256 } from "./hash-chain.ts";

/** A decision as a row of the log, with its deliveries as rows of the outbox. */
export type DecisionRow = {
  entries: string;
  payload: string;
  /** One per event; the hash chain covers them. */
  leaves: readonly string[];
  outbox: readonly { delivery: string; body: string }[];
};

export function toRow({ entries, deliveries }: Pick<Change, "entries" | "deliveries">): DecisionRow {
  const events: FloorEvent[] = [];
  const placeOf = (event: FloorEvent) => {
    const known = events.indexOf(event);
    return known === -1 ? events.push(event) - 1 : known;
  };
  const stripped = entries.map((entry) => strip(entry, placeOf));
  const outbox = deliveries.map((effect) => ({ delivery: effect.delivery, body: bodyOf(effect, placeOf) }));
  const texts = events.map((event) => JSON.stringify(event));
  const leaves = events.map((event, place) => leafOf(sha256(texts[place] ?? ""), JSON.stringify(scrubbed(event))));
  return { entries: JSON.stringify(stripped), payload: `[${texts.join(",")}]`, leaves, outbox };
}

type PlaceOf = (event: FloorEvent) => number;

/** The entry with indexes in place of events. */
function strip(entry: Entry, placeOf: PlaceOf): unknown {
  switch (entry.kind) {
    case "event":
    case "refused":
      return { ...entry, event: placeOf(entry.event) };
    case "received":
      return { ...entry, events: entry.events.map(placeOf) };
    case "parked": {
      const rest = entry.rest.map(placeOf);
      return entry.event === undefined ? { ...entry, rest } : { ...entry, event: placeOf(entry.event), rest };
    }
    default:
      return entry;
  }
}

type CompactEntry = { kind: string; event?: number; events?: readonly number[]; rest?: readonly number[] };

export function fromRow({ entries, payload }: { entries: string; payload: string }): Entry[] {
  const events: FloorEvent[] = JSON.parse(payload);
  const stripped: CompactEntry[] = JSON.parse(entries);
  return stripped.map((entry) => restore(entry, events));
}

// No validation: the row was written by `toRow` and is covered by the hash chain.
function restore(entry: CompactEntry, events: readonly FloorEvent[]): Entry {
  const at = (place: number) => events[place];
  const whole: unknown = {
    ...entry,
    ...(entry.event !== undefined && { event: at(entry.event) }),
    ...(entry.events !== undefined && { events: entry.events.map(at) }),
    ...(entry.rest !== undefined && { rest: entry.rest.map(at) }),
  };
  return whole as Entry;
}

function bodyOf(effect: DeliverEffect, placeOf: PlaceOf): string {
  const { kind: _, delivery: __, conversation: ___, events, ...rest } = effect;
  return JSON.stringify({ ...rest, events: events.map(placeOf) });
}

/** `conversation`: the conversation section after the decision. */
export function toEffect(
  { delivery, body, payload }: { delivery: string; body: string; payload: string },
  conversation: Conversation,
): DeliverEffect {
  const { events: places, ...rest } = JSON.parse(body);
  const events: FloorEvent[] = JSON.parse(payload);
  return {
    kind: "deliver",
    delivery,
    ...rest,
    conversation,
    events: (places as number[]).map((place) => events[place]),
  };
}
