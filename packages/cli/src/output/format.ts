import pc from "picocolors";
import stringWidth from "string-width";
import type { Io, Output } from "../io.ts";

export type Colours = ReturnType<typeof pc.createColors>;

/** Colours are for people who look at a terminal and have not asked for none (https://no-color.org). */
export function coloursFor(output: Output, env: Io["env"]): Colours {
  const unwanted = (env.NO_COLOR ?? "") !== "" || env.TERM === "dumb";
  return pc.createColors(output.isTty && !unwanted);
}

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Of plain words so much as fits, by what they take up on a screen and in whole characters. */
export function truncate(text: string, columns: number): string {
  if (stringWidth(text) <= columns) return text;
  let short = "";
  for (const { segment } of segmenter.segment(text)) {
    if (stringWidth(short + segment) > columns - 1) break;
    short += segment;
  }
  return `${short}…`;
}

/** As a shell must be given it, so that a command can be copied from what we say. */
export function shellQuote(text: string): string {
  return /^[\w./:@%+=,-]+$/u.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
