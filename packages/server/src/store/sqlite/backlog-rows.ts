import type { UtteranceName } from "../../ports/conversation-log.ts";

/** A row of the log that the tables lack. */
export type BacklogRow = {
  no: number;
  pos: number;
  first: number;
  last: number;
  names: readonly WrittenName[];
  /** Deliveries that have not ended. */
  sent: readonly SentDelivery[];
};

/** Without a hash, the content is in the row. */
export type WrittenName = UtteranceName & { hash?: string };

export type SentDelivery = { delivery: string; body: string };

/** The rows of the backlog in memory. What a transaction changed is undone when the transaction is. */
export class BacklogRows {
  #rows: BacklogRow[] = [];
  readonly #byConversation = new Map<number, BacklogRow[]>();
  /** By the ids of their utterances, in conversations where an id was looked up since rows were removed. */
  readonly #byId = new Map<number, Map<string, BacklogRow[]>>();
  #undo: (() => void)[] = [];
  #lastPos = 0;

  /** In the order of their positions. */
  all(): readonly BacklogRow[] {
    return this.#rows;
  }

  of(no: number): readonly BacklogRow[] {
    return this.#byConversation.get(no) ?? none;
  }

  /** Those of `of` that name an utterance with this id. */
  naming(no: number, dialogEventId: string): readonly BacklogRow[] {
    const rows = this.#byConversation.get(no);
    if (rows === undefined) return none;
    let ids = this.#byId.get(no);
    if (ids === undefined) {
      ids = new Map();
      for (const row of rows) addIds(ids, row);
      this.#byId.set(no, ids);
    }
    return ids.get(dialogEventId) ?? none;
  }

  /** Of the newest row of the log, also when it was taken. */
  lastPos(): number {
    return this.#lastPos;
  }

  add(row: BacklogRow): void {
    const before = this.#lastPos;
    this.#lastPos = row.pos;
    this.#rows.push(row);
    const known = this.#byConversation.get(row.no);
    if (known === undefined) this.#byConversation.set(row.no, [row]);
    else known.push(row);
    const ids = this.#byId.get(row.no);
    if (ids !== undefined) addIds(ids, row);
    this.#undo.push(() => {
      this.#lastPos = before;
      this.#rows.pop();
      this.#put(row.no, this.of(row.no).slice(0, -1));
    });
  }

  /** Ends a delivery. Returns its row; undefined when the backlog does not have it. */
  settle(no: number, delivery: string): BacklogRow | undefined {
    const row = this.of(no).findLast(({ sent }) => sent.some((one) => one.delivery === delivery));
    if (row === undefined) return undefined;
    const before = row.sent;
    row.sent = before.length === 1 ? none : before.filter((one) => one.delivery !== delivery);
    this.#undo.push(() => {
      row.sent = before;
    });
    return row;
  }

  /** Removes the oldest rows and returns them. */
  take(count: number): readonly BacklogRow[] {
    const before = this.#rows;
    const taken = before.slice(0, count);
    const lists = new Map(taken.map(({ no }) => [no, this.#byConversation.get(no) ?? []]));
    // New arrays: the old ones come back when this is undone.
    this.#rows = before.slice(count);
    const last = taken.at(-1)?.pos ?? 0;
    for (const [no, list] of lists)
      this.#put(
        no,
        list.filter(({ pos }) => pos > last),
      );
    this.#undo.push(() => {
      this.#rows = before;
      for (const [no, list] of lists) this.#put(no, list);
    });
    return taken;
  }

  /** An empty backlog of a log with this last position. */
  clear(lastPos: number): void {
    this.#lastPos = lastPos;
    this.#rows = [];
    this.#byConversation.clear();
    this.#byId.clear();
    this.keep();
  }

  /** Names this moment for `undoTo`. */
  mark(): number {
    return this.#undo.length;
  }

  undoTo(mark: number): void {
    while (this.#undo.length > mark) this.#undo.pop()?.();
  }

  /** All changes are durable. */
  keep(): void {
    this.#undo = [];
  }

  #put(no: number, rows: BacklogRow[]): void {
    this.#byId.delete(no);
    if (rows.length === 0) this.#byConversation.delete(no);
    else this.#byConversation.set(no, rows);
  }
}

function addIds(ids: Map<string, BacklogRow[]>, row: BacklogRow): void {
  for (const { dialogEventId } of row.names) {
    const known = ids.get(dialogEventId);
    if (known === undefined) ids.set(dialogEventId, [row]);
    else if (known.at(-1) !== row) known.push(row);
  }
}

const none: readonly never[] = [];
