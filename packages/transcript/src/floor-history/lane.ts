import type { SeatKind } from "../transcript.ts";

/** `held` and `invited` may overlap: an invite grants the floor before the agent has joined (spec 1.12). */
export type SpanKind = "held" | "asked" | "invited" | "absent" | "unknown";

export type Span = { kind: SpanKind; from: number; to: number };

type Seat = "unknown" | "absent" | "invited" | "joined";

/** A lane while the log is read. The `...Since` fields are sequence numbers. */
export type LaneBuilder = {
  speakerUri: string;
  kind: SeatKind | undefined;
  spans: Span[];
  /** The times with a seat; it was absent otherwise. */
  stays: { from: number; to: number }[];
  row: number;
  seat: Seat;
  seatSince: number;
  /** Undefined while it is unknown. */
  isHeld: boolean | undefined;
  heldSince: number;
  askedSince: number | undefined;
};

export function newLane(
  speakerUri: string,
  kind: SeatKind | undefined,
  row: number,
  since: number,
  isNew: boolean,
): LaneBuilder {
  return {
    speakerUri,
    kind,
    spans: [],
    stays: [],
    row,
    seat: isNew ? "absent" : "unknown",
    seatSince: since,
    isHeld: isNew ? false : undefined,
    heldSince: since,
    askedSince: undefined,
  };
}

export function hold(lane: LaneBuilder, isHeld: boolean, seq: number): void {
  if (isHeld) stopAsking(lane, seq);
  if (lane.isHeld === isHeld) return;
  closeHeld(lane, seq);
  lane.isHeld = isHeld;
  lane.heldSince = seq;
}

export function ask(lane: LaneBuilder, seq: number): void {
  if (lane.isHeld !== true) lane.askedSince ??= seq;
}

export function stopAsking(lane: LaneBuilder, seq: number): void {
  if (lane.askedSince !== undefined) span(lane, "asked", lane.askedSince, seq);
  lane.askedSince = undefined;
}

export function changeSeat(lane: LaneBuilder, seat: Seat, seq: number): void {
  if (lane.seat === seat) return;
  closeSeat(lane, seq);
  lane.seat = seat;
  lane.seatSince = seq;
}

function closeHeld(lane: LaneBuilder, seq: number): void {
  if (lane.isHeld !== false) span(lane, lane.isHeld === true ? "held" : "unknown", lane.heldSince, seq);
}

function closeSeat(lane: LaneBuilder, seq: number): void {
  const { seat, seatSince: from } = lane;
  if (seat === "invited") span(lane, "invited", from, seq);
  if (seat !== "absent") lane.stays.push({ from, to: seq });
}

function span(lane: LaneBuilder, kind: SpanKind, from: number, to: number): void {
  if (to > from) lane.spans.push({ kind, from, to });
}

function close(lane: LaneBuilder, seq: number): void {
  stopAsking(lane, seq);
  closeHeld(lane, seq);
  closeSeat(lane, seq);
}

/** Takes over the history and the state of `other`. */
export function absorb(lane: LaneBuilder, other: LaneBuilder, seq: number): void {
  close(lane, seq);
  lane.spans = joined(lane.spans, other.spans);
  lane.stays = joined(lane.stays, other.stays);
  const { seat, seatSince, isHeld, heldSince, askedSince } = other;
  Object.assign(lane, { seat, seatSince, isHeld, heldSince, askedSince });
}

/** Unordered. Appends to the longer list, so that repeated renames do not copy it each time. */
function joined<One>(some: One[], others: One[]): One[] {
  const [longer, shorter] = some.length < others.length ? [others, some] : [some, others];
  for (const one of shorter) longer.push(one);
  return longer;
}

/** All spans in order, with the absences. Closes the lane. */
export function spansOf(lane: LaneBuilder, first: number, end: number): Span[] {
  close(lane, end);
  const { spans, stays } = lane;
  spans.push(...gaps(stays, first, end));
  return spans.sort((a, b) => a.from - b.from);
}

function gaps(stays: { from: number; to: number }[], first: number, end: number): Span[] {
  const absent: Span[] = [];
  let reached = first;
  for (const { from, to } of stays.sort((a, b) => a.from - b.from)) {
    if (from > reached) absent.push({ kind: "absent", from: reached, to: from });
    reached = Math.max(reached, to);
  }
  if (end > reached) absent.push({ kind: "absent", from: reached, to: end });
  return absent;
}
