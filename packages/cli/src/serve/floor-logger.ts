import { createLogger, type Logger } from "@plenary/server";
import type { LogChoice } from "../config/logging.ts";
import type { Io } from "../io.ts";
import { coloursFor } from "../output/format.ts";

/** The command itself prints where the floor listens, so by default it logs problems only. */
const defaultLevel = "warn";

/** The log of a floor on standard error. */
export function createFloorLogger(
  { level = defaultLevel, format }: LogChoice,
  { stderr, env }: Pick<Io, "stderr" | "env">,
): Logger {
  return createLogger({
    level,
    format: format ?? (stderr.isTty ? "pretty" : "json"),
    hasColours: coloursFor(stderr, env).isColorSupported,
    write: (line) => void stderr.write(line).catch(() => undefined), // stderr is closed
  });
}

/** The log of a floor that a chat opened, between the lines of the chat. */
export function createChatLogger(
  { level = defaultLevel, format = "pretty" }: LogChoice,
  write: (line: string) => void,
): Logger {
  return createLogger({ level, format, hasColours: false, write });
}
