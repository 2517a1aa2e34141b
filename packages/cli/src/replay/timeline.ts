import { type Comparison, isSameLane, laneOf, type StripLane } from "@plenary/transcript";
import stringWidth from "string-width";
import type { Colours } from "../output/format.ts";
import { printable } from "../output/sanitize.ts";
import { truncate } from "../output/truncate.ts";

export type TimelineStyle = { columns: number; colours: Pick<Colours, "bold" | "dim" | "green" | "yellow" | "red"> };

/** More lanes would not be readable. */
const lanesMax = 40;
const nameMax = 20;
const wideMax = 4;

/** Two lines per conversant, or one if both are equal. The axis is the recorded inputs, equally wide. */
export function timelineLines(
  { was, would, steps }: Comparison,
  nameOf: (uri: string) => string,
  sheet: TimelineStyle,
): string[] {
  const all = [...new Set([...was.lanes, ...would.lanes].map(({ speakerUri }) => speakerUri))];
  const shown = all.slice(0, lanesMax);
  const names = shown.map((uri) => truncate(printable(nameOf(uri)), nameMax));
  const width = Math.max(0, ...names.map((name) => stringWidth(name)));
  const barWidth = Math.max(10, sheet.columns - width - "  would  ".length);
  const barFor = (lane: StripLane | undefined) => lane && bar(lane, steps, barWidth, sheet.colours);
  const lines = shown.flatMap((uri, index) => {
    const [one, other] = [laneOf(was, uri), laneOf(would, uri)];
    const name = names[index] ?? "";
    const padded = `${sheet.colours.bold(name)}${" ".repeat(width - stringWidth(name))}`;
    if (one === undefined) return [`${padded}  would  ${barFor(other)}`];
    if (other === undefined) return [`${padded}  was    ${barFor(one)}`];
    if (isSameLane(one, other)) return [`${padded}  same   ${barFor(one)}`];
    return [`${padded}  was    ${barFor(one)}`, `${" ".repeat(width)}  would  ${barFor(other)}`];
  });
  const more = all.length > shown.length ? [`and ${all.length - shown.length} more conversants`] : [];
  return [...lines.map((line) => line.trimEnd()), ...more];
}

type Cell = "refused" | "heard" | "asked" | "held" | "here" | "absent";

export const legend = "█ has the floor  ▒ waits for it  ─ is present without it  | was heard  x was refused";

const signs: Readonly<Record<Cell, string>> = {
  refused: "x",
  heard: "|",
  asked: "▒",
  held: "█",
  here: "─",
  absent: " ",
};

function bar(lane: StripLane, steps: number, width: number, colours: TimelineStyle["colours"]): string {
  const cells = cellsOf(lane, steps, width);
  const colour = { refused: colours.red, asked: colours.yellow, held: colours.green, here: colours.dim };
  let text = "";
  for (let at = 0; at < cells.length; ) {
    const cell = cells[at] as Cell;
    let end = at;
    while (cells[end] === cell) end += 1;
    const run = signs[cell].repeat(end - at);
    text += cell === "heard" || cell === "absent" ? run : colour[cell](run);
    at = end;
  }
  return text;
}

/** Few steps are drawn wider; many steps share a column, which then shows the rarest state. */
export function cellsOf({ spans, marks }: StripLane, steps: number, width: number): Cell[] {
  const wide = Math.min(wideMax, Math.max(1, Math.floor(width / Math.max(1, steps))));
  const columns = Math.min(width, steps * wide);
  const columnOf = (step: number) => Math.min(columns - 1, Math.floor((step * columns) / steps));
  const cells = new Array<Cell>(columns).fill("here");
  for (const cell of ["absent", "held", "asked"] as const) {
    for (const { kind, from, to } of spans) {
      if (kind === cell) cells.fill(cell, columnOf(from), Math.ceil((to * columns) / steps));
    }
  }
  for (const sign of ["heard", "refused"] as const) {
    for (const { kind, step } of marks) if (kind === sign && columns > 0) cells[columnOf(step)] = sign;
  }
  return cells;
}
