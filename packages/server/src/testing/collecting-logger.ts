import type { LogFields, Logger, LogLevel } from "../ports/logger.ts";

export type LoggedLine = { level: LogLevel; message: string; fields: LogFields };

/** Keeps the lines of a test, and the errors among them. */
export function createCollectingLogger() {
  const lines: LoggedLine[] = [];
  const errors: unknown[] = [];
  const log =
    (level: LogLevel) =>
    (message: string, fields: LogFields = {}) => {
      lines.push({ level, message, fields });
      if (level === "error") errors.push(fields.error ?? message);
    };
  const logger: Logger = { debug: log("debug"), info: log("info"), warn: log("warn"), error: log("error") };
  return { logger, lines, errors };
}
