import { type Entry, type Floor, ownerOf, seatNamed, visibleTo } from "@plenary/floor";
import { type FloorEvent, isPrivate } from "@plenary/protocol";

/** Who reads: a conversant, or the operator, who sees no whispers unless it reads as somebody (D33). */
export type Reader = Conversant | { kind: "operator" };

type Conversant = {
  kind: "conversant";
  name: string;
  /** What it was called by before, and since when: who had such a name earlier was somebody else. */
  earlier?: { names: readonly string[]; since: number };
  /** What was for everyone is shown to it from here on, though it came later. */
  seesFrom?: number;
  isOwner?: true;
};

/** As the floor is now: a conversant may have been known by another name earlier in the log. */
export function readerFor(floor: Floor, speaker: string | undefined): Reader {
  if (speaker === undefined) return { kind: "operator" };
  const seesFrom = seatNamed(floor, speaker)?.seesFrom;
  return {
    ...readerNamed(floor, speaker),
    ...(seesFrom !== undefined && { seesFrom }),
    ...(ownerOf(floor) === speaker && { isOwner: true }),
  };
}

/** Whoever proved to be this speaker. That somebody else was once called so gives it nothing. */
export function readerNamed(floor: Floor, name: string): Conversant {
  const since = seatNamed(floor, name)?.since;
  const names = Object.entries(floor.aliases).flatMap(([old, current]) => (current === name ? [old] : []));
  const isRenamed = since !== undefined && names.length > 0;
  return { kind: "conversant", name, ...(isRenamed && { earlier: { names, since } }) };
}

/** Names come from outside: what every object has is not an alias. */
export function currentName({ aliases }: Pick<Floor, "aliases">, name: string): string {
  return (Object.hasOwn(aliases, name) ? aliases[name] : undefined) ?? name;
}

/** One of its own names. */
export function isName({ name, earlier }: Conversant, other: string): boolean {
  return other === name || earlier?.names.includes(other) === true;
}

/** Every read path of the log goes through here. What a reader may not see is still counted, so the log has no gaps. */
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
      // Peers of 0.9 alone see what they asked to keep (D19).
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

/** Which deliveries were stopped, a whisper perhaps, is between the floor and those they went to. */
function withoutAborts<Shown extends { aborts?: readonly string[] }>(shown: Shown, { kind }: Reader) {
  if (kind === "operator") return shown;
  const { aborts: _, ...rest } = shown;
  return rest;
}

/** Without what comes again: each event of an envelope that was received follows as an entry of its own. */
export function briefEntryFor(entry: Entry, reader: Reader) {
  const shown = entryFor(entry, reader);
  if (shown.kind !== "received") return shown;
  const { events: _, ...brief } = shown;
  return brief;
}

/** With the trace of its turn, for whoever may see what happened in it. */
export function tracedEntryFor(entry: Entry, reader: Reader, traceOf: (turn: string) => string) {
  const shown = entryFor(entry, reader);
  return shown.kind === "hidden" ? shown : { ...shown, trace: traceOf(entry.turn) };
}

/** How a reader sees an entry. Those who see it in the same way are shown the same. */
export type Sight = "whole" | "own" | "counted" | "hidden";

export function sightOf(entry: Entry, reader: Reader): Sight {
  if (!maySee(entry, reader)) return mayCount(entry, reader) ? "counted" : "hidden";
  return "sender" in entry && isBy(entry.sender, reader) ? "own" : "whole";
}

/** Owner and operator learn that somebody whispered to somebody, and when: abuse shows, words do not. */
function hidden(entry: Entry, reader: Reader) {
  const { seq, at } = entry;
  const kind = "hidden" as const;
  if (!mayCount(entry, reader)) return { seq, kind };
  const to = entry.target ?? entry.event.to?.speakerUri ?? entry.event.to?.serviceUrl;
  return { seq, kind, whisper: { at, from: entry.sender, ...(to !== undefined && { to }) } };
}

function mayCount(entry: Entry, reader: Reader): entry is Extract<Entry, { kind: "event" }> {
  const isTold = reader.kind === "operator" || reader.isOwner === true;
  return isTold && entry.kind === "event" && isPrivate(entry.event);
}

export function maySee(entry: Entry, reader: Reader): boolean {
  if (reader.kind === "conversant") {
    const { name, earlier, seesFrom } = reader;
    if (visibleTo(entry, name, seesFrom)) return true;
    return earlier !== undefined && entry.seq >= earlier.since && earlier.names.some((old) => visibleTo(entry, old));
  }
  return !whispersIn(entry);
}

function whispersIn(entry: Entry): boolean {
  switch (entry.kind) {
    case "event":
      return isPrivate(entry.event);
    case "refused":
      return isWhisper(entry.event, entry);
    case "received":
      return entry.events.some((event) => isWhisper(event, entry));
    case "parked":
      return [...(entry.event === undefined ? [] : [entry.event]), ...entry.rest].some((one) => isWhisper(one, entry));
    default:
      return false;
  }
}

/** What an agent says aloud in answer to a whisper stands here as it was written (D13'). */
function isWhisper(event: FloorEvent, { whisperer }: { whisperer?: string }): boolean {
  return isPrivate(event) || (whisperer !== undefined && event.eventType === "utterance");
}

function isBy(sender: string, reader: Reader): boolean {
  return reader.kind === "conversant" && isName(reader, sender);
}

/** D16: the history in an invite is for the invitee, which gets it by delivery; here only its sender sees it again. */
export function eventFor(event: FloorEvent, sender: string, reader: Reader): FloorEvent {
  if (event.eventType !== "invite" || event.parameters?.dialogHistory === undefined) return event;
  if (isBy(sender, reader)) return event;
  const { dialogHistory: _, ...others } = event.parameters;
  const { parameters: __, ...bare } = event;
  return Object.keys(others).length === 0 ? bare : { ...bare, parameters: others };
}

/** A conversation as the host interface shows it. What agents said, and what waits, is in the log for those who may see it. */
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
