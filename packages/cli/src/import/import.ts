import type { Imported, Importer } from "@plenary/server";
import type { ExitCode, Io } from "../io.ts";
import { printable } from "../printable.ts";
import { storeFault } from "../store.ts";
import { keptFile } from "../store-place.ts";
import { linesOf } from "./lines.ts";

/** Reads a complete export into a store. Nothing of it is written unless all of it is. */
export async function importCommand(file: string, options: { id?: string; store?: string }, io: Io): Promise<ExitCode> {
  const { ImportFault, importedChanges, readImportHeader } = await import("@plenary/server");
  const lines = linesOf(file, io);
  try {
    const { value: first } = await lines.next();
    const { id: former, entries: count } = readImportHeader(first ?? "");
    const id = options.id ?? former;
    const importer = await openImporter(keptFile(options.store, io));
    try {
      if (importer.has(id)) return await refuse(`${id} is in the store already: give it another id with --id ID`, io);
      let told: Imported = { entries: 0, givenUp: 0 };
      const onEnd = (all: Imported) => {
        told = all;
      };
      await importer.write(importedChanges({ id, lines, count, now: new Date().toISOString(), onEnd }));
      await io.stdout.write(`${printable(wordsOf(id, told))}\n`);
      return 0;
    } finally {
      importer.close();
    }
  } catch (cause) {
    if (!(cause instanceof ImportFault)) throw cause;
    return refuse(`${file}:${cause.line}: ${cause.message}`, io);
  } finally {
    await lines.return(undefined);
  }
}

async function openImporter(file: string): Promise<Importer> {
  const { openImporter: open, StoreError } = await import("@plenary/server");
  try {
    return open(file);
  } catch (cause) {
    throw storeFault(file, cause instanceof StoreError ? cause.code : "store-open", cause);
  }
}

async function refuse(why: string, io: Io): Promise<ExitCode> {
  await io.stderr.write(`plenary: ${printable(why)}\n`);
  return 1;
}

function wordsOf(id: string, { entries, givenUp }: Imported): string {
  const underWay = givenUp === 0 ? "" : `; ${givenUp} deliveries that were under way count as not reached`;
  return `imported ${id}: ${entries} entries${underWay}`;
}
