import stringWidth from "string-width";

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Shortens plain text to a width in terminal columns, at a character boundary. */
export function truncate(text: string, columns: number): string {
  if (stringWidth(text) <= columns) return text;
  let short = "";
  for (const { segment } of segmenter.segment(text)) {
    if (stringWidth(short + segment) > columns - 1) break;
    short += segment;
  }
  return `${short}…`;
}
