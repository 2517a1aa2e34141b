import { createKnownPeople } from "../people/known-people.ts";
import type { Identification, ShownEvent, TranscriptEntry } from "../transcript.ts";
import type { Line, NoteLine, UtteranceLine } from "./line.ts";
import { noteOf } from "./notes.ts";
import { validDialogEvent } from "./valid-dialog-event.ts";

/** The transcript lines of a log. Entries are added at the end; earlier entries need a new one. */
export type TranscriptLines = {
  add(entry: TranscriptEntry): void;
  /** Adds the current conversants, for names from before the first entry. */
  look(view: { conversants: readonly { identification: Identification }[] }): void;
  entries(): readonly TranscriptEntry[];
  lines(): readonly Line[];
  identifications(): ReadonlyMap<string, Identification>;
};

export function createTranscriptLines(): TranscriptLines {
  const entries: TranscriptEntry[] = [];
  const lines: Line[] = [];
  const people = createKnownPeople();
  let self: string | undefined;
  // The same lists until an entry is added, so that a view does not redraw them.
  let newest: { entries: readonly TranscriptEntry[]; lines: readonly Line[] } | undefined;
  const shown = () => {
    newest ??= { entries: entries.slice(), lines: lines.slice() };
    return newest;
  };

  const addNote = (note: NoteLine) => {
    const last = lines.at(-1);
    if (last?.kind === "note" && isSame(last, note)) {
      lines[lines.length - 1] = { ...last, seq: note.seq, at: note.at, times: (last.times ?? 1) + 1 };
    } else lines.push(note);
  };
  const learn = (entry: TranscriptEntry) => {
    if (entry.kind === "renamed") people.hear(entry.identification, entry.from);
    if (entry.kind === "seated") people.hear(entry.seat.identification);
    if (entry.kind !== "opened") return;
    self = entry.self.speakerUri;
    if (entry.owner !== undefined) people.hear(entry.owner.identification);
  };
  return {
    add(entry) {
      newest = undefined;
      entries.push(entry);
      learn(entry);
      const line = lineOf(entry, self);
      if (line?.kind === "note") addNote(line);
      else if (line !== undefined) lines.push(line);
    },
    look({ conversants }) {
      people.look(conversants.map(({ identification }) => identification));
    },
    entries: () => shown().entries,
    lines: () => shown().lines,
    identifications: people.all,
  };
}

/** The line of an entry; undefined for entries that are not shown. `self` is the floor's own name. */
export function lineOf(entry: TranscriptEntry, self: string | undefined): Line | undefined {
  if (entry.kind === "event" && entry.event.eventType === "utterance") return utteranceLine(entry, entry.event);
  const note = noteOf(entry, self);
  if (note === undefined) return undefined;
  const { reason, tone = "quiet", ...rest } = note;
  return { kind: "note", seq: entry.seq, at: atOf(entry), tone, ...rest, ...(reason && { reason }) };
}

function atOf(entry: TranscriptEntry): string {
  return entry.kind === "hidden" ? (entry.whisper?.at ?? "") : entry.at;
}

/** Equal notes in a row become one line with a count. */
function isSame(before: NoteLine, after: NoteLine): boolean {
  return (
    before.sign === after.sign &&
    before.reason === after.reason &&
    JSON.stringify(before.words) === JSON.stringify(after.words)
  );
}

function utteranceLine(
  entry: ShownEvent,
  event: Extract<ShownEvent["event"], { eventType: "utterance" }>,
): UtteranceLine {
  const { seq, at, sender, target, approvedBy, because } = entry;
  const dialogEvent = validDialogEvent(entry);
  const to = target ?? event.to?.speakerUri ?? event.to?.serviceUrl;
  // Agents of 0.9 name the speaker by any string: without a URI it is no other speaker.
  const isRelayed = dialogEvent.speakerUri !== sender && /^[a-z][a-z\d+.-]*:/iu.test(dialogEvent.speakerUri);
  const hadFloor = hadFloorBy(because);
  return {
    kind: "utterance",
    seq,
    at,
    sender,
    dialogEvent,
    isWhisper: event.to?.private === true,
    ...(to !== undefined && { to }),
    ...(isRelayed && { relayedFrom: dialogEvent.speakerUri }),
    ...(approvedBy !== undefined && { approvedBy }),
    ...(hadFloor !== undefined && { hadFloor }),
  };
}

/** The rule id shows whether the speaker had the floor. */
function hadFloorBy(because: string | undefined): boolean | undefined {
  if (because === undefined) return undefined;
  if (because.includes("/not-granted") || because === "2.1/addressed") return false;
  return because.includes("/granted") ? true : undefined;
}
