import type { SeatKind, ShownEvent, TranscriptEntry } from "../transcript.ts";
import { absorb, ask, changeSeat, hold, type LaneBuilder, newLane, stopAsking } from "./lane.ts";

export type Pause = { from: number; to: number; because?: string };

export type Mark = {
  kind: "utterance" | "refused" | "missed" | "role";
  seq: number;
  /** The lane it is drawn in. */
  row: number;
  entry: TranscriptEntry;
  /** Of an utterance: whether its speaker had the floor; absent when unknown. */
  withFloor?: boolean;
  isWhisper?: true;
  to?: string;
};

/** The state while a log is read. */
export type HistoryReading = {
  builders: LaneBuilder[];
  bySpeaker: Map<string, LaneBuilder>;
  marks: Mark[];
  pauses: Pause[];
  pausedSince: { seq: number; because?: string } | undefined;
  roles: Map<string, string>;
  /** Lanes that were merged into another one: [row, row of the other]. */
  merged: Map<number, number>;
  first: number;
  /** True when the log is read from its first entry. */
  isWhole: boolean;
  newcomers: Set<string>;
};

/** Reads the next entry. */
export function read(reading: HistoryReading, entry: TranscriptEntry): void {
  const { seq } = entry;
  switch (entry.kind) {
    case "opened":
      if (entry.owner !== undefined) open(reading, entry.owner, seq);
      return;
    case "event":
      takeEffect(reading, entry);
      return;
    case "seated":
      sit(reading, entry.seat, seq);
      if (entry.isGranted === true) hold(laneOf(reading, entry.seat.identification.speakerUri), true, seq);
      return;
    case "renamed":
      rename(reading, entry);
      return;
    case "role":
      changeRole(reading, entry);
      return;
    case "parked":
      if (entry.event?.eventType === "requestFloor") ask(beneficiary(reading, entry.sender, entry.event), seq);
      return;
    case "held":
      ask(laneOf(reading, entry.speakerUri), seq);
      return;
    case "refused":
      reading.marks.push({ kind: "refused", seq, entry, row: laneOf(reading, entry.sender).row });
      return;
    case "missed":
      reading.marks.push({ kind: "missed", seq, entry, row: laneOf(reading, entry.speakerUri).row });
      return;
    case "paused":
      reading.pausedSince ??= { seq, ...(entry.because !== undefined && { because: entry.because }) };
      return;
    case "resumed":
      resume(reading, seq);
      return;
    case "hidden":
      if (entry.whisper !== undefined) unheard(reading, entry, entry.whisper);
      return;
    default:
      return;
  }
}

type SeatFact = Extract<TranscriptEntry, { kind: "seated" }>["seat"];

function open(reading: HistoryReading, owner: SeatFact, seq: number): void {
  const lane = sit(reading, owner, seq);
  hold(lane, true, seq);
  reading.roles.set("owner", lane.speakerUri);
}

function sit(reading: HistoryReading, { identification, kind, state }: SeatFact, seq: number): LaneBuilder {
  const lane = laneOf(reading, identification.speakerUri, kind);
  // A seated conversant is not invited, so it was absent before.
  if (state === "invited" && lane.seat === "unknown") {
    lane.seat = "absent";
    lane.isHeld ??= false;
  }
  changeSeat(lane, state, seq);
  return lane;
}

function takeEffect(reading: HistoryReading, entry: ShownEvent): void {
  const { seq, sender, event, target } = entry;
  switch (event.eventType) {
    case "utterance":
      say(reading, entry);
      return;
    case "requestFloor":
      ask(beneficiary(reading, sender, event), seq);
      return;
    case "yieldFloor":
      hold(laneOf(reading, sender), false, seq);
      return;
    case "invite":
    case "grantFloor":
      if (target !== undefined) hold(laneOf(reading, target), true, seq);
      return;
    case "revokeFloor":
      if (target !== undefined) lose(laneOf(reading, target), entry.isNotice === true, seq);
      return;
    case "bye":
    case "uninvite":
    case "declineInvite":
      if (target !== undefined) leave(reading, laneOf(reading, target), seq);
      return;
    default:
      return;
  }
}

