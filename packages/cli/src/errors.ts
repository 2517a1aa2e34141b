import { getSystemErrorMap } from "node:util";
import type { FloorProblem, Unreachable } from "@plenary/client";

/** Anything can be thrown, not only an Error. */
export function messageOf(cause: unknown): string {
  if (isFloorProblem(cause)) return problemText(cause);
  return cause instanceof Error ? cause.message : String(cause);
}

/** By name: loading the client would slow down the commands that do not need it. */
export function isFloorProblem(cause: unknown): cause is FloorProblem | Unreachable {
  return cause instanceof Error && (cause.name === "FloorProblem" || cause.name === "Unreachable");
}

export function isFloorError(cause: unknown): boolean {
  return cause instanceof FloorError || isFloorProblem(cause);
}

function problemText(problem: FloorProblem | Unreachable): string {
  if (!("url" in problem)) return [...new Set([problem.title, problem.detail ?? problem.title])].join(": ");
  const { url, detail, cause } = problem;
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause.message : "";
  return `the floor at ${url} does not answer: ${inner || detail}`;
}

/** The floor cannot be reached, or it refused a request. The message says what to do. */
export class FloorError extends Error {
  override readonly name = "FloorError";
  /** The HTTP status; undefined without a response. */
  readonly status: number | undefined;

  constructor(message: string, { status, cause }: { status?: number; cause?: unknown } = {}) {
    super(message, { cause });
    this.status = status;
  }

  static notRunning(file: string | undefined): FloorError {
    const where = file === undefined ? "" : ` on ${file}`;
    const remedy = "start one with npm start (or plenary serve), or name one with --floor URL";
    return new FloorError(`no floor is running${where}: ${remedy}`);
  }

  static noToken(url: string): FloorError {
    return new FloorError(`there is no token for ${url}: set PLENARY_TOKEN, or name its store with --store FILE`);
  }

  static badAddress(url: string, why: string): FloorError {
    return new FloorError(`cannot use the floor ${url}: ${why}`);
  }
}

/** A file or stream that cannot be read or written. */
export class FileError extends Error {
  override readonly name = "FileError";
  readonly code: string;
  readonly retryable = false;

  constructor(action: "read" | "write" | "open", name: string, code: string, why: string, cause?: unknown) {
    super(`cannot ${action} ${name}: ${why}`, { cause });
    this.code = code;
  }

  static from(action: "read" | "write", name: string, cause: unknown): FileError {
    const { code, errno } = cause as NodeJS.ErrnoException;
    const why = errno === undefined ? undefined : getSystemErrorMap().get(errno)?.[1];
    return new FileError(action, name, code ?? "unknown", why ?? String(cause), cause);
  }
}

/** A conversation name that matches none or several. The command then exits with 1, not 2. */
export class ConversationLookupError extends Error {
  override readonly name = "ConversationLookupError";
}

/** A setting, what is wrong with it, and how to fix it. */
export type ConfigError = { name: string; problem: string; fix: string };

/** The value of a setting for a `problem`, without user name and password. */
export function quoted(text: string): string {
  return JSON.stringify(text.replace(/^.*@/su, "...@"));
}

export function configErrorText({ name, problem, fix }: ConfigError): string {
  return `${name} ${problem}: ${fix}`;
}
