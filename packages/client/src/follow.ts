import type { DraftFrame, StreamFrame } from "./contract.ts";
import { FloorProblem } from "./problem.ts";
import { createPause, pauseAfter } from "./retry.ts";
import { type FloorSocketConstructor, type StreamEnd, type StreamOptions, socketFrames } from "./stream.ts";

export type FollowerOptions = Omit<StreamOptions, "after" | "signal" | "onOpen"> & {
  Socket: FloorSocketConstructor | undefined;
  after: number;
  signal?: AbortSignal | undefined;
  /** Aborted when the client is closed. */
  closed: AbortSignal;
  onConnection?: ((state: "live" | "reconnecting") => void) | undefined;
};

/** After this many sockets in a row that never opened, server-sent events are used. */
const socketFailuresMax = 3;
const openDraftsMax = 256;

/**
 * Follows one conversation through every cut: each connection resumes after the last entry, so each entry comes once and
 * in order. Ends when the speaker has left or was removed; throws a FloorProblem when the access is denied.
 */
export class Follower {
  readonly #options: FollowerOptions;
  /** Signals that end it. */
  readonly #over: readonly (AbortSignal | undefined)[];
  readonly #pause = createPause();
  readonly #drafts = new Map<string, DraftFrame>();
  #seq: number;
  #failedSockets = 0;
  #connection: AbortController | undefined;

  constructor(options: FollowerOptions) {
    this.#options = options;
    this.#over = [options.signal, options.closed];
    this.#seq = options.after;
  }

  /** Opens a new connection now: the current one may be dead without a sign. */
  reconnect(): void {
    this.#connection?.abort();
    this.#pause.wake();
  }

  async *frames(): AsyncGenerator<StreamFrame, void> {
    const { limits, onConnection } = this.#options;
    for (let failures = 0; ; failures += 1) {
      const { end, isStable, problem } = yield* this.#oneConnection();
      if (end === "gone") return;
      // Their next pieces may be lost.
      for (const draft of this.#drafts.values()) yield { draft: { ...draft, end: "dropped" } };
      this.#drafts.clear();
      if (isStable || end === "full") failures = 0;
      if (end === "full") continue;
      onConnection?.("reconnecting");
      await this.#pause.wait(pauseAfter(problem, failures, limits), ...this.#over);
    }
  }

  async *#oneConnection() {
    const cut = new AbortController();
    this.#connection = cut;
    const abort = () => cut.abort(this.#over.find((one) => one?.aborted)?.reason);
    for (const one of this.#over) one?.addEventListener("abort", abort);
    if (this.#over.some((one) => one?.aborted)) abort();
    const before = this.#seq;
    let openedAtMs = 0;
    const onOpen = () => {
      openedAtMs = Date.now();
      this.#options.onConnection?.("live");
    };
    const Socket = this.#failedSockets < socketFailuresMax ? this.#options.Socket : undefined;
    const stream = { ...this.#options, after: () => this.#seq, signal: cut.signal, onOpen };
    let [end, problem]: [StreamEnd, unknown] = ["cut", undefined];
    try {
      // Browsers load the reader of event streams only where sockets do not work.
      const source = Socket && socketFrames(Socket, stream);
      end = yield* this.#passOn(source ?? (await import("./event-stream.ts")).eventFrames(stream));
    } catch (error) {
      if (error instanceof FloorProblem && !error.isTemporary) throw error;
      problem = error;
    } finally {
      for (const one of this.#over) one?.removeEventListener("abort", abort);
      cut.abort();
    }
    for (const one of this.#over) if (one?.aborted) throw one.reason;
    // A floor that is away has refused no socket.
    const isNeverOpened = problem === undefined && openedAtMs === 0;
    if (Socket !== undefined) this.#failedSockets = isNeverOpened ? this.#failedSockets + 1 : 0;
    const isLong = openedAtMs > 0 && Date.now() - openedAtMs > this.#options.limits.retryMaxMs;
    return { end, isStable: isLong || this.#seq > before, problem };
  }

  /** Leaves out repeated entries, and ends at a gap. */
  async *#passOn(source: AsyncGenerator<StreamFrame, StreamEnd>): AsyncGenerator<StreamFrame, StreamEnd> {
    try {
      for (let next = await source.next(); ; next = await source.next()) {
        if (next.done) return next.value;
        const frame = next.value;
        if ("draft" in frame) this.#noteDraft(frame.draft);
        else if (frame.seq <= this.#seq) continue;
        else if (frame.seq > this.#seq + 1) return "cut";
        else this.#seq = frame.seq;
        yield frame;
      }
    } finally {
      await source.return("cut");
    }
  }

  #noteDraft({ delta: _, offset: __, step: ___, end, ...draft }: DraftFrame): void {
    const key = draftKey(draft);
    if (end !== undefined) this.#drafts.delete(key);
    else if (this.#drafts.size < openDraftsMax) this.#drafts.set(key, draft);
  }
}

/** Speakers choose ids freely, and two may collide. */
export function draftKey({ speakerUri, dialogEventId }: Pick<DraftFrame, "speakerUri" | "dialogEventId">): string {
  return `${speakerUri} ${dialogEventId}`;
}
