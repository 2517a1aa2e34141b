import type { Lane, Mark, Span, SpanKind } from "@plenary/transcript";

export const laneHeight = 24;
/** Above this number, marks are aggregated per column. */
const marksMax = 1_500;
const columnPx = 2;
/** A short log is not stretched over the whole width, unless the view is zoomed. */
const seqPxMax = 18;
const edgePx = 8;

/** Visible sequence numbers, [from, to). */
export type Range = { from: number; to: number };

export type Scale = { range: Range; width: number; seqPx: number };

/** The newest entry is at the right edge. */
export function scaleOf(range: Range, width: number, isWhole = true): Scale {
  const seqPx = Math.max(1, width - 2 * edgePx) / Math.max(1, range.to - range.from);
  return { range, width, seqPx: isWhole ? Math.min(seqPxMax, seqPx) : seqPx };
}

export function xOf({ range, width, seqPx }: Scale, seq: number): number {
  return width - edgePx - (range.to - seq) * seqPx;
}

/** Center of an entry's column. */
export function markX(scale: Scale, seq: number): number {
  return xOf(scale, seq + 0.5);
}

export function seqAt(scale: Scale, x: number): number {
  const { range, width, seqPx } = scale;
  const seq = Math.floor(range.to - (width - edgePx - x) / seqPx);
  return Math.min(range.to - 1, Math.max(range.from, seq));
}

