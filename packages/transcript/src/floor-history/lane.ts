import type { SeatKind } from "../transcript.ts";

/** `held` and `invited` may overlap: an invite grants the floor before anybody has joined (spec 1.12). */
export type SpanKind = "held" | "asked" | "invited" | "absent" | "unknown";

export type Span = { kind: SpanKind; from: number; to: number };

type Seat = "unknown" | "absent" | "invited" | "joined";

/** A lane while the log is read. Times are the sequence numbers since which something is so. */
export type Draft = {
  speakerUri: string;
  kind: SeatKind | undefined;
  spans: Span[];
  /** When it had a seat; it was absent else. */
  stays: { from: number; to: number }[];
  row: number;
  seat: Seat;
  seatSince: number;
  /** Undefined while nothing was heard of it. */
  isHeld: boolean | undefined;
  heldSince: number;
  askedSince: number | undefined;
};

export function newDraft(
  speakerUri: string,
  kind: SeatKind | undefined,
  row: number,
  since: number,
  isNew: boolean,
): Draft {
  return {
    ...{ speakerUri, kind, spans: [], stays: [], row },
    ...{ seat: isNew ? "absent" : "unknown", seatSince: since },
    ...{ isHeld: isNew ? false : undefined, heldSince: since, askedSince: undefined },
  };
}

export function hold(draft: Draft, isHeld: boolean, seq: number): void {
  if (isHeld) stopAsking(draft, seq);
  if (draft.isHeld === isHeld) return;
  closeHeld(draft, seq);
  draft.isHeld = isHeld;
  draft.heldSince = seq;
}

export function ask(draft: Draft, seq: number): void {
  if (draft.isHeld !== true) draft.askedSince ??= seq;
}

export function stopAsking(draft: Draft, seq: number): void {
  if (draft.askedSince !== undefined) span(draft, "asked", draft.askedSince, seq);
  draft.askedSince = undefined;
}

export function changeSeat(draft: Draft, seat: Seat, seq: number): void {
  if (draft.seat === seat) return;
  closeSeat(draft, seq);
  draft.seat = seat;
  draft.seatSince = seq;
}

function closeHeld(draft: Draft, seq: number): void {
  if (draft.isHeld !== false) span(draft, draft.isHeld === true ? "held" : "unknown", draft.heldSince, seq);
}

function closeSeat(draft: Draft, seq: number): void {
  const { seat, seatSince: from } = draft;
  if (seat === "invited") span(draft, "invited", from, seq);
  if (seat !== "absent") draft.stays.push({ from, to: seq });
}

function span(draft: Draft, kind: SpanKind, from: number, to: number): void {
  if (to > from) draft.spans.push({ kind, from, to });
}

function close(draft: Draft, seq: number): void {
  stopAsking(draft, seq);
  closeHeld(draft, seq);
  closeSeat(draft, seq);
}

/** What happened to `other`, and how it stands, is this one's from now on. */
export function absorb(draft: Draft, other: Draft, seq: number): void {
  close(draft, seq);
  draft.spans = joined(draft.spans, other.spans);
  draft.stays = joined(draft.stays, other.stays);
  const { seat, seatSince, isHeld, heldSince, askedSince } = other;
  Object.assign(draft, { seat, seatSince, isHeld, heldSince, askedSince });
}

/** In no order. The longer one grows, or a name that is taken on again and again would be copied each time. */
function joined<One>(some: One[], others: One[]): One[] {
  const [longer, shorter] = some.length < others.length ? [others, some] : [some, others];
  for (const one of shorter) longer.push(one);
  return longer;
}

/** All spans in order, the absences among them. Nothing more can happen to it. */
export function spansOf(draft: Draft, first: number, end: number): Span[] {
  close(draft, end);
  const { spans, stays } = draft;
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
