import {
  chatChunk,
  chatCompletion,
  dataLine,
  doneLine,
  type ErrorContent,
  eventLine,
  type Step,
  stepLine,
  stepTypeOf,
  traceLine,
  typedStepLine,
  usageChunk,
  valueLine,
} from "@plenary/nemo";
import type { Clock } from "../../ports/clock.ts";
import { eventStreamHeaders } from "../../streams/sse.ts";
import type { HttpAnswer } from "./answers.ts";
import { type HttpStyle, openAiErrorOf } from "./endpoints.ts";
import type { HttpPiece } from "./response-writer.ts";

export type AnswerHead = {
  id: string;
  model: string;
  createdS: number;
  wantsUsage: boolean;
  /** The types of steps to send; all types by default. */
  stepTypes?: readonly string[];
};

/** The body of an answer that is not streamed. */
export function wholeAnswer(style: HttpStyle, head: AnswerHead, text: string): object {
  return style === "chat" || style === "openai" ? chatCompletion({ ...head, text }) : { value: text };
}

export type HttpLines = {
  first(): string;
  piece(piece: HttpPiece): string;
  /** `error`: the turn produced only this error. */
  last(error?: ErrorContent): string;
};

/** The lines of an event stream, piece by piece. */
export function createHttpLines(style: HttpStyle, head: AnswerHead): HttpLines {
  const isValue = style === "generate" || style === "full";
  const chunk = (part: Partial<Parameters<typeof chatChunk>[0]>) => dataLine(chatChunk({ ...head, ...part }));
  return {
    first: () => (isValue ? "" : chunk({ role: "assistant", delta: "" })),
    piece(piece) {
      if (piece.kind === "text") return isValue ? valueLine(piece.text) : chunk({ delta: piece.text });
      if (piece.kind === "asked") return piece.events.map(({ event, data }) => eventLine(event, data)).join("");
      if (style === "openai") return "";
      if (piece.kind === "step") return style === "full" ? rawStep(piece.step, head) : stepLine(piece.step);
      if (piece.kind === "trace") return traceLine(piece.traceId);
      // Over HTTP the toolkit swaps `message` and `details`.
      const { code, message, details } = piece.error;
      return dataLine({ code, message: details, details: message });
    },
    last(error) {
      if (isValue) return "";
      // For clients of OpenAI a chunk with `stop` means success.
      if (style === "openai" && error !== undefined) return dataLine(openAiErrorOf(error)) + doneLine;
      return chunk({ finish: "stop" }) + (head.wantsUsage ? dataLine(usageChunk(head)) : "") + doneLine;
    },
  };
}

function rawStep(step: Step, { stepTypes }: AnswerHead): string {
  return stepTypes === undefined || stepTypes.includes(stepTypeOf(step)) ? typedStepLine(step) : "";
}

async function* linesOf(answer: HttpAnswer, lines: HttpLines): AsyncGenerator<string, undefined> {
  const written = (text: string) => (text === "" ? [] : [text]);
  yield* written(lines.first());
  for (let piece = await answer.next(); piece !== undefined; piece = await answer.next()) {
    yield* written(lines.piece(piece));
  }
  yield* written(lines.last(answer.outcome().error));
  return undefined;
}

/** A silent stream sends a comment after this time: proxies and clients close silent connections. */
const silenceMs = 15_000;
const comment = { value: ": keep-alive\n\n" };

/** A streamed answer, with comments while it is silent. */
export function streamed(
  clock: Clock,
  answer: HttpAnswer,
  lines: HttpLines,
  headers: Record<string, string>,
): Response {
  const encoder = new TextEncoder();
  const source = linesOf(answer, lines);
  let pending: Promise<IteratorResult<string, undefined>> | undefined;
  let isOpen = true;
  let stopWaiting = () => {};
  const nextOrComment = async () => {
    pending ??= source.next();
    const silence = new Promise<typeof comment>((resolve) => {
      stopWaiting = clock.at(clock.now() + silenceMs, () => resolve(comment));
    });
    const next = await Promise.race([pending, silence]);
    stopWaiting();
    if (next !== comment) pending = undefined;
    return next.value;
  };
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const text = await nextOrComment();
      if (!isOpen) return;
      if (text === undefined) controller.close();
      else controller.enqueue(encoder.encode(text));
    },
    cancel() {
      isOpen = false;
      stopWaiting();
      return answer.leave();
    },
  });
  return new Response(body, { headers: { ...eventStreamHeaders, ...headers } });
}

/** Names the conversation and the ignored fields of the request. */
export function headersOf({ conversationId }: HttpAnswer, ignored: readonly string[]): Record<string, string> {
  return { "conversation-id": conversationId, ...(ignored.length > 0 && { "plenary-ignored": ignored.join(", ") }) };
}
