import type { Line } from "@plenary/transcript";
import type { Entry } from "../../floor/conversation-client.ts";
import type { Io, Output } from "../../io.ts";
import { sanitizeText } from "../../output/sanitize.ts";
import type { Participants } from "../participants.ts";
import type { Screen } from "../session.ts";
import { chatColors } from "./colors.ts";
import { layOutLine } from "./transcript-layout.ts";

/** Wide enough to never wrap. */
const columns = 10_000;
const messageMax = 2_000_000;

/** A screen for scripts, which also records problems. */
export type ScriptScreen = Screen & {
  hadProblem(): boolean;
  /** Resolves when all output is written; rejects on a failed write. */
  written(): Promise<void>;
};

/** Writes in order. */
function createWriter() {
  let written = Promise.resolve();
  return {
    put(output: Output, text: string): void {
      written = written.then(() => output.write(text));
      written.catch(() => undefined); // `written()` reports it
    },
    written: () => written,
  };
}

/** Without a terminal: the transcript on stdout, problems on stderr. */
export function plainScreen({ stdout, stderr, env }: Io): ScriptScreen {
  const colors = chatColors({ env });
  const writer = createWriter();
  let hadProblem = false;
  const put = (rows: readonly string[], output = stdout) => writer.put(output, rows.map((row) => `${row}\n`).join(""));
  return {
    printLine: (line: Line, participants: Participants) => put(layOutLine(line, participants, { colors, columns })),
    showMessage(text, tone = "plain") {
      if (tone === "problem") hadProblem = true;
      put([sanitizeText(text, messageMax)], tone === "plain" ? stdout : stderr);
    },
    refresh: () => {},
    restoreInput: () => {},
    hadProblem: () => hadProblem,
    written: writer.written,
  };
}

/** One JSON value per line: log entries, and the output of commands. */
export function jsonScreen({ stdout, stderr }: Io): ScriptScreen {
  const writer = createWriter();
  let hadProblem = false;
  const put = (value: object) => writer.put(stdout, `${JSON.stringify(value)}\n`);
  return {
    printLine: () => {},
    printEntry: (entry: Entry) => put(entry),
    showMessage(text, tone) {
      if (tone === "problem") hadProblem = true;
      if (tone === "quiet" || tone === "warning") writer.put(stderr, `${sanitizeText(text)}\n`);
      else put(tone === "problem" ? { problem: text } : { told: text });
    },
    refresh: () => {},
    restoreInput: () => {},
    hadProblem: () => hadProblem,
    written: writer.written,
  };
}
