import type { Clock } from "../../ports/clock.ts";
import { eventStreamHeaders } from "../../streams/sse.ts";
import type { HttpAnswer } from "./answers.ts";
import { eventStream } from "./event-stream.ts";
import type { HttpLines } from "./response-format.ts";

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
