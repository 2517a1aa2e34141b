import { createReadStream } from "node:fs";
import { resolve } from "node:path";
import type { ImportResult } from "@plenary/server";
import { FileError } from "../errors.ts";
import type { ExitCode, Io } from "../io.ts";
import { printable } from "../output/sanitize.ts";
import { persistentStoreFile } from "../store/location.ts";
import { orFileError } from "../store/store.ts";

/** Imports a complete export into a store, all of it or nothing. */
export async function importCommand(file: string, options: { id?: string; store?: string }, io: Io): Promise<ExitCode> {
  const { ImportError, importedChanges, openImporter, readImportHeader } = await import("@plenary/server");
  const lines = linesOf(file, io);
  try {
    const { value: first } = await lines.next();
    const { id: former, entries: count } = readImportHeader(first ?? "");
    const id = options.id ?? former;
    const store = persistentStoreFile(options.store, io);
    const importer = await orFileError(store, () => openImporter(store));
    try {
      if (importer.has(id)) return await refuse(`${id} already exists in the store: give another id with --id ID`, io);
      let imported: ImportResult = { entries: 0, givenUp: 0 };
      const onEnd = (all: ImportResult) => {
        imported = all;
      };
      await importer.write(importedChanges({ id, lines, count, now: new Date().toISOString(), onEnd }));
      await io.stdout.write(`${printable(importedMessage(id, imported))}\n`);
      return 0;
    } finally {
      importer.close();
    }
  } catch (cause) {
    if (!(cause instanceof ImportError)) throw cause;
    return refuse(`${file}:${cause.line}: ${cause.message}`, io);
  } finally {
    await lines.return(undefined);
  }
}

async function refuse(why: string, io: Io): Promise<ExitCode> {
  await io.stderr.write(`plenary: ${printable(why)}\n`);
  return 1;
}

function importedMessage(id: string, { entries, givenUp }: ImportResult): string {
  const underWay = givenUp === 0 ? "" : `; ${givenUp} pending deliveries count as not delivered`;
  return `imported ${id}: ${entries} entries${underWay}`;
}

/** Longer than any entry. */
const lineCharsMax = 64 * 1_048_576;

/** Streams the lines of a file. Throws a FileError. */
export async function* linesOf(file: string, io: Io): AsyncGenerator<string> {
  const bytes = file === "-" ? io.stdin : createReadStream(resolve(io.cwd, file));
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let rest = "";
  try {
    for await (const piece of bytes) {
      const [end = "", ...lines] = decoder.decode(piece, { stream: true }).split("\n");
      // Split only the new piece: a long line arrives in many pieces.
      rest += end;
      for (const line of lines) {
        yield withoutReturn(rest);
        rest = line;
      }
      if (rest.length > lineCharsMax) throw new FileError("read", file, "too-long", "a line is too long");
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
