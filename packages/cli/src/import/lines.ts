import { createReadStream } from "node:fs";
import { resolve } from "node:path";
import { FileError } from "../file-error.ts";
import type { Io } from "../io.ts";

/** Longer than any entry. */
const lineCharsMax = 64 * 1_048_576;

/** The lines of a file, one at a time, however many there are. Throws a FileError. */
export async function* linesOf(file: string, io: Io): AsyncGenerator<string> {
  const bytes = file === "-" ? io.stdin : createReadStream(resolve(io.cwd, file));
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let rest = "";
  try {
    for await (const piece of bytes) {
      const [end = "", ...lines] = decoder.decode(piece, { stream: true }).split("\n");
      // Looked at when it is whole: a long line comes in many pieces.
      rest += end;
      for (const line of lines) {
        yield withoutReturn(rest);
        rest = line;
      }
      if (rest.length > lineCharsMax) throw new FileError("read", file, "too-long", "a line of it is too long");
    }
    rest += decoder.decode();
  } catch (cause) {
    if (cause instanceof FileError) throw cause;
    if (cause instanceof TypeError) throw new FileError("read", file, "not-text", "it is not UTF-8", cause);
    throw FileError.from("read", file, cause);
  }
  if (rest !== "") yield withoutReturn(rest);
}

function withoutReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}
