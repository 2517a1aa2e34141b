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
  const total = { conversations: 0, entries: 0, erased: 0, broken: 0 };
  for (const verdict of readable(file, verifySqlite(file))) {
    const { conversation, problem } = verdict;
    total.conversations += 1;
    total.entries += verdict.entries;
    total.erased += verdict.erased;
    if (problem !== undefined) total.broken += 1;
    if (json) await io.stdout.write(`${JSON.stringify({ ok: problem === undefined, ...verdict })}\n`);
    else if (problem !== undefined)
      await io.stdout.write(`${printable(`${conversation}: entry ${problem.seq}: ${problem.what}`)}\n`);
  }
  if (!json) await io.stdout.write(totalText(total));
  return total.broken === 0 ? 0 : 1;
}

/** A file that is not a store is a FileError, not a changed conversation. */
function* readable(file: string, verdicts: Iterable<VerifyResult>): Generator<VerifyResult> {
  try {
    yield* verdicts;
  } catch (cause) {
    throw storeReadError(file, cause);
  }
}

type Total = { conversations: number; entries: number; erased: number; broken: number };

function totalText({ conversations, entries, erased, broken }: Total): string {
  const among = erased === 0 ? "" : ` (${erased} erased)`;
  const counted = `${conversations} ${conversations === 1 ? "conversation" : "conversations"}, ${entries} entries${among}`;
  return broken === 0 ? `${counted}: unchanged\n` : `${counted}: ${broken} changed\n`;
}
