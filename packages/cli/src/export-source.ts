import type { ExportFormat, Summary } from "@plenary/server";
import { FileError } from "./file-error.ts";
import { type FloorAccess, type FloorOptions, reachFloor } from "./floor-access.ts";
import { addressIn } from "./floor-address.ts";
import type { Io } from "./io.ts";
import { readToken } from "./store.ts";
import { existingFile, storeFile } from "./store-place.ts";

/** Where conversations are read from: a floor that runs, or the file it left. */
export type ExportSource = {
  /** By id, at most `listMax`. */
  conversations(): AsyncIterable<Summary>;
  pieces(id: string, options: { format: ExportFormat; speaker?: string }): AsyncIterable<string>;
  /** The log as it is kept. */
  complete(id: string): AsyncIterable<string>;
  close(): Promise<void>;
};

const pageMax = 1_000;
const listMax = 100_000;

export async function openSource(options: FloorOptions & { complete: boolean }, io: Io): Promise<ExportSource> {
  if (!options.complete && (await isRunning(options, io))) return ofFloor(await reachFloor(options, io));
  return ofFile(existingFile(options.store, io));
}

/** A floor that was named is asked, whatever it says; one that runs on the store is if there is a token to come in by. */
async function isRunning({ floor, store }: FloorOptions, io: Io): Promise<boolean> {
  if (floor !== undefined || (io.env.PLENARY_URL?.trim() ?? "") !== "") return true;
  const file = storeFile(store, io);
  if (file === undefined) return true;
  const hasToken = (io.env.PLENARY_TOKEN?.trim() ?? "") !== "" || readToken(file) !== undefined;
  return hasToken && (await addressIn(file)) !== undefined;
}

function ofFloor(floor: FloorAccess): ExportSource {
  const root = "/api/v1/conversations";
  return {
    conversations: () =>
      listed(async (after) => {
        const query = new URLSearchParams({ limit: String(pageMax), after });
        return (await floor.json<{ conversations: Summary[] }>(`${root}?${query}`)).conversations;
      }),
    async *pieces(id, { format, speaker }) {
      const query = new URLSearchParams({ format, ...(speaker !== undefined && { speaker }) });
      yield await floor.text(`${root}/${encodeURIComponent(id)}/export?${query}`);
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
    conversations: () => listed((after) => log.list({ after, limit: pageMax })),
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

async function* listed(page: (after: string) => Promise<readonly Summary[]>): AsyncGenerator<Summary> {
  let after = "";
  for (let count = 0; count < listMax; ) {
    const found = await page(after);
    yield* found;
    count += found.length;
    const last = found.at(-1);
    if (last === undefined || found.length < pageMax) return;
    after = last.id;
  }
}
