import { getSystemErrorMap } from "node:util";

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
