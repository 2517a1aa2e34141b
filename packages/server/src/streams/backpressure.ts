import type { Draft } from "../delivery/drafts.ts";
import type { StreamLimits } from "../limits.ts";
import type { Clock } from "../ports/clock.ts";
import type { SharedDocument } from "./shared-document.ts";

/** Writes to the client of a stream, over SSE, WebSocket or NeMo. */
export type StreamSink = {
  /** An envelope; the client resumes after `id`: the number of its entry, or a cursor over all conversations. */
  event(document: SharedDocument, id: number | string): void;
  /** `bytes` returns the frame for SSE and WebSocket, encoded once for all viewers. */
  draft(draft: Draft, bytes: () => Buffer): void;
  /** Bytes that the client has not read yet. */
  bufferedBytes(): number;
  /** Calls back once, when the client has read some of them. */
  onceDrained(callback: () => void): void;
  /** Ends the stream. `advice` says what the client should do. */
  cut(why: "slow" | "failed" | "closing" | "ended" | "gone", advice: string): void;
};

/** Pauses the log for a slow client, and disconnects a client that stays slow (reliability 4.7). */
export type Backpressure = {
  isPaused(): boolean;
  /** Resolves when the client has read enough, or the stream has closed. */
  resumed(): Promise<void>;
  /** Counts an entry that was written while the stream is paused. */
  missed(): void;
  close(): void;
};

export function createBackpressure(
  sink: StreamSink,
  limits: StreamLimits,
  clock: Clock,
  onSlow: () => void,
): Backpressure {
  return new StreamBackpressure(sink, limits, clock, onSlow);
}

/** A class: thousands of viewers share its functions. */
class StreamBackpressure implements Backpressure {
  readonly #sink: StreamSink;
  readonly #limits: StreamLimits;
  readonly #clock: Clock;
  readonly #onSlow: () => void;
  #isClosed = false;
  #missedEntries = 0;
  #cancelTimeout: (() => void) | undefined;
  #waiting: (() => void)[] | undefined;

  constructor(sink: StreamSink, limits: StreamLimits, clock: Clock, onSlow: () => void) {
    this.#sink = sink;
    this.#limits = limits;
    this.#clock = clock;
    this.#onSlow = onSlow;
  }

  isPaused(): boolean {
    const bytes = this.#sink.bufferedBytes();
    if (bytes > this.#limits.bufferedBytesMax) this.#disconnectSlow();
    return this.#isClosed || this.#cancelTimeout !== undefined || bytes > this.#limits.bufferedBytesHigh;
  }

  async resumed(): Promise<void> {
    if (this.#isClosed) return;
    if (this.#cancelTimeout === undefined) {
      const { lagMs } = this.#limits;
      this.#cancelTimeout = this.#clock.at(this.#clock.now() + lagMs, () => this.#disconnectSlow());
      this.#sink.onceDrained(() => this.#drained());
    }
    await new Promise<void>((resolve) => {
      this.#waiting ??= [];
      this.#waiting.push(resolve);
    });
  }

  missed(): void {
    this.#missedEntries += 1;
    if (this.#missedEntries > this.#limits.lagEntriesMax) this.#disconnectSlow();
  }

  close(): void {
    this.#isClosed = true;
    this.#release();
  }

  #disconnectSlow(): void {
    if (this.#isClosed) return;
    this.close();
    this.#onSlow();
  }

  #release(): void {
    this.#cancelTimeout?.();
    this.#cancelTimeout = undefined;
    this.#missedEntries = 0;
    const callbacks = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const callback of callbacks) callback();
  }

  #drained(): void {
    if (this.#isClosed) return;
    if (this.#sink.bufferedBytes() > this.#limits.bufferedBytesHigh / 2) this.#sink.onceDrained(() => this.#drained());
    else this.#release();
  }
}
