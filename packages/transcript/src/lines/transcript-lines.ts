import { createKnownPeople } from "../people/known-people.ts";
import type { Identification, ShownEvent, TranscriptEntry } from "../transcript.ts";
import type { Line, NoteLine, UtteranceLine } from "./line.ts";
import { noteOf } from "./notes.ts";
import { dialogEventIn } from "./valid-dialog-event.ts";

/** The log as people read it. It grows at its end; what comes before is told by building it anew. */
export type Telling = {
  add(entry: TranscriptEntry): void;
  /** Who is here now, as the floor says: names of those who came before the first entry. */
  look(view: { conversants: readonly { identification: Identification }[] }): void;
  entries(): readonly TranscriptEntry[];
  lines(): readonly Line[];
  identifications(): ReadonlyMap<string, Identification>;
};

export function createTelling(): Telling {
  const entries: TranscriptEntry[] = [];
  const lines: Line[] = [];
  const people = createKnownPeople();
  let self: string | undefined;
  // The same lists as long as nothing comes, so that whoever has drawn them need not draw them again.
  let newest: { entries: readonly TranscriptEntry[]; lines: readonly Line[] } | undefined;
  const shown = () => {
    newest ??= { entries: entries.slice(), lines: lines.slice() };
    return newest;
  };

  const note = (told: NoteLine) => {
    const last = lines.at(-1);
    if (last?.kind === "note" && isSame(last, told)) {
      lines[lines.length - 1] = { ...last, seq: told.seq, at: told.at, times: (last.times ?? 1) + 1 };
    } else lines.push(told);
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
      if (line?.kind === "note") note(line);
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

/** What an entry of the log is to people; undefined for what needs no saying. `self` is the floor's own name. */
export function lineOf(entry: TranscriptEntry, self: string | undefined): Line | undefined {
  if (entry.kind === "event" && entry.event.eventType === "utterance") return utteranceLine(entry, entry.event);
  const told = noteOf(entry, self);
  if (told === undefined) return undefined;
  const { reason, tone = "quiet", ...rest } = told;
  return { kind: "note", seq: entry.seq, at: atOf(entry), tone, ...rest, ...(reason && { reason }) };
}

function atOf(entry: TranscriptEntry): string {
  return entry.kind === "hidden" ? (entry.whisper?.at ?? "") : entry.at;
}

/** Told again within a breath: one line says how often. */
function isSame(before: NoteLine, told: NoteLine): boolean {
  return (
    before.sign === told.sign &&
    before.reason === told.reason &&
    JSON.stringify(before.words) === JSON.stringify(told.words)
  );
}

function utteranceLine(
  entry: ShownEvent,
  event: Extract<ShownEvent["event"], { eventType: "utterance" }>,
): UtteranceLine {
  const { seq, at, sender, target, approvedBy, because } = entry;
  const dialogEvent = dialogEventIn(entry);
  const to = target ?? event.to?.speakerUri ?? event.to?.serviceUrl;
  // Agents of 0.9 name the speaker by anything: what is no URI is nobody else's.
  const isRelayed = dialogEvent.speakerUri !== sender && /^[a-z][a-z\d+.-]*:/iu.test(dialogEvent.speakerUri);
  const hadFloor = hadFloorBy(because);
  return {
    kind: "utterance",
    ...{ seq, at, sender, dialogEvent },
    isWhisper: event.to?.private === true,
    ...(to !== undefined && { to }),
    ...(isRelayed && { relayedFrom: dialogEvent.speakerUri }),
    ...(approvedBy !== undefined && { approvedBy }),
    ...(hadFloor !== undefined && { hadFloor }),
  };
}

/** The rule that let it pass says whether its speaker had the floor. */
function hadFloorBy(because: string | undefined): boolean | undefined {
  if (because === undefined) return undefined;
  if (because.includes("/not-granted") || because === "2.1/addressed") return false;
  return because.includes("/granted") ? true : undefined;
}
