import type { Clock } from "../../ports/clock.ts";

type Source = {
  /** Resolves with the next lines; undefined after the last lines. */
  next(): Promise<string | undefined>;
  /** The reader has gone. */
  leave(): Promise<void>;
};

/** A silent stream sends a comment after this time: proxies and clients close silent connections. */
const silenceMs = 15_000;
const comment = ": keep-alive\n\n";

/** A response body with the lines of a source. */
export function eventStream(clock: Clock, source: Source): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let pending: Promise<string | undefined> | undefined;
  let isOpen = true;
  let stopWaiting = () => {};
  const linesOrComment = async () => {
    pending ??= source.next();
    const silence = new Promise<typeof comment>((resolve) => {
      stopWaiting = clock.at(clock.now() + silenceMs, () => resolve(comment));
    });
    const lines = await Promise.race([pending, silence]);
    stopWaiting();
    if (lines !== comment) pending = undefined;
    return lines;
  };
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const lines = await linesOrComment();
      if (!isOpen) return;
      if (lines === undefined) controller.close();
      else controller.enqueue(encoder.encode(lines));
    },
    cancel() {
      isOpen = false;
      stopWaiting();
      return source.leave();
    },
  });
}
