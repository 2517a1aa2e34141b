import type { Clock } from "../../ports/clock.ts";
import { eventStreamHeaders } from "../../streams/sse.ts";
import type { HttpAnswer } from "./answers.ts";
import type { HttpLines } from "./response-format.ts";

type Source = {
  /** Resolves with the next lines; undefined after the last lines. */
  next(): Promise<string | undefined>;
  /** The reader has gone. */
  leave(): Promise<void>;
};

/** A silent stream sends a comment after this time: proxies and clients close silent connections. */
const silenceMs = 15_000;
const comment = ": keep-alive\n\n";

/** A response body with the lines of a source, and comments while it is silent. */
function eventStream(clock: Clock, source: Source): ReadableStream<Uint8Array> {
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

/** A streamed answer. */
export function streamed(
  clock: Clock,
  answer: HttpAnswer,
  lines: HttpLines,
  headers: Record<string, string>,
): Response {
  let [isBegun, isOver] = [false, false];
  const next = async (): Promise<string | undefined> => {
    if (isOver) return undefined;
    const first = isBegun ? "" : lines.first();
    isBegun = true;
    if (first !== "") return first;
    for (;;) {
      const piece = await answer.next();
      isOver = piece === undefined;
      const line = piece === undefined ? lines.last(answer.outcome().error) : lines.piece(piece);
      if (line !== "") return line;
      if (isOver) return undefined;
    }
  };
  const body = eventStream(clock, { next, leave: answer.leave });
  return new Response(body, { headers: { ...eventStreamHeaders, ...headers } });
}

/** Names the conversation and the ignored fields of the request. */
export function headersOf({ conversationId }: HttpAnswer, ignored: readonly string[]): Record<string, string> {
  return { "conversation-id": conversationId, ...(ignored.length > 0 && { "plenary-ignored": ignored.join(", ") }) };
}
