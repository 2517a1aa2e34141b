import { basename } from "node:path";
import type { Manifest } from "@plenary/protocol";
import type { Io } from "../io.ts";
import { logLine } from "../output/redact.ts";
import { printable } from "../output/sanitize.ts";

/** Prints the progress of `plenary dev`, for people or as JSON lines. */
export type DevReport = ReturnType<typeof createDevReport>;

type Where = { serviceUrl: string; link: string; conversation: string };

export function createDevReport(io: Io, { json, label }: { json: boolean; label: string }) {
  let name = "";
  const tell = (event: object, text: string) =>
    json ? io.stdout.write(`${JSON.stringify(event)}\n`) : io.stdout.write(text);
  const note = (event: object, text: string) =>
    json ? io.stdout.write(`${JSON.stringify(event)}\n`) : io.stderr.write(`plenary: ${text}\n`);
  return {
    /** A line of the agent's own output, without control characters. */
    line: (line: string, stream: "stdout" | "stderr") => {
      const text = `${printable(label)} | ${printable(line.replace(/\r$/u, "").replaceAll("\t", "  "))}\n`;
      // The stream may be closed.
      io[json ? "stderr" : stream].write(text).catch(() => undefined);
    },
    joined: ({ identification }: Manifest, { serviceUrl, link, conversation }: Where) => {
      name = printable(identification.conversationalName);
      const { speakerUri } = identification;
      return tell({ event: "joined", name, speakerUri, serviceUrl, conversation, link }, joinedText(name, link));
    },
    reloaded: ({ identification }: Manifest) => {
      name = printable(identification.conversationalName);
      return tell({ event: "reloaded", name }, `${name} was restarted with your changes.\n`);
    },
    changed: (file: string) => tell({ event: "changed", file }, `${printable(basename(file))} was changed.\n`),
    broken: (why: string) => note({ event: "broken", problem: why }, `${why}; it restarts when you save`),
    problem: (problem: string) => note({ event: "problem", problem: logLine(problem) }, logLine(problem)),
    hint: (port: number) => {
      const problem = `the agent does not answer on port ${port} yet: does it listen on process.env.PORT?`;
      return note({ event: "problem", problem }, problem);
    },
    left: () => tell({ event: "left", name }, `\n${name} has left the floor.\n`),
  };
}

function joinedText(name: string, link: string): string {
  return [
    `\n  ${name} is on the floor: ${link}\n\n`,
    `  Say there:  @${name} hello\n`,
    "  Save a change to restart it. Ctrl+C uninvites it.\n\n",
  ].join("");
}
