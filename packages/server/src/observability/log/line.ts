import type { LogLevel } from "../../ports/logger.ts";

/** A line in plain values. */
export type LogRecord = {
  time: string;
  level: LogLevel;
  message: string;
  fields: readonly (readonly [name: string, value: unknown])[];
};

const reserved = new Set(["time", "level", "message"]);

/** One JSON object. */
export function jsonLine({ time, level, message, fields }: LogRecord): string {
  const record = Object.create(null);
  Object.assign(record, { time, level, message });
  for (const [name, value] of fields) record[reserved.has(name) ? `${name}_` : name] = value;
  return printable(JSON.stringify(record));
}

type ErrorValue = { name?: string; message?: string; code?: string; causes?: ErrorValue[]; stack?: string[] };

const colours: Record<LogLevel, number> = { debug: 2, info: 36, warn: 33, error: 31 };
const indent = "    ";

/** One line for people, and one indented line for each cause and each frame of an error. */
export function prettyLine({ time, level, message, fields }: LogRecord, hasColours: boolean): string {
  const paint = (code: number, text: string) => (hasColours ? `\u001b[${code}m${text}\u001b[0m` : text);
  const [of, below]: [string[], string[]] = [[], []];
  for (const [name, value] of fields) {
    if (value === undefined) continue;
    const isError = name === "error" && typeof value === "object" && value !== null;
    of.push(` ${paint(2, `${printable(name)}=`)}${isError ? errorText(value) : valueText(value)}`);
    if (isError) below.push(...linesBelow(value));
  }
  const head = `${paint(2, time.slice(11))} ${paint(colours[level], level.toUpperCase().padEnd(5))}`;
  return [`${head} ${printable(message)}${of.join("")}`, ...below.map((line) => paint(2, `${indent}${line}`))].join(
    "\n",
  );
}

function errorText({ name, code, message }: ErrorValue): string {
  const about = [name, ...(code === undefined ? [] : [`(${code})`])].filter((part) => part !== undefined).join(" ");
  return printable(JSON.stringify(`${about === "" ? "" : `${about}: `}${message ?? ""}`));
}

function linesBelow({ causes = [], stack = [] }: ErrorValue): string[] {
  return [...causes.map((cause) => `caused by ${errorText(cause)}`), ...stack.map(printable)];
}

const plainText = /^[\w.:/@+?#%~-]+$/u;

/** Quoted where it could be read as two fields. */
function valueText(value: unknown): string {
  return typeof value === "string" && plainText.test(value) ? value : printable(JSON.stringify(value));
}

// Beside control characters: line separators, and marks that change the direction of a text.
const steering = /[\p{Cc}\p{Cs}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Steering characters as JSON writes them, so that a JSON text keeps its meaning. */
function printable(text: string): string {
  return text.replace(steering, (one) => {
    const escaped = JSON.stringify(one).slice(1, -1);
    return escaped === one ? `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}` : escaped;
  });
}
