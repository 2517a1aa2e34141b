import stringWidth from "string-width";

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Of plain words so much as fits, by what they take up on a screen and in whole characters. */
export function cut(text: string, columns: number): string {
  if (stringWidth(text) <= columns) return text;
  let short = "";
  for (const { segment } of segmenter.segment(text)) {
    if (stringWidth(short + segment) > columns - 1) break;
    short += segment;
  }
  return `${short}…`;
}
