import stringWidth from "string-width";
import type { Terminal } from "../../io.ts";

/** The redrawn rows at the bottom of the screen, and the cursor in them. */
export type Region = { rows: readonly string[]; cursor: { row: number; column: number } };

const hideCursor = "\u001b[?25l";
const showCursor = "\u001b[?25h";
/** Synchronized update; terminals without it ignore the sequence. */
const beginUpdate = "\u001b[?2026h";
const endUpdate = "\u001b[?2026l";
const eraseBelow = "\u001b[J";

/** Printed rows scroll as usual; the region stays at the bottom. */
export function createRegionPainter(terminal: Pick<Terminal, "columns" | "write">) {
  let shown: Region = { rows: [], cursor: { row: 0, column: 0 } };
  let columns = terminal.columns;
  const toTop = () => {
    const above = heightAbove(shown, terminal.columns);
    return `${above > 0 ? `\u001b[${above}A` : ""}\r${eraseBelow}`;
  };
  return {
    /** Prints rows, then draws the region below them. */
    paint(printed: readonly string[], region: Region): void {
      // A needless redraw would clear a selection made with the mouse.
      if (printed.length === 0 && columns === terminal.columns && isSame(shown, region)) return;
      const { rows, cursor } = region;
      const up = Math.max(rows.length - 1, 0) - cursor.row;
      const place = `${up > 0 ? `\u001b[${up}A` : ""}\r${cursor.column > 0 ? `\u001b[${cursor.column}C` : ""}`;
      const lines = printed.map((row) => `${row}\r\n`).join("");
      terminal.write(beginUpdate + hideCursor + toTop() + lines + rows.join("\r\n") + place + showCursor + endUpdate);
      shown = region;
      columns = terminal.columns;
    },
    /** Removes the region. */
    clear(): void {
      terminal.write(toTop() + showCursor);
      shown = { rows: [], cursor: { row: 0, column: 0 } };
    },
  };
}

function isSame(one: Region, other: Region): boolean {
  const isCursorSame = one.cursor.row === other.cursor.row && one.cursor.column === other.cursor.column;
  return isCursorSame && one.rows.join("\n") === other.rows.join("\n");
}

/** A narrower terminal has rewrapped the rows. */
function heightAbove({ rows, cursor }: Region, columns: number): number {
  const above = rows
    .slice(0, cursor.row)
    .reduce((sum, row) => sum + Math.max(1, Math.ceil(stringWidth(row) / columns)), 0);
  return above + Math.floor(cursor.column / columns);
}