/** Index of the first mark at or after a sequence number. */
export function markIndexAt(marks: readonly Mark[], seq: number): number {
  let low = 0;
  let high = marks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((marks[middle]?.seq ?? 0) < seq) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Spans of one kind as one path; gaps below one pixel are closed. */
export function spansPath(lane: Lane, wanted: SpanKind, scale: Scale, height: number): string {
  const top = (laneHeight - height) / 2;
  const own = lane.spans.filter(({ kind }) => kind === wanted);
  // A conversant cannot speak before it joins, so the floor appears as held from then on.
  const drawn = wanted === "held" ? without(own, lane, "invited") : own;
  return pieces(drawn, scale)
    .map(([from, to]) => bar(from, to, top, height))
    .join("");
}

/** Base line of a lane while the conversant is present. */
export function basePath(lane: Lane, scale: Scale): string {
  const here = without([scale.range], lane, "absent");
  return pieces(here, scale)
    .map(([from, to]) => `M${r(from)} ${laneHeight / 2}H${r(to)}`)
    .join("");
}

/** Subtracts the spans of one kind, which are in order. */
function without(ranges: readonly Range[], { spans }: Lane, unwanted: SpanKind): Range[] {
  let left: Range[] = [...ranges];
  for (const { kind, from, to } of spans) {
    if (kind !== unwanted) continue;
    left = left.flatMap((one) => {
      if (to <= one.from || from >= one.to) return [one];
      return [
        { from: one.from, to: from },
        { from: to, to: one.to },
      ].filter((rest) => rest.to > rest.from);
    });
  }
  return left;
}

function pieces(ranges: readonly Range[], scale: Scale): [number, number][] {
  const { range, width } = scale;
  const found: [number, number][] = [];
  for (const { from, to } of ranges) {
    if (to <= range.from || from >= range.to) continue;
    const left = xOf(scale, Math.max(from, range.from));
    // An open span extends to the edge.
    const right = Math.max(left + 1, to >= range.to ? width : xOf(scale, to));
    const last = found.at(-1);
    if (last !== undefined && left - last[1] < 1) last[1] = Math.max(last[1], right);
    else found.push([left, right]);
  }
  return found;
}

function bar(from: number, to: number, top: number, height: number): string {
  const round = Math.min(4, (to - from) / 2);
  const [x, wide, high] = [r(from + round), r(to - from - 2 * round), r(height - 2 * round)];
  const arc = (dx: number, dy: number) => `a${r(round)} ${r(round)} 0 0 1 ${r(dx)} ${r(dy)}`;
  return `M${x} ${top}h${wide}${arc(round, round)}v${high}${arc(-round, round)}h${-wide}${arc(-round, -round)}v${-high}${arc(round, -round)}z`;
}

function r(value: number): number {
  return Math.round(value * 10) / 10;
}

export type TickStyle = "tall" | "short" | "whisper" | "refused" | "missed" | "role";

function styleOf({ kind, isWhisper, withFloor }: Mark): TickStyle {
  if (kind !== "utterance") return kind;
  if (isWhisper) return "whisper";
  return withFloor === false ? "short" : "tall";
}

/** Relative to the center of the lane. */
const shapes: Readonly<Record<TickStyle, string>> = {
  tall: "m0-6.500v13",
  short: "m-2-3.500h4v7h-4z",
  whisper: "m-3.500-.5h7v5h-7zm1.500 0v-2a2 2 0 0 1 4 0v2",
  refused: "m-2.500-2.500l5 5m0-5l-5 5",
  missed: "m0-4l4 7.500h-8z",
  role: "m0-4l4 4l-4 4l-4-4z",
};

/** One path per lane and style, however many marks there are. */
type Ticks = { isDense: boolean; paths: readonly Readonly<Partial<Record<TickStyle, string>>>[] };

export function ticksOf(marks: readonly Mark[], laneCount: number, scale: Scale): Ticks {
  const start = markIndexAt(marks, scale.range.from);
  const end = markIndexAt(marks, scale.range.to);
  const paths: Partial<Record<TickStyle, string>>[] = Array.from({ length: laneCount }, () => ({}));
  const isDense = end - start > marksMax;
  const add = (row: number, style: TickStyle, piece: string) => {
    const own = paths[row];
    if (own !== undefined) own[style] = (own[style] ?? "") + piece;
  };
  if (isDense) {
    for (const { row, style, x, height } of columnsOf(marks.slice(start, end), scale)) {
      add(row, style, `M${x} ${r(laneHeight / 2 - height / 2)}v${r(height)}`);
    }
    return { isDense, paths };
  }
  for (let index = start; index < end; index += 1) {
    const mark = marks[index] as Mark;
    const style = styleOf(mark);
    add(mark.row, style, `M${r(markX(scale, mark.seq))} ${laneHeight / 2}${shapes[style]}`);
  }
  return { isDense, paths };
}

type Column = { row: number; style: TickStyle; x: number; height: number };

/** A column is taller the more marks it stands for. */
function columnsOf(marks: readonly Mark[], scale: Scale): Column[] {
  const counts = new Map<string, Column & { count: number }>();
  let most = 1;
  for (const mark of marks) {
    const style = styleOf(mark);
    const x = Math.round(markX(scale, mark.seq) / columnPx) * columnPx;
    const key = `${mark.row} ${style} ${x}`;
    const column = counts.get(key) ?? { row: mark.row, style, x, height: 0, count: 0 };
    column.count += 1;
    if (column.count > most) most = column.count;
    counts.set(key, column);
  }
  return [...counts.values()].map((column) => ({ ...column, height: 3 + 12 * Math.sqrt(column.count / most) }));
}

const reachPx = 9;

/** The nearest mark of the lane within reach of the pointer. */
export function markNear(marks: readonly Mark[], scale: Scale, x: number, row: number): Mark | undefined {
  const reach = Math.ceil(reachPx / scale.seqPx);
  const middle = seqAt(scale, x);
  const { from, to } = scale.range;
  let found: Mark | undefined;
  let nearest = reachPx;
  for (let index = markIndexAt(marks, Math.max(from, middle - reach)); index < marks.length; index += 1) {
    const mark = marks[index] as Mark;
    if (mark.seq > middle + reach || mark.seq >= to) break;
    const distance = Math.abs(markX(scale, mark.seq) - x);
    if (mark.row === row && distance <= nearest) {
      nearest = distance;
      found = mark;
    }
  }
  return found;
}

const spanPriority: readonly SpanKind[] = ["asked", "invited", "held", "unknown", "absent"];

/** The state of a lane at an entry; of overlapping spans the most important. */
export function spanAt({ spans }: Lane, seq: number): Span | undefined {
  const there = spans.filter(({ from, to }) => from <= seq && seq < to);
  return there.sort((a, b) => spanPriority.indexOf(a.kind) - spanPriority.indexOf(b.kind))[0];
}