/** Spec 0.4.3: a conversant may ask for another; a request addressed to the convener is for the sender itself. */
function beneficiary(reading: HistoryReading, sender: string, { to }: ShownEvent["event"]): LaneBuilder {
  const named = to?.speakerUri === undefined ? undefined : reading.bySpeaker.get(to.speakerUri);
  const isOther = named !== undefined && named.speakerUri !== reading.roles.get("convener");
  return isOther ? named : laneOf(reading, sender);
}

function say(reading: HistoryReading, entry: ShownEvent): void {
  const { seq, sender, event, because } = entry;
  const lane = laneOf(reading, sender);
  const hadFloor = because?.startsWith("2.2/utterance/") ? because.includes("/granted/") : undefined;
  // Nothing had changed before, so what the rule says now holds from the beginning.
  lane.isHeld ??= hadFloor;
  const to = entry.target ?? event.to?.speakerUri;
  reading.marks.push({
    kind: "utterance",
    seq,
    entry,
    row: lane.row,
    ...(lane.isHeld !== undefined && { withFloor: lane.isHeld }),
    ...(event.to?.private === true && { isWhisper: true }),
    ...(to !== undefined && { to }),
  });
}

/** A whisper between others: its existence is shown, its words are not. */
function unheard(reading: HistoryReading, entry: TranscriptEntry, { from, to }: { from: string; to?: string }): void {
  const { row, isHeld } = laneOf(reading, from);
  reading.marks.push({
    kind: "utterance",
    seq: entry.seq,
    entry,
    row,
    isWhisper: true,
    ...(isHeld !== undefined && { withFloor: isHeld }),
    ...(to !== undefined && { to }),
  });
}

function changeRole(reading: HistoryReading, entry: Extract<TranscriptEntry, { kind: "role" }>): void {
  const { seq, role, speakerUri } = entry;
  const about = speakerUri ?? reading.roles.get(role);
  if (speakerUri === undefined) reading.roles.delete(role);
  else reading.roles.set(role, speakerUri);
  if (about !== undefined) reading.marks.push({ kind: "role", seq, entry, row: laneOf(reading, about).row });
}

export function resume(reading: HistoryReading, seq: number): void {
  const { pausedSince: since } = reading;
  reading.pausedSince = undefined;
  if (since === undefined) return;
  reading.pauses.push({ from: since.seq, to: seq, ...(since.because !== undefined && { because: since.because }) });
}

function lose(lane: LaneBuilder, isNotice: boolean, seq: number): void {
  stopAsking(lane, seq);
  // A notice goes to a speaker without the floor.
  if (isNotice) lane.isHeld ??= false;
  else hold(lane, false, seq);
}

function leave(reading: HistoryReading, lane: LaneBuilder, seq: number): void {
  hold(lane, false, seq);
  stopAsking(lane, seq);
  changeSeat(lane, "absent", seq);
  for (const [role, speakerUri] of reading.roles) if (speakerUri === lane.speakerUri) reading.roles.delete(role);
}

export function laneOf(reading: HistoryReading, speakerUri: string, kind?: SeatKind): LaneBuilder {
  const known = reading.bySpeaker.get(speakerUri);
  if (known !== undefined) {
    if (kind !== undefined) known.kind = kind;
    return known;
  }
  const { first: since, builders } = reading;
  const isNew = reading.isWhole || reading.newcomers.has(speakerUri);
  const lane = newLane(speakerUri, kind, builders.length, since, isNew);
  builders.push(lane);
  reading.bySpeaker.set(speakerUri, lane);
  return lane;
}

/** An agent that was invited by its address answers under its own name; it may have been here before. */
function rename(reading: HistoryReading, { seq, from, to }: Extract<TranscriptEntry, { kind: "renamed" }>): void {
  const lane = laneOf(reading, from);
  const earlier = reading.bySpeaker.get(to);
  reading.bySpeaker.delete(from);
  for (const [role, speakerUri] of reading.roles) if (speakerUri === from) reading.roles.set(role, to);
  lane.speakerUri = to;
  if (earlier === undefined) {
    reading.bySpeaker.set(to, lane);
    return;
  }
  absorb(earlier, lane, seq);
  reading.merged.set(lane.row, earlier.row);
}
