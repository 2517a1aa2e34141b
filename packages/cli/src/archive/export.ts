import type { ConversationSummary, HostClient } from "@plenary/client";
import type { ExportFormat } from "@plenary/transcript";
import { FileError } from "../errors.ts";
import { type FloorOptions, givenFloorUrl, reachFloor } from "../floor/access.ts";
import { conversationsAt, conversationsIn, findConversation } from "../floor/conversations.ts";
import type { ExitCode, Io } from "../io.ts";
import { printable } from "../output/sanitize.ts";
import { privateMode, writeFile } from "../output/write-file.ts";
import { existingStoreFile, runningFloorUrl, storeFile } from "../store/location.ts";
import { openLog, readToken } from "../store/store.ts";

export type ExportCommandOptions = FloorOptions & {
  format: ExportFormat;
  speaker?: string;
  output?: string;
  /** The complete log, as stored. */
  complete: boolean;
};

export async function exportCommand(
  name: string | undefined,
  options: ExportCommandOptions,
  io: Io,
): Promise<ExitCode> {
  const source = await openSource(options, io);
  try {
    if (name === undefined) return await list(source, io);
    const { id } = await findConversation(name, source.conversations());
    await write(source.pieces(id, options), options, io);
    return 0;
  } finally {
    await source.close();
  }
}

async function write(pieces: AsyncIterable<string>, options: ExportCommandOptions, io: Io): Promise<void> {
  const { output, speaker, complete } = options;
  if (output === undefined) {
    for await (const piece of pieces) await io.stdout.write(piece);
    return;
  }
  await writeFile(output, pieces, io.cwd, complete || speaker !== undefined ? privateMode : undefined);
  await io.stderr.write(`plenary: written to ${printable(output)}\n`);
}

async function list(source: ExportSource, io: Io): Promise<ExitCode> {
  let count = 0;
  for await (const { id, seq, updatedAt, title } of source.conversations()) {
    count += 1;
    const shown = [id, updatedAt, `${seq} entries`, ...(title === undefined ? [] : [title])];
    await io.stdout.write(`${printable(shown.join("  "))}\n`);
  }
  const next = count === 0 ? "there is no conversation" : "to export one: plenary export ID --format html -o FILE";
  await io.stderr.write(`plenary: ${next}\n`);
  return 0;
}

/** Reads conversations from a running floor or from the store. */
type ExportSource = {
  /** By id. */
  conversations(): AsyncIterable<ConversationSummary>;
  pieces(id: string, options: ExportCommandOptions): AsyncIterable<string>;
  close(): Promise<void>;
};

async function openSource(options: ExportCommandOptions, io: Io): Promise<ExportSource> {
  if (!options.complete && (await isRunning(options, io))) return floorSource(await reachFloor(options, io));
  return storeSource(existingStoreFile(options.store, io));
}

/** A given floor is always used; the store's own floor only when there is a token for it. */
async function isRunning(options: FloorOptions, io: Io): Promise<boolean> {
  if (givenFloorUrl(options, io) !== undefined) return true;
  const file = storeFile(options.store, io);
  if (file === undefined) return true;
  const hasToken = (io.env.PLENARY_TOKEN?.trim() ?? "") !== "" || readToken(file) !== undefined;
  return hasToken && (await runningFloorUrl(file)) !== undefined;
}

function floorSource(floor: HostClient): ExportSource {
  return {
    conversations: () => conversationsAt(floor),
    async *pieces(id, { format, speaker }) {
      const query = { format, ...(speaker !== undefined && { speaker }) };
      yield await floor.text("GET /api/v1/conversations/:id/export", { params: { id }, query });
    },
    close: async () => floor.close(),
  };
}

async function storeSource(file: string): Promise<ExportSource> {
  const { exportComplete, exportConversation } = await import("@plenary/server");
  const log = await openLog(file);
  return {
    conversations: () => conversationsIn(log),
    async *pieces(id, { format, speaker, complete }) {
      const floor = await log.load(id);
      if (floor === undefined) throw new FileError("read", file, "store-read", `${id} does not exist any more`);
      const options = { format, ...(speaker !== undefined && { speaker }) };
      yield* complete ? exportComplete(log, floor) : exportConversation(log, floor, options);
    },
    async close() {
      log.close();
    },
  };
}
