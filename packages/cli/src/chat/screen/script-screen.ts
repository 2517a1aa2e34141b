import type { Io, Output } from "../../io.ts";
import { sanitizeText } from "../../output/sanitize.ts";
import type { Screen } from "../session.ts";
import { chatColors } from "./colors.ts";
import { layOutLine } from "./transcript-layout.ts";

/** Wide enough to never wrap. */
const columns = 10_000;
const messageMax = 2_000_000;

/**
 * For scripts, which ask for problems at the end: the transcript on stdout and problems on stderr, or one JSON value per
 * line for each log entry and the output of commands.
 */
export function scriptScreen({ stdout, stderr, env }: Io, isJson: boolean) {
  const colors = chatColors({ env });
  let written = Promise.resolve();
  let hadProblem = false;
  const write = (output: Output, text: string) => {
    written = written.then(() => output.write(text));
    written.catch(() => undefined); // `written()` reports it
  };
  const writeJson = (value: object) => write(stdout, `${JSON.stringify(value)}\n`);
  const screen: Screen = {
    printLine(line, participants) {
      if (isJson) return;
      const rows = layOutLine(line, participants, { colors, columns });
      write(stdout, rows.map((row) => `${row}\n`).join(""));
    },
    ...(isJson && { printEntry: writeJson }),
    showMessage(text, tone = "plain") {
      if (tone === "problem") hadProblem = true;
      if (isJson && tone === "plain") writeJson({ told: text });
      else if (isJson && tone === "problem") writeJson({ problem: text });
      else write(tone === "plain" ? stdout : stderr, `${sanitizeText(text, messageMax)}\n`);
    },
    refresh: () => {},
    restoreInput: () => {},
  };
  return {
    ...screen,
    hadProblem: () => hadProblem,
    /** Resolves when all output is written; rejects on a failed write. */
    written: () => written,
  };
}
