import type { LoggerOptions } from "@plenary/server";

/** What is logged, and in which form. */
export type LogChoice = Pick<LoggerOptions, "level" | "format">;

// Only the types of the server: the help of a command does not load it.
export const logLevels = ["debug", "info", "warn", "error", "silent"] as const satisfies LogChoice["level"][];
export const logFormats = ["json", "pretty"] as const satisfies LogChoice["format"][];
