import type { Clock } from "../ports.ts";
import type { StreamLimits } from "./stream-limits.ts";

/** The far end of a stream, whatever carries it. */
export type Sink = {
  /** An envelope; `id` is where a reader goes on after it. */
  event(bytes: Buffer, id: { seq: number } | { cursor: string }): void;
  draft(bytes: Buffer): void;
  /** What the reader has not taken yet. */
  bufferedBytes(): number;
  /** Calls back once, when the reader has taken something. */
  onceDrained(ring: () => void): void;
  /** Ends the stream for good, with what the reader should do. */
  cut(why: "slow" | "failed" | "closing", advice: string): void;
};

/** Holds the log back from a reader that does not keep up, and gives it up when it takes too long (reliability 4.7). */
export type Gate = {
  isShut(): boolean;
  /** Resolves when there is room again, or nobody needs it. */
  opened(): Promise<void>;
  /** Something was written that this reader has not got. */
  missed(): void;
  close(): void;
};

export function createGate(sink: Sink, limits: StreamLimits, clock: Clock, onSlow: () => void): Gate {
  let isClosed = false;
  let missedEntries = 0;
  let endPatience: (() => void) | undefined;
  let waiting: (() => void)[] = [];

  const giveUp = () => {
    if (isClosed) return;
    close();
    onSlow();
  };
  const release = () => {
    endPatience?.();
    endPatience = undefined;
    missedEntries = 0;
    const rings = waiting;
    waiting = [];
    for (const ring of rings) ring();
  };
  const close = () => {
    isClosed = true;
    release();
  };
  const onDrained = () => {
    if (isClosed) return;
    if (sink.bufferedBytes() > limits.bufferedBytesHigh / 2) sink.onceDrained(onDrained);
    else release();
  };
  return {
    isShut() {
      const bytes = sink.bufferedBytes();
      if (bytes > limits.bufferedBytesMax) giveUp();
      return isClosed || endPatience !== undefined || bytes > limits.bufferedBytesHigh;
    },
    async opened() {
      if (isClosed) return;
      if (endPatience === undefined) {
        endPatience = clock.at(clock.now() + limits.lagMs, giveUp);
        sink.onceDrained(onDrained);
      }
      await new Promise<void>((resolve) => waiting.push(resolve));
    },
    missed() {
      missedEntries += 1;
      if (missedEntries > limits.lagEntriesMax) giveUp();
    },
    close,
  };
}
