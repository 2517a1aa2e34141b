import { type Feature, type FloorEvent, textUtterance } from "@plenary/protocol";
import { assertSpeakerUri, assertText } from "./check-arguments.ts";
import { FloorProblem } from "./problem.ts";
import { createPause, type Limits, pauseAfter } from "./retry.ts";

/** `localStorage` and `sessionStorage` fit. */
export type ClientStorage = {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
};

export type Words = {
  text: string;
  /** The addressee's speakerUri. */
  to?: string;
  isWhisper?: boolean;
  features?: Readonly<Record<string, Feature>>;
  /** BCP 47. */
  language?: string;
};

/** `waiting` for the floor; `taken` by it, but not in the log yet: a convener may hold it; `refused` by it. */
export type Unsent = Words & {
  /** Id of the dialog event: the floor takes it once, however often it is sent. */
  id: string;
  at: string;
  state: "waiting" | "sending" | "taken" | "refused";
  /** Why it waits, or was refused. */
  problem?: FloorProblem;
  takenAtMs?: number;
};

/** `seq` is the last entry of the log that the utterance caused at once; undefined if the floor does not say it. */
export type Said = { id: string; seq: number | undefined };

type OutboxOptions = {
  /** Sends one utterance. Rejects with a FloorProblem. */
  send: (words: Unsent) => Promise<number | undefined>;
  limits: Limits;
  storage?: ClientStorage | undefined;
  key: string;
  signal: AbortSignal;
};

/** How many ids `isOwn` knows. */
const ownMax = 100;

/** Without a convener, a taken utterance should appear in the log within this time. */
const takenMs = 60_000;

type Waiter = { resolve: (said: Said) => void; reject: (problem: unknown) => void };

/** Sends each utterance once, in order, through cuts and restarts: it keeps its id until the floor has taken it. */
export class Outbox {
  readonly #options: OutboxOptions;
  readonly #kept: ReturnType<typeof createUnsentList>;
  readonly #waiters = new Map<string, Waiter>();
  readonly #own = new Set<string>();
  readonly #pause = createPause();
  #isRunning = false;
  /** A reader of the log says when a taken utterance is in it. */
  #reader: { isConvened: () => boolean } | undefined;

