import { type Face, faceOf } from "../people/display-names.ts";
import type { FloorNow, Identification, SeatKind, TranscriptEntry } from "../transcript.ts";
import { ask, type Draft, type Span, spansOf } from "./lane.ts";
import { laneOf, type Mark, type Pause, type Reading, read, resume } from "./read-entries.ts";

/**
 * Who held the floor when, read from the log. The axis is the sequence number: a span is [from, to), and an entry's change
 * counts from its own number on. What cannot be known is `unknown`, never guessed.
 */
export type FloorHistory = {
  lanes: readonly Lane[];
  marks: readonly Mark[];
  pauses: readonly Pause[];
  /** Of the first entry that this reader may see, and of the last that is loaded; 1 and 0 for an empty log. */
  firstSeq: number;
  lastSeq: number;
};

export type Lane = { speakerUri: string; face: Face; kind?: SeatKind; spans: readonly Span[] };

export function floorHistory(
  entries: readonly TranscriptEntry[],
  identifications: ReadonlyMap<string, Identification>,
  view?: FloorNow,
): FloorHistory {
  const start = entries.findIndex((entry) => entry.kind !== "hidden" || entry.whisper !== undefined);
  const first = entries[start]?.seq ?? 1;
  const lastSeq = entries.at(-1)?.seq ?? 0;
  const reading: Reading = {
    drafts: [],
    bySpeaker: new Map(),
    marks: [],
    pauses: [],
    pausedSince: undefined,
    roles: new Map(),
    merged: new Map(),
    first,
    isWhole: entries[start]?.kind === "opened",
    newcomers: new Set(),
  };
  if (!reading.isWhole && view !== undefined) seedFrom(reading, view);
  if (start !== -1) for (let at = start; at < entries.length; at += 1) read(reading, entries[at] as TranscriptEntry);
  if (view !== undefined && view.seq >= first - 1 && view.seq <= lastSeq) completeFrom(reading, view, lastSeq);
  return finished(reading, lastSeq, identifications, view?.owner ?? reading.roles.get("owner"));
}

/** Those who were here before the first loaded entry; of their floor nothing is known yet. */
function seedFrom(reading: Reading, view: FloorNow): void {
  for (const { identification, kind, since } of view.conversants) {
    if (since < reading.first) laneOf(reading, identification.speakerUri, kind);
    else reading.newcomers.add(identification.speakerUri);
  }
  for (const [role, [speakerUri]] of Object.entries(view.assignedFloorRoles)) {
    if (speakerUri !== undefined) reading.roles.set(role, speakerUri);
  }
}

/** Of whom nothing was heard in all these entries: as it is now, so it was throughout. */
function completeFrom(reading: Reading, view: FloorNow, lastSeq: number): void {
  for (const { identification, state } of view.conversants) {
    const draft = laneOf(reading, identification.speakerUri);
    if (draft.seat === "unknown") draft.seat = state;
    draft.isHeld ??= view.floorGranted.includes(draft.speakerUri);
  }
  // That somebody waits is told to few (D11); the view tells everyone.
  for (const speakerUri of view.floorRequested) ask(laneOf(reading, speakerUri), lastSeq);
  if (view.isPaused && reading.pauses.length === 0) reading.pausedSince ??= { seq: reading.first };
}

function finished(
  reading: Reading,
  lastSeq: number,
  identifications: ReadonlyMap<string, Identification>,
  owner: string | undefined,
): FloorHistory {
  const { drafts, merged, marks, pauses, first: firstSeq } = reading;
  const end = lastSeq + 1;
  resume(reading, end);
  const kept = drafts.filter(({ row }) => !merged.has(row));
  const isOwners = ({ speakerUri }: Draft) => speakerUri === owner;
  const ordered = [...kept.filter(isOwners), ...kept.filter((one) => !isOwners(one))];
  const places = new Map(ordered.map(({ row }, place) => [row, place]));
  for (const one of marks) one.row = places.get(merged.get(one.row) ?? one.row) ?? 0;
  const lanes = ordered.map((draft) => {
    const { speakerUri, kind } = draft;
    const spans = spansOf(draft, firstSeq, end);
    return { speakerUri, face: faceOf(speakerUri, identifications.get(speakerUri)), ...(kind && { kind }), spans };
  });
  return { lanes, marks, pauses, firstSeq, lastSeq };
}
