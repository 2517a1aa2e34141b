import { type Face, faceOf } from "../people/display-names.ts";
import type { FloorNow, Identification, SeatKind, TranscriptEntry } from "../transcript.ts";
import { ask, type LaneBuilder, type Span, spansOf } from "./lane.ts";
import { type HistoryReading, laneOf, type Mark, type Pause, read, resume } from "./read-entries.ts";

/**
 * Who held the floor when, computed from the log. The axis is the sequence number: a span is [from, to), and an entry's change
 * counts from its own number on. Missing knowledge is `unknown`, never guessed.
 */
export type FloorHistory = {
  lanes: readonly Lane[];
  marks: readonly Mark[];
  pauses: readonly Pause[];
  /** The first entry that the reader may see, and the last loaded one; 1 and 0 for an empty log. */
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
  const reading: HistoryReading = {
    builders: [],
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

/** Adds the conversants from before the first loaded entry; their floor rights are unknown yet. */
function seedFrom(reading: HistoryReading, view: FloorNow): void {
  for (const { identification, kind, since } of view.conversants) {
    if (since < reading.first) laneOf(reading, identification.speakerUri, kind);
    else reading.newcomers.add(identification.speakerUri);
  }
  for (const [role, [speakerUri]] of Object.entries(view.assignedFloorRoles)) {
    if (speakerUri !== undefined) reading.roles.set(role, speakerUri);
  }
}

/** A conversant without any change in these entries was all the time as it is now. */
function completeFrom(reading: HistoryReading, view: FloorNow, lastSeq: number): void {
  for (const { identification, state } of view.conversants) {
    const lane = laneOf(reading, identification.speakerUri);
    if (lane.seat === "unknown") lane.seat = state;
    lane.isHeld ??= view.floorGranted.includes(lane.speakerUri);
  }
  // Few entries about waiting requests are visible (D11); the view lists them for everyone.
  for (const speakerUri of view.floorRequested) ask(laneOf(reading, speakerUri), lastSeq);
  if (view.isPaused && reading.pauses.length === 0) reading.pausedSince ??= { seq: reading.first };
}

function finished(
  reading: HistoryReading,
  lastSeq: number,
  identifications: ReadonlyMap<string, Identification>,
  owner: string | undefined,
): FloorHistory {
  const { builders, merged, marks, pauses, first: firstSeq } = reading;
  const end = lastSeq + 1;
  resume(reading, end);
  const kept = builders.filter(({ row }) => !merged.has(row));
  const isOwners = ({ speakerUri }: LaneBuilder) => speakerUri === owner;
  const ordered = [...kept.filter(isOwners), ...kept.filter((one) => !isOwners(one))];
  const places = new Map(ordered.map(({ row }, place) => [row, place]));
  for (const one of marks) one.row = places.get(merged.get(one.row) ?? one.row) ?? 0;
  const lanes = ordered.map((lane) => {
    const { speakerUri, kind } = lane;
    const spans = spansOf(lane, firstSeq, end);
    return { speakerUri, face: faceOf(speakerUri, identifications.get(speakerUri)), ...(kind && { kind }), spans };
  });
  return { lanes, marks, pauses, firstSeq, lastSeq };
}
