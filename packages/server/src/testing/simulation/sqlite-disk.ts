import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Change, FloorStore } from "../../ports/store.ts";
import { createSqliteStore } from "../../store/sqlite/store.ts";
import { createPatience, type FaultyStore, type FaultyStoreOptions, noSpace, slowly } from "./faulty-store.ts";
import { type Life, whileAlive } from "./life.ts";
import { createOutboxBook, type OutboxBook } from "./outbox-book.ts";

type Disk = FaultyStoreOptions & { book: OutboxBook; unsynced: Map<Life, number>; isOver: boolean };

/**
 * The same with a real file. A process that dies never commits what it had begun: the next one opens a copy of the files
 * as they are at that moment, which is what a crash leaves.
 */
export function createSqliteDisk(options: FaultyStoreOptions): FaultyStore {
  const folder = mkdtempSync(join(tmpdir(), "plenary-simulation-"));
  const book = createOutboxBook(options.time);
  const unsynced = new Map<Life, number>();
  const disk: Disk = { ...options, book, unsynced, isOver: false };
  const opened: FloorStore[] = [];
  const fileOf = (count: number) => join(folder, `${count}.db`);
  return {
    book,
    lost: (life) => unsynced.get(life) ?? 0,
    durable() {
      const newest = opened.at(-1);
      if (newest === undefined) throw new Error("nothing was ever opened");
      return newest;
    },
    open(life) {
      const file = fileOf(opened.length + 1);
      for (const part of ["", "-wal"]) {
        const left = `${fileOf(opened.length)}${part}`;
        if (existsSync(left)) copyFileSync(left, `${file}${part}`);
      }
      const soon = (run: () => void) => {
        options.time.after(options.syncMs(), () => {
          if (life.isAlive) run();
        });
      };
      const store = createSqliteStore(file, { soon });
      opened.push(store);
      return storeOf(disk, store, life);
    },
    async close() {
      disk.isOver = true;
      for (const store of opened) await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function storeOf(disk: Disk, store: FloorStore, life: Life): FloorStore {
  const patience = createPatience();
  const alive = <T>(work: () => Promise<T>) => whileAlive(life, work);
  const read = <T>(work: () => Promise<T>) => alive(() => slowly(disk, work));
  return {
    ...store,
    load: (id) => read(() => store.load(id)),
    append: (id, change, expectedSeq) => alive(() => append(disk, store, life, { id, change, expectedSeq })),
    entries: (id, range) =>
      read(() => {
        patience.ask(disk.time.steps());
        return store.entries(id, range);
      }),
    seen: (id, utterances) => read(() => store.seen(id, utterances)),
    pending: () => read(() => store.pending()),
    settle: (id, delivery) =>
      alive(async () => {
        if (disk.dies("before settle", life)) return;
        await store.settle(id, delivery);
        disk.book.stop(id, delivery);
      }),
  };
}

async function append(
  disk: Disk,
  store: FloorStore,
  life: Life,
  { id, change, expectedSeq }: { id: string; change: Change; expectedSeq: number },
): Promise<"appended" | "conflict"> {
  const { dies, isFull, conflicts, onDurable, book, unsynced } = disk;
  if (dies("before append", life)) return "conflict";
  if (isFull()) throw noSpace();
  if (conflicts()) return "conflict";
  const written = store.append(id, change, expectedSeq);
  unsynced.set(life, (unsynced.get(life) ?? 0) + 1);
  dies("unsynced", life);
  const outcome = await written;
  unsynced.set(life, (unsynced.get(life) ?? 1) - 1);
  // Closing commits what the dead had begun, to files that nobody reads any more.
  if (outcome === "conflict" || disk.isOver) return outcome;
  book.note(id, change);
  if (dies("after append", life)) return outcome;
  onDurable(id, life, change.entries);
  return outcome;
}
