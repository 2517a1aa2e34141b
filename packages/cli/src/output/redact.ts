import { redact } from "@plenary/sdk";
import { printable } from "./sanitize.ts";

const textMax = 8_192;
const causesMax = 5;

/** An error and its causes as one log line, without control characters and credentials. */
export function logLine(error: unknown): string {
  const said: string[] = [];
  for (let one = error; one !== undefined && said.length < causesMax; one = causeOf(one)) said.push(errorText(one));
  return printable(redact(said.join("\ncaused by: ").slice(0, textMax)));
}

function errorText(error: unknown): string {
  try {
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  } catch {
    return "an error without a message";
  }
}

function causeOf(error: unknown): unknown {
  return error instanceof Error ? error.cause : undefined;
}
