import type { VerifyResult } from "@plenary/server";
import type { ExitCode, Io } from "../io.ts";
import { printable } from "../output/sanitize.ts";
import { existingStoreFile } from "../store/location.ts";
import { storeReadError } from "../store/store.ts";

export type VerifyOptions = { store?: string; json: boolean };

/** Checks every conversation in the store for changes. */
export async function verify({ store, json }: VerifyOptions, io: Io): Promise<ExitCode> {
  const file = existingStoreFile(store, io);
  const { verifySqlite } = await import("@plenary/server");
  let [conversations, entries, erased, broken] = [0, 0, 0, 0];
  for (const verdict of readable(file, verifySqlite(file))) {
    conversations += 1;
    entries += verdict.entries;
    erased += verdict.erased;
    if (verdict.problem !== undefined) broken += 1;
    if (json) await io.stdout.write(`${JSON.stringify({ ok: verdict.problem === undefined, ...verdict })}\n`);
    else if (verdict.problem !== undefined) await io.stdout.write(`${printable(lineOf(verdict, verdict.problem))}\n`);
  }
  if (!json) await io.stdout.write(totalOf(conversations, { entries, erased }, broken));
  return broken === 0 ? 0 : 1;
}

/** A file that is not a store is a FileError, not a changed conversation. */
function* readable(file: string, verdicts: Iterable<VerifyResult>): Generator<VerifyResult> {
  try {
    yield* verdicts;
  } catch (cause) {
    throw storeReadError(file, cause);
  }
}

function lineOf({ conversation }: VerifyResult, { seq, what }: { seq: number; what: string }): string {
  return `${conversation}: entry ${seq}: ${what}`;
}

function totalOf(
  conversations: number,
  { entries, erased }: { entries: number; erased: number },
  broken: number,
): string {
  const among = erased === 0 ? "" : ` (${erased} erased)`;
  const counted = `${conversations} ${conversations === 1 ? "conversation" : "conversations"}, ${entries} entries${among}`;
  return broken === 0 ? `${counted}: unchanged\n` : `${counted}: ${broken} changed\n`;
}