  constructor(options: OutboxOptions) {
    this.#options = options;
    this.#kept = createUnsentList(options.storage, options.key);
    options.signal.addEventListener("abort", () => {
      for (const { reject } of this.#waiters.values()) reject(options.signal.reason);
    });
    if (this.#kept.next() !== undefined) this.flush();
  }

  /** Resolves when the floor has stored it. An aborted one is not repeated, but may have been taken. */
  async say(words: Words, { signal }: { signal?: AbortSignal | undefined } = {}): Promise<Said> {
    signal?.throwIfAborted();
    this.#options.signal.throwIfAborted();
    assertText(words.text);
    if (words.isWhisper || words.to !== undefined) assertSpeakerUri("to", words.to);
    const id = newId();
    const abort = () => {
      this.#waiters.get(id)?.reject(signal?.reason);
      this.discard(id);
    };
    const said = new Promise<Said>((resolve, reject) => this.#waiters.set(id, { resolve, reject }));
    signal?.addEventListener("abort", abort);
    this.#own.add(id);
    const [oldest] = this.#own;
    if (this.#own.size > ownMax && oldest !== undefined) this.#own.delete(oldest);
    this.#kept.add({ ...words, id, at: new Date().toISOString(), state: "waiting" });
    this.flush();
    try {
      return await said;
    } finally {
      this.#waiters.delete(id);
      signal?.removeEventListener("abort", abort);
    }
  }

  unsent(): readonly Unsent[] {
    return this.#kept.all();
  }

  /** Whether it is one of the last utterances of this client: its `say` reports a refusal. */
  isOwn(id: string): boolean {
    return this.#own.has(id);
  }

  /** A refused utterance gets a new id: the floor would repeat its refusal. */
  retry(id: string): void {
    const isRefused = this.#kept.find(id)?.state === "refused";
    this.#kept.put(id, { state: "waiting", ...(isRefused && { id: newId() }) });
    this.flush();
  }

  /** Rejects its `say`. */
  discard(id: string): void {
    this.#kept.remove(id);
    this.#waiters.get(id)?.reject(new DOMException("the utterance was discarded", "AbortError"));
  }

  /** Sends what waits, now. */
  flush(): void {
    this.#pause.wake();
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#run()
      .catch(() => undefined) // only a closed client ends a pause
      .finally(() => {
        this.#isRunning = false;
        if (this.#kept.next() !== undefined && !this.#options.signal.aborted) this.flush();
      });
  }

  subscribe(listener: () => void): () => void {
    return this.#kept.subscribe(listener);
  }

  /** From now on taken utterances stay in the list until `confirm`. Returns the end of it. */
  track(log: { isConvened: () => boolean }): () => void {
    this.#reader = log;
    return () => {
      if (this.#reader === log) this.#reader = undefined;
    };
  }

  /** It is in the log, even if no answer of the floor said so. */
  confirm(id: string, seq: number): void {
    this.#kept.remove(id);
    this.#waiters.get(id)?.resolve({ id, seq });
  }

  /** The log says that a taken utterance was refused. */
  refuseTaken(id: string, problem: FloorProblem): void {
    if (this.#kept.find(id)?.state === "taken") this.#refuse(id, problem);
  }

  /** Sends one at a time, in order. */
  async #run(): Promise<void> {
    const { send, limits, signal } = this.#options;
    let failures = 0;
    for (let next = this.#kept.next(); next !== undefined && !signal.aborted; next = this.#kept.next()) {
      this.#kept.put(next.id, { state: "sending" });
      try {
        this.#take(next.id, await send(next));
        failures = 0;
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof FloorProblem) || !error.isTemporary) this.#refuse(next.id, error);
        else {
          this.#kept.put(next.id, { state: "waiting", problem: error });
          await this.#pause.wait(pauseAfter(error, failures, limits), signal);
          failures += 1;
        }
      }
    }
  }

  #take(id: string, seq: number | undefined): void {
    if (this.#reader === undefined) this.#kept.remove(id);
    else this.#kept.put(id, { state: "taken", takenAtMs: Date.now() });
    this.#waiters.get(id)?.resolve({ id, seq });
  }

  /** Removes taken utterances that did not appear in the log: the floor ignored them. */
  prune(): void {
    if (this.#reader?.isConvened()) return;
    for (const { id, takenAtMs = Date.now() } of this.#kept.all()) {
      if (Date.now() - takenAtMs > takenMs) this.#kept.remove(id);
    }
  }

  /** The caller of `say` gets the problem; an utterance that nobody waits for stays in the list. */
  #refuse(id: string, problem: unknown): void {
    const waiter = this.#waiters.get(id);
    if (waiter !== undefined) this.#kept.remove(id);
    else {
      const known =
        problem instanceof FloorProblem ? problem : new FloorProblem({ status: 0, detail: String(problem) });
      this.#kept.put(id, { state: "refused", problem: known });
    }
    waiter?.reject(problem);
  }
}

/** The same event whenever it is sent: the floor compares repetitions. */
export function utteranceOf(speakerUri: string, words: Unsent): FloorEvent {
  const { id, text, at, to, isWhisper, features, language } = words;
  return textUtterance(text, {
    id,
    speakerUri,
    startTime: at,
    ...(to !== undefined && { to: { speakerUri: to, ...(isWhisper && { private: true }) } }),
    ...(language !== undefined && { lang: language }),
    ...(features !== undefined && { features }),
  });
}

const newId = () => `de:${crypto.randomUUID()}`;

/** Utterances that are not in the log yet, in order. With a storage they survive a reload. */
function createUnsentList(storage: ClientStorage | undefined, key: string) {
  let kept = read(storage, key);
  const listeners = new Set<() => void>();
  const change = (next: readonly Unsent[]) => {
    kept = next;
    write(storage, key, kept);
    for (const listener of listeners) listener();
  };
  const find = (id: string) => kept.find((one) => one.id === id);
  return {
    find,
    all: () => kept,
    next: () => kept.find(isPending),
    add: (words: Unsent) => change([...kept, words]),
    put: (id: string, facts: Partial<Unsent>) =>
      change(kept.map((one) => (one.id === id ? { ...withoutProblem(one), ...facts } : one))),
    remove: (id: string) => {
      if (find(id) !== undefined) change(kept.filter((one) => one.id !== id));
    },
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

function read(storage: ClientStorage | undefined, key: string): readonly Unsent[] {
  try {
    const found: unknown = JSON.parse(storage?.getItem(key) ?? "[]");
    return Array.isArray(found) ? found.filter(isPending).map(withoutProblem) : [];
  } catch {
    return []; // written by something else
  }
}

function write(storage: ClientStorage | undefined, key: string, kept: readonly Unsent[]): void {
  try {
    if (kept.length === 0) storage?.removeItem(key);
    else storage?.setItem(key, JSON.stringify(kept));
  } catch {
    return; // a full storage: it is still sent from memory
  }
}

function isPending(one: Unsent | undefined): boolean {
  return (one?.state === "sending" || one?.state === "waiting") && typeof one.id === "string";
}

function withoutProblem({ problem: _, ...words }: Unsent): Unsent {
  return words;
}
