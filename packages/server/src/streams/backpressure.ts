import type { Draft } from "../delivery/drafts.ts";
import type { StreamLimits } from "../limits.ts";
import type { Clock } from "../ports/clock.ts";

/** The far end of a stream, whatever carries it. */
export type StreamSink = {
  /** An envelope; `id` is where a reader goes on after it. */
  event(bytes: Buffer, id: { seq: number } | { cursor: string }): void;
  /** `bytes` is the frame of our own streams, written once for all of them. */
  draft(draft: Draft, bytes: () => Buffer): void;
  /** What the reader has not taken yet. */
  bufferedBytes(): number;
  /** Calls back once, when the reader has taken something. */
  onceDrained(ring: () => void): void;
  /** Ends the stream for good, with what the reader should do. */
  cut(why: "slow" | "failed" | "closing" | "ended" | "gone", advice: string): void;
};

/** Holds the log back from a reader that does not keep up, and gives it up when it takes too long (reliability 4.7). */
export type Backpressure = {
  isShut(): boolean;
  /** Resolves when there is room again, or nobody needs it. */
  opened(): Promise<void>;
  /** Something was written that this reader has not got. */
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

/** A class because there is one for each viewer: thousands of them share its functions. */
class StreamBackpressure implements Backpressure {
  readonly #sink: StreamSink;
  readonly #limits: StreamLimits;
  readonly #clock: Clock;
  readonly #onSlow: () => void;
  #isClosed = false;
  #missedEntries = 0;
  #endPatience: (() => void) | undefined;
  #waiting: (() => void)[] | undefined;

  constructor(sink: StreamSink, limits: StreamLimits, clock: Clock, onSlow: () => void) {
    this.#sink = sink;
    this.#limits = limits;
    this.#clock = clock;
    this.#onSlow = onSlow;
  }

  isShut(): boolean {
    const bytes = this.#sink.bufferedBytes();
    if (bytes > this.#limits.bufferedBytesMax) this.#giveUp();
    return this.#isClosed || this.#endPatience !== undefined || bytes > this.#limits.bufferedBytesHigh;
  }

  async opened(): Promise<void> {
    if (this.#isClosed) return;
    if (this.#endPatience === undefined) {
      const { lagMs } = this.#limits;
      this.#endPatience = this.#clock.at(this.#clock.now() + lagMs, () => this.#giveUp());
      this.#sink.onceDrained(() => this.#drained());
    }
    await new Promise<void>((resolve) => {
      this.#waiting ??= [];
      this.#waiting.push(resolve);
    });
  }

  missed(): void {
    this.#missedEntries += 1;
    if (this.#missedEntries > this.#limits.lagEntriesMax) this.#giveUp();
  }

  close(): void {
    this.#isClosed = true;
    this.#release();
  }

  #giveUp(): void {
    if (this.#isClosed) return;
    this.close();
    this.#onSlow();
  }

  #release(): void {
    this.#endPatience?.();
    this.#endPatience = undefined;
    this.#missedEntries = 0;
    const rings = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const ring of rings) ring();
  }

  #drained(): void {
    if (this.#isClosed) return;
    if (this.#sink.bufferedBytes() > this.#limits.bufferedBytesHigh / 2) this.#sink.onceDrained(() => this.#drained());
    else this.#release();
  }
}
