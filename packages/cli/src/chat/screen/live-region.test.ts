import { expect, test } from "vitest";
import { createRegionPainter } from "./live-region.ts";

function terminal(columns: number) {
  const written: string[] = [];
  return { columns, written, write: (text: string) => void written.push(text) };
}

const at = (row: number, column: number) => ({ row, column });

test("printed rows go above the redrawn region", () => {
  const screen = terminal(40);
  const painter = createRegionPainter(screen);
  painter.paint(["hello"], { rows: ["status", "> "], cursor: at(1, 2) });
  painter.paint(["world"], { rows: ["status", "> x"], cursor: at(1, 3) });
  expect(screen.written[0]).toContain("hello\r\nstatus\r\n> ");
  // One row up to where the region begins, everything below erased, then anew.
  expect(screen.written[1]).toContain("\u001b[1A\r\u001b[Jworld\r\nstatus\r\n> x\r\u001b[3C");
});

test("nothing is written when nothing has changed", () => {
  const screen = terminal(40);
  const painter = createRegionPainter(screen);
  painter.paint([], { rows: ["> "], cursor: at(0, 2) });
  painter.paint([], { rows: ["> "], cursor: at(0, 2) });
  expect(screen.written).toHaveLength(1);
});

test("the region is found after the terminal was made narrower", () => {
  const screen = terminal(40);
  const painter = createRegionPainter(screen);
  painter.paint([], { rows: ["x".repeat(40), "> "], cursor: at(1, 2) });
  screen.columns = 15;
  painter.paint([], { rows: ["> "], cursor: at(0, 2) });
  expect(screen.written[1]).toContain("\u001b[3A\r\u001b[J");
});
