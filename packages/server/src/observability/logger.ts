import { type Clock, systemClock } from "../ports/clock.ts";
import type { LogFields, Logger, LogLevel } from "../ports/logger.ts";
import { jsonLine, type LogRecord, prettyLine } from "./log/line.ts";
import { createRepeatLimit, kindOf, type Schedule } from "./log/repeat-limit.ts";
import { textOf } from "./log/safe-text.ts";
import { canHaveColours, isTerminal, writeToStderr } from "./log/stderr.ts";
import { type ValueLimits, ValueReader } from "./log/value-reader.ts";

const logLevels = ["debug", "info", "warn", "error", "silent"] as const;

export type LoggerOptions = {
  /** The lowest level that is written; default: info. */
  level?: (typeof logLevels)[number];
  /** json: one object in each line. pretty: for people; the default on a terminal. */
  format?: "json" | "pretty";
  /** Colours of the pretty form; default: on a terminal without NO_COLOR. */
  hasColours?: boolean;
  /** Gets each line with its line break; default: standard error. */
  write?: (line: string) => void;
  clock?: Pick<Clock, "now">;
  /** Default: a timer that does not keep the process running. */
  schedule?: Schedule;
};

/** Of one line in characters. */
export const lineCharsMax = 16_384;
const messageCharsMax = 1_024;

/** Tried in this order until the line is short enough, which it is with the last of them. */
const limits: readonly ValueLimits[] = [
  { charsMax: 2_048, nodesMax: 100, depthMax: 4, hasStack: true },
  { charsMax: 256, nodesMax: 25, depthMax: 2, hasStack: false },
  { charsMax: 64, nodesMax: 6, depthMax: 2, hasStack: false },
];

/** Removes credentials, and limits the length of a line and its repeats. Its methods do not throw. */
export function createLogger(options: LoggerOptions = {}): Logger {
  const { level = "info", write = writeToStderr, clock = systemClock, schedule = laterUnref } = options;
  const { format = isTerminal() ? "pretty" : "json", hasColours = canHaveColours() } = options;
  const lowest = logLevels.indexOf(level);
  const toLine = format === "json" ? jsonLine : (record: LogRecord) => prettyLine(record, hasColours);
  const repeats = createRepeatLimit(schedule);
  const put = (name: LogLevel, message: string, fields: LogFields) => {
    try {
      write(`${shortLine(toLine, { time: new Date(clock.now()).toISOString(), level: name, message, fields })}\n`);
    } catch {
      // The line cannot be written, and there is no other place to report it.
    }
  };
  const log = (name: LogLevel) => (message: string, fields?: LogFields) => {
    if (logLevels.indexOf(name) < lowest) return;
    const text = textOf(message, messageCharsMax);
    const tell = (omitted: number, kind?: string) =>
      put(name, "repeated lines were left out", { omitted, like: kind === undefined ? "several messages" : text });
    if (hasLimit(name) && !repeats.admits(kindOf(name, text, errorKey(fields)), tell)) return;
    put(name, text, fields ?? {});
  };
  return { debug: log("debug"), info: log("info"), warn: log("warn"), error: log("error") };
}

function laterUnref(callback: () => void, ms: number): void {
  setTimeout(callback, ms).unref();
}

function hasLimit(level: LogLevel): boolean {
  return level === "warn" || level === "error";
}

/** Lines of the same message with different errors are of different kinds. */
function errorKey(fields: LogFields | undefined): string {
  try {
    const { error } = fields ?? {};
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  } catch {
    return "";
  }
}

type Line = Pick<LogRecord, "time" | "level" | "message"> & { fields: LogFields };

function shortLine(toLine: (record: LogRecord) => string, { fields, ...line }: Line): string {
  let text = "";
  for (const limit of limits) {
    text = toLine({ ...line, fields: plainFields(fields, { ...limit, hasStack: limit.hasStack && isError(line) }) });
    if (text.length <= lineCharsMax) return text;
  }
  return text;
}

/** Stacks are long: only errors have them. */
function isError({ level }: Pick<LogRecord, "level">): boolean {
  return level === "error";
}

function plainFields(fields: LogFields, limit: ValueLimits): LogRecord["fields"] {
  const reader = new ValueReader(limit);
  const plain: [string, unknown][] = [];
  for (const name of Object.keys(fields)) {
    if (reader.isFull()) return [...plain, ["isCut", true]];
    plain.push([textOf(name, limit.charsMax), reader.property(fields, name)]);
  }
  return plain;
}
