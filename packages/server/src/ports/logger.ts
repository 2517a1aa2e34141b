export type LogLevel = "debug" | "info" | "warn" | "error";

/**
 * What a line says beside its message. An error goes under `error`. Ids, codes, counts and lengths only: what people and
 * agents say to each other is in no log.
 */
export type LogFields = Readonly<Record<string, unknown>>;

type Log = (message: string, fields?: LogFields) => void;

/** Where the server reports what its operator should know. Its methods do not throw. */
export interface Logger {
  debug: Log;
  info: Log;
  warn: Log;
  error: Log;
}

/** Drops every line. */
export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} };
