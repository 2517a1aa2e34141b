import stringWidth from "string-width";

/** The typed text as screen rows, and the cursor in them. */
export type InputLayout = { rows: readonly string[]; cursor: { row: number; column: number } };

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Wraps by width, so that rows and cursor match what the terminal shows. */
export function layOutInput(
  prompt: string,
  text: string,
  cursor: number,
  { columns, rowsMax }: { columns: number; rowsMax: number },
): InputLayout {
  const width = Math.max(columns - 1, 4);
  const rows = [prompt];
  let column = stringWidth(prompt);
  let place = { row: 0, column };
  for (const { segment, index } of segmenter.segment(text)) {
    const wide = stringWidth(segment);
    if (column + wide > width) {
      rows.push("");
      column = 0;
    }
    if (index <= cursor) place = { row: rows.length - 1, column };
    rows[rows.length - 1] += segment;
    column += wide;
  }
  if (cursor >= text.length) place = { row: rows.length - 1, column };
  const first = Math.max(0, Math.min(place.row - Math.floor(rowsMax / 2), rows.length - rowsMax));
  return { rows: rows.slice(first, first + rowsMax), cursor: { row: place.row - first, column: place.column } };
}
