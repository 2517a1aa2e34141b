import type { Summary } from "@plenary/server";
import type { ExportFormat } from "@plenary/transcript";
import { conversationsAt, conversationsPath, listed, pageMax } from "../conversation-list.ts";
import { FileError } from "../file-error.ts";
import { type FloorAccess, type FloorOptions, namedFloor, reachFloor } from "../floor-access.ts";
import { addressIn } from "../floor-address.ts";
import type { Io } from "../io.ts";
import { readToken } from "../store.ts";
import { existingFile, storeFile } from "../store-place.ts";

/** Where conversations are read from: a floor that runs, or the file it left. */
export type ExportSource = {
  /** By id. */
  conversations(): AsyncIterable<Summary>;
  pieces(id: string, options: { format: ExportFormat; speaker?: string }): AsyncIterable<string>;
  /** The log as it is kept. */
  complete(id: string): AsyncIterable<string>;
  close(): Promise<void>;
};

export async function openSource(options: FloorOptions & { complete: boolean }, io: Io): Promise<ExportSource> {
  if (!options.complete && (await isRunning(options, io))) return ofFloor(await reachFloor(options, io));
  return ofFile(existingFile(options.store, io));
}

/** A floor that was named is asked, whatever it says; one that runs on the store is if there is a token to come in by. */
async function isRunning(options: FloorOptions, io: Io): Promise<boolean> {
  if (namedFloor(options, io) !== undefined) return true;
  const file = storeFile(options.store, io);
  if (file === undefined) return true;
  const hasToken = (io.env.PLENARY_TOKEN?.trim() ?? "") !== "" || readToken(file) !== undefined;
  return hasToken && (await addressIn(file)) !== undefined;
}

function ofFloor(floor: FloorAccess): ExportSource {
  return {
    conversations: () => conversationsAt(floor),
    async *pieces(id, { format, speaker }) {
      const query = new URLSearchParams({ format, ...(speaker !== undefined && { speaker }) });
      yield await floor.text(`${conversationsPath}/${encodeURIComponent(id)}/export?${query}`);
    },
    complete() {
      throw new Error("a floor gives nobody the log as it is kept");
    },
    close: floor.close,
  };
}

async function ofFile(file: string): Promise<ExportSource> {
  const { exportComplete, exportConversation, openLogFile } = await import("@plenary/server");
  const log = readable(file, () => openLogFile(file));
  const floorOf = async (id: string) => {
    const floor = await log.load(id);
    if (floor === undefined) throw new FileError("read", file, "store-read", `${id} is not there any more`);
    return floor;
  };
  return {
    conversations: () =>
      listed(async (after) => {
        const conversations = await log.list({ after, limit: pageMax });
        return { conversations, next: conversations.length < pageMax ? null : (conversations.at(-1)?.id ?? null) };
      }),
    async *pieces(id, options) {
      yield* exportConversation(log, await floorOf(id), options);
    },
    async *complete(id) {
      yield* exportComplete(log, await floorOf(id));
    },
    async close() {
      log.close();
    },
  };
}

/** A file that is no store at all is a broken world. */
function readable<Opened>(file: string, open: () => Opened): Opened {
  try {
    return open();
  } catch (cause) {
    throw new FileError("read", file, "store-read", cause instanceof Error ? cause.message : String(cause), cause);
  }
}
