import type { FloorHistory, Mark } from "@plenary/transcript";
import { markIndexAt, type Range } from "./layout.ts";

/** State of the strip: sequence number of the current mark, and the zoomed range (everything when undefined). */
export type StripView = { current: number | undefined; range: Range | undefined };

const seqsMin = 6;

/** The view after a key, or undefined when the key does nothing. */
export function viewAfterKey(key: string, view: StripView, history: FloorHistory): StripView | undefined {
  const { marks } = history;
  const last = marks.length - 1;
  const at = view.current === undefined ? last : markIndexAt(marks, view.current);
  switch (key) {
    case "ArrowLeft":
      return goTo(view, view.current === undefined ? last : at - 1, history);
    case "ArrowRight":
      return goTo(view, view.current === undefined ? last : at + 1, history);
    case "Home":
      return goTo(view, 0, history);
    case "End":
      return goTo(view, last, history);
    case "ArrowUp":
      return goTo(view, nearestInLane(marks, at, -1) ?? at, history);
    case "ArrowDown":
      return goTo(view, nearestInLane(marks, at, 1) ?? at, history);
    case "+":
    case "=":
      return { ...view, range: zoomed(view, history, 0.5) };
    case "-":
      return { ...view, range: zoomed(view, history, 2) };
    case "0":
      return { ...view, range: undefined };
    default:
      return undefined;
  }
}

function goTo({ range }: StripView, index: number, { marks }: FloorHistory): StripView | undefined {
  const seq = marks[Math.min(marks.length - 1, Math.max(0, index))]?.seq;
  return seq === undefined ? undefined : { current: seq, range: range && showing(range, seq) };
}

/** Moves the range just far enough to contain the entry. */
function showing({ from, to }: Range, seq: number): Range {
  const by = seq < from ? seq - from : Math.max(0, seq + 1 - to);
  return { from: from + by, to: to + by };
}

/** The nearest mark in the next lane up or down that has marks. */
function nearestInLane(marks: readonly Mark[], at: number, step: -1 | 1): number | undefined {
  const here = marks[at];
  if (here === undefined) return undefined;
  let found: number | undefined;
  for (let index = 0; index < marks.length; index += 1) {
    const { row, seq } = marks[index] as Mark;
    if ((row - here.row) * step <= 0) continue;
    const best = found === undefined ? undefined : marks[found];
    const nearerLane = best === undefined ? 1 : (best.row - row) * step;
    const nearer = best !== undefined && Math.abs(seq - here.seq) < Math.abs(best.seq - here.seq);
    if (nearerLane > 0 || (nearerLane === 0 && nearer)) found = index;
  }
  return found;
}

function zoomed(view: StripView, history: FloorHistory, factor: number): Range | undefined {
  const { firstSeq, lastSeq } = history;
  const whole = { from: firstSeq, to: lastSeq + 1 };
  const { from, to } = view.range ?? whole;
  const breadth = Math.max(seqsMin, Math.round((to - from) * factor));
  const middle = view.current ?? to - (to - from) / 4;
  return clipped({ from: Math.round(middle - breadth / 2), to: Math.round(middle + breadth / 2) }, history);
}

/** Clips the range to the log; undefined when it covers all of it. */
export function clipped({ from, to }: Range, { firstSeq, lastSeq }: FloorHistory): Range | undefined {
  const end = lastSeq + 1;
  const breadth = Math.max(seqsMin, to - from);
  if (breadth >= end - firstSeq) return undefined;
  const start = Math.min(Math.max(from, firstSeq), end - breadth);
  return { from: start, to: start + breadth };
}
