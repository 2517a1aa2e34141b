import pc from "picocolors";
import stringWidth from "string-width";
import type { Io, Output } from "../io.ts";

export type Colours = ReturnType<typeof pc.createColors>;

/** Colours only on a terminal, and not with NO_COLOR (https://no-color.org). */
export function coloursFor(output: Output, env: Io["env"]): Colours {
  const unwanted = (env.NO_COLOR ?? "") !== "" || env.TERM === "dumb";
  return pc.createColors(output.isTty && !unwanted);
}

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

/** Quotes a word for the shell, so that printed commands can be copied. */
export function shellQuote(text: string): string {
  return /^[\w./:@%+=,-]+$/u.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
