import { type FloorEvent, isPrivate } from "@plenary/protocol";
import type { Origin } from "./draft.ts";
import type { Floor } from "./floor.ts";
import type { Facts } from "./input.ts";
import { resolve } from "./recipients.ts";
import { isFor } from "./sense.ts";

/** What of an envelope is new. */
export type Intake = {
  events: readonly FloorEvent[];
  /** The same, by its place in the envelope. */
  given: readonly FloorEvent[];
  hasNewId: boolean;
};

/** What the shell found that is asked for later, when an event takes effect. */
type LookedUp = Pick<Origin, "withheld" | "whispered" | "boundElsewhere" | "moved">;

export function factsOf(facts: Facts | undefined): LookedUp {
  const { withheld = [], whispered = [], boundElsewhere = [], moved = [] } = facts ?? {};
  return {
    withheld,
    ...(whispered.length > 0 && { whispered }),
    ...(boundElsewhere.length > 0 && { boundElsewhere }),
    ...(moved.length > 0 && { moved }),
  };
}

/** D29: what already took effect has none again; an id taken by another text is replaced. */
export function takeIn(floor: Floor, written: readonly FloorEvent[], facts: Facts | undefined): Intake {
  const { duplicates = [], clashes = [] } = facts ?? {};
  if (duplicates.length === 0 && clashes.length === 0) {
    return { events: inOrder(floor, written), given: written, hasNewId: false };
  }
  const given = written.map((event, index) => {
    if (!clashes.includes(index) || event.eventType !== "utterance") return event;
    const { dialogEvent } = event.parameters;
    const id = `${dialogEvent.id}~${floor.seq + 1}.${index}`;
    return { ...event, parameters: { ...event.parameters, dialogEvent: { ...dialogEvent, id } } };
  });
  const events = inOrder(
    floor,
    given.filter((_event, index) => !duplicates.includes(index)),
  );
  return { events, given, hasNewId: clashes.length > 0 };
}

/** A whisper travels with the request that names its addressee, as long as that one is not at the floor (D15). */
function inOrder(floor: Floor, events: readonly FloorEvent[]): readonly FloorEvent[] {
  if (events.length < 2) return events;
  const followers = new Map<FloorEvent, FloorEvent[]>();
  const moved = new Set<FloorEvent>();
  for (const [index, event] of events.entries()) {
    if (!isPrivate(event) || resolve(floor, event.to).length > 0) continue;
    const request = events.find((other) => isRequest(other) && isFor(other, event.to));
    // Behind its invite it finds its addressee seated, wherever it stands.
    if (request === undefined || (request.eventType === "invite" && events.indexOf(request) < index)) continue;
    moved.add(event);
    followers.set(request, [...(followers.get(request) ?? []), event]);
  }
  if (moved.size === 0) return events;
  return events.flatMap((event) => (moved.has(event) ? [] : [event, ...(followers.get(event) ?? [])]));
}

function isRequest({ eventType }: FloorEvent): boolean {
  return eventType === "getManifests" || eventType === "invite";
}
