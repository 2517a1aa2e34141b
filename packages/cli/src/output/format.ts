import pc from "picocolors";
import type { Io, Output } from "../io.ts";

export type Colours = ReturnType<typeof pc.createColors>;

/** Colours only on a terminal, and not with NO_COLOR (https://no-color.org). */
export function coloursFor(output: Output, env: Io["env"]): Colours {
  const unwanted = (env.NO_COLOR ?? "") !== "" || env.TERM === "dumb";
  return pc.createColors(output.isTty && !unwanted);
}

/** Quotes a word for the shell, so that printed commands can be copied. */
export function shellQuote(text: string): string {
  return /^[\w./:@%+=,-]+$/u.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
