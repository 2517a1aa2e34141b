import { conversationOf, type Entry, type Floor, ownerOf, signatureOf } from "@plenary/floor";
import { type Dialect, encodeEnvelope, envelope, type FloorEvent } from "@plenary/protocol";
import { carriedOf, peersOf } from "./decode.ts";
import { isBy, mayCount, maySee, type Reader } from "./visibility.ts";

/** Every read of the log uses this function. An entry the reader may not see keeps its number, so the log has no gaps. */
export function entryFor(entry: Entry, reader: Reader) {
  if (!maySee(entry, reader)) return hidden(entry, reader);
  const { audience: _, ...shown } = entry;
  switch (shown.kind) {
    case "event":
      return { ...withoutAborts(shown, reader), event: eventFor(shown.event, shown.sender, reader) };
    case "paused":
      return withoutAborts(shown, reader);
    case "rebound":
      return withoutAborts(shown, reader);
    case "refused":
      return { ...shown, event: eventFor(shown.event, shown.sender, reader) };
    case "received": {
      // Only 0.9 peers see the persistent state (D19).
      const { persistentState: __, ...rest } = shown;
      return { ...rest, events: shown.events.map((event) => eventFor(event, shown.sender, reader)) };
    }
    case "parked": {
      const { withheld: __, whispered: ___, rest, event, ...others } = shown;
      const sender = shown.sender;
      return {
        ...others,
        ...(event && { event: eventFor(event, sender, reader) }),
        rest: isBy(sender, reader) ? rest : rest.length,
      };
    }
    default:
      return shown;
  }
}

/** The list of stopped deliveries may include whispers, so only the operator sees it. */
function withoutAborts<Shown extends { aborts?: readonly string[] }>(shown: Shown, { kind }: Reader) {
  if (kind === "operator") return shown;
  const { aborts: _, ...rest } = shown;
  return rest;
}

/** Leaves out the events of a received envelope: each of them follows as an entry of its own. */
export function briefEntryFor(entry: Entry, reader: Reader) {
  const shown = entryFor(entry, reader);
  if (shown.kind !== "received") return shown;
  const { events: _, ...brief } = shown;
  return brief;
}

/** Adds the trace of the turn, unless the entry is hidden from the reader. */
export function tracedEntryFor(entry: Entry, reader: Reader, traceOf: (turn: string) => string) {
  const shown = entryFor(entry, reader);
  return shown.kind === "hidden" ? shown : { ...shown, trace: traceOf(entry.turn) };
}

/** Shows the owner and the operator who whispered to which conversant and when, but not the text. */
function hidden(entry: Entry, reader: Reader) {
  const { seq, at } = entry;
  const kind = "hidden" as const;
  if (!mayCount(entry, reader)) return { seq, kind };
  const to = entry.target ?? entry.event.to?.speakerUri ?? entry.event.to?.serviceUrl;
  return { seq, kind, whisper: { at, from: entry.sender, ...(to !== undefined && { to }) } };
}

/** D16: the history in an invite is for the invitee, who gets it by delivery; in the log only its sender sees it. */
export function eventFor(event: FloorEvent, sender: string, reader: Reader): FloorEvent {
  if (event.eventType !== "invite" || event.parameters?.dialogHistory === undefined) return event;
  if (isBy(sender, reader)) return event;
  const { dialogHistory: _, ...others } = event.parameters;
  const { parameters: __, ...bare } = event;
  return Object.keys(others).length === 0 ? bare : { ...bare, parameters: others };
}

/** A conversation in the host interface. It contains no utterances and no parked events: the log has them, per reader. */
export function conversationView(floor: Floor) {
  const { id, seq, isClosed, conversants, floorGranted, roles, held, turns } = floor;
  const { title, ...options } = floor.options;
  const owner = ownerOf(floor);
  return {
    id,
    ...(title !== undefined && { title }),
    seq,
    isClosed,
    isPaused: turns.some(({ isPaused }) => isPaused),
    conversants: conversants.map(({ identification, kind, state, since, invitedBy, dialect, misses }) => ({
      identification,
      kind,
      state,
      since,
      misses,
      hasFloor: floorGranted.includes(identification.speakerUri),
      ...(invitedBy !== undefined && { invitedBy }),
      ...(dialect !== undefined && { dialect }),
    })),
    floorGranted,
    assignedFloorRoles: roles,
    ...(owner !== undefined && { owner }),
    floorRequested: held.map(({ speakerUri }) => speakerUri),
    options,
  };
}

/** The envelope document that a conversant receives with these events, in its dialect. */
export function documentOf(
  floor: Floor,
  speakerUri: string,
  events: FloorEvent[],
  dialect: Dialect,
  isProposal = false,
) {
  const whole = envelope({ conversation: conversationOf(floor), sender: signatureOf(floor, speakerUri), events });
  return encodeEnvelope(whole, dialect, { peers: peersOf(floor), carried: carriedOf(floor), isProposal }).document;
}
