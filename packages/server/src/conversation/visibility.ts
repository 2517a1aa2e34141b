import { type Entry, type Floor, ownerOf, seatNamed, visibleTo } from "@plenary/floor";
import { type FloorEvent, isPrivate } from "@plenary/protocol";

/** A conversant, or the operator, who sees no whispers unless reading as a conversant (D33). */
export type Reader = ViewedConversant | { kind: "operator" };

type ViewedConversant = {
  kind: "conversant";
  name: string;
  /** Its earlier names, and the entry it was seated with: before that entry such a name meant another conversant. */
  earlier?: { names: readonly string[]; since: number };
  /** Public entries are visible from this one on, although the conversant joined later. */
  seesFrom?: number;
  isOwner?: true;
};

/** Uses the current state of the floor: a conversant may have had another name earlier in the log. */
export function readerFor(floor: Floor, speaker: string | undefined): Reader {
  if (speaker === undefined) return { kind: "operator" };
  const seesFrom = seatNamed(floor, speaker)?.seesFrom;
  return {
    ...readerNamed(floor, speaker),
    ...(seesFrom !== undefined && { seesFrom }),
    ...(ownerOf(floor) === speaker && { isOwner: true }),
  };
}

/** The reader with this authenticated name. What another conversant saw under the same name earlier stays hidden. */
export function readerNamed(floor: Floor, name: string): ViewedConversant {
  const since = seatNamed(floor, name)?.since;
  const names = Object.entries(floor.aliases).flatMap(([old, current]) => (current === name ? [old] : []));
  const isRenamed = since !== undefined && names.length > 0;
  return { kind: "conversant", name, ...(isRenamed && { earlier: { names, since } }) };
}

/** Names are external input, so inherited properties such as `constructor` must not count as aliases. */
export function currentName({ aliases }: Pick<Floor, "aliases">, name: string): string {
  return (Object.hasOwn(aliases, name) ? aliases[name] : undefined) ?? name;
}

/** Whether `other` is the current or an earlier name of the conversant. */
export function isName({ name, earlier }: ViewedConversant, other: string): boolean {
  return other === name || earlier?.names.includes(other) === true;
}

export function isBy(sender: string, reader: Reader): boolean {
  return reader.kind === "conversant" && isName(reader, sender);
}

/** How much of an entry a reader sees. Readers with the same visibility get the same rendering. */
export type Visibility = "whole" | "own" | "counted" | "hidden";

export function visibilityOf(entry: Entry, reader: Reader): Visibility {
  if (!maySee(entry, reader)) return mayCount(entry, reader) ? "counted" : "hidden";
  return "sender" in entry && isBy(entry.sender, reader) ? "own" : "whole";
}

/** The owner and the operator see that a whisper took place, not its text. */
export function mayCount(entry: Entry, reader: Reader): entry is Extract<Entry, { kind: "event" }> {
  const isOverseer = reader.kind === "operator" || reader.isOwner === true;
  return isOverseer && entry.kind === "event" && isPrivate(entry.event);
}

export function maySee(entry: Entry, reader: Reader): boolean {
  if (reader.kind === "conversant") {
    const { name, earlier, seesFrom } = reader;
    if (visibleTo(entry, name, seesFrom)) return true;
    return earlier !== undefined && entry.seq >= earlier.since && earlier.names.some((old) => visibleTo(entry, old));
  }
  return !hasWhisper(entry);
}

function hasWhisper(entry: Entry): boolean {
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

/** An agent's public answer to a whisper is stored here as it was received, before it was made private (D13'). */
function isWhisper(event: FloorEvent, { whisperer }: { whisperer?: string }): boolean {
  return isPrivate(event) || (whisperer !== undefined && event.eventType === "utterance");
}
