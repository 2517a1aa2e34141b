import { type FloorHistory, floorHistory } from "../floor-history/floor-history.ts";
import type { Line } from "../lines/line.ts";
import { createTranscriptLines } from "../lines/transcript-lines.ts";
import { faceOf, nameIn } from "../people/display-names.ts";
import type { SeatKind, Transcript } from "../transcript.ts";
import { oneLine } from "./plain-text.ts";

/** The data that every export format renders. */
export type ExportDocument = {
  lines: readonly Line[];
  history: FloorHistory;
  /** The conversants, in the order of the lanes, then other known people. */
  people: readonly Person[];
  /** Finds a person also by a former name. */
  personFor(speakerUri: string): Person;
};

export type Person = { speakerUri: string; name: string; initials: string; hue: number; kind?: SeatKind };

export function documentOf({ entries, conversants, readAs = "", now }: Transcript): ExportDocument {
  const telling = createTranscriptLines();
  telling.look({ conversants: conversants.map((one) => ({ identification: { ...blank, ...one } })) });
  if (now !== undefined) telling.look(now);
  for (const entry of entries) telling.add(entry);
  const identifications = telling.identifications();
  const history = floorHistory(entries, identifications, now);
  const kinds = new Map(conversants.map(({ speakerUri, kind }) => [speakerUri, kind]));
  for (const { speakerUri, kind } of history.lanes) if (kind !== undefined) kinds.set(speakerUri, kind);
  const known = new Map<string, Person>();
  const personFor = (name: string): Person => {
    const speakerUri = identifications.get(name)?.speakerUri ?? name;
    const before = known.get(speakerUri);
    if (before !== undefined) return before;
    const kind = kinds.get(speakerUri);
    const face = faceOf(speakerUri, identifications.get(speakerUri));
    const shown = oneLine(nameIn({ identifications, me: readAs }, speakerUri), nameMax);
    const person = { speakerUri, ...face, name: shown, ...(kind !== undefined && { kind }) };
    known.set(speakerUri, person);
    return person;
  };
  const uris = [...history.lanes.map(({ speakerUri }) => speakerUri), ...identifications.keys()];
  const people = [...new Set(uris.map(personFor))];
  return { lines: telling.lines(), history, people, personFor };
}

const nameMax = 100;

const blank = { serviceUrl: "", organization: "", synopsis: "" };

export function titleOf({ title, id }: Pick<Transcript, "title" | "id">): string {
  return title ?? `Conversation ${id}`;
}

/** Whose view it is, in a sentence. */
export function viewWords({ readAs, leftOut = 0 }: Transcript, { personFor }: ExportDocument): string {
  const whose =
    readAs === undefined ? "As everybody may read it: without whispers." : `As ${personFor(readAs).name} may read it.`;
  return leftOut === 0 ? whose : `${whose} The first ${leftOut} entries are left out: an export as jsonl has them.`;
}

/** Day and time of a time stamp, in UTC. Empty for an invalid one. */
export function momentIn(at: string): { day: string; time: string } {
  const [, day = "", time = ""] = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)/u.exec(at) ?? [];
  return { day, time };
}

/** The text of a note. `nameFor` writes names, `write` the other parts. */
export function noteText(
  { words, reason, times }: Extract<Line, { kind: "note" }>,
  nameFor: (speakerUri: string) => string,
  write: (words: string) => string,
): string {
  const sentence = words.map((one) => (typeof one === "string" ? write(one) : nameFor(one.speakerUri))).join("");
  const why = reason === undefined || reason === "" ? "" : write(`: ${reason}`);
  return `${sentence}${why}${times === undefined ? "" : ` (${times} times)`}`;
}
