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
import type { HttpStyle } from "./endpoints.ts";
import { openAiErrorOf } from "./errors.ts";
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
