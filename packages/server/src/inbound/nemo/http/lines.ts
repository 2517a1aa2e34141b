import {
  chatChunk,
  chatCompletion,
  dataLine,
  doneLine,
  stepLine,
  traceLine,
  usageChunk,
  valueLine,
} from "@plenary/nemo";
import type { HttpPiece } from "./telling.ts";

/** How an answer is written: as the toolkit's `chat` or `generate`, or as OpenAI, which knows neither steps nor traces. */
export type HttpStyle = "chat" | "generate" | "openai";

export type AnswerHead = { id: string; model: string; createdS: number; wantsUsage: boolean };

/** All of it at once. */
export function wholeAnswer(style: HttpStyle, head: AnswerHead, text: string): object {
  return style === "generate" ? { value: text } : chatCompletion({ ...head, text });
}

export type HttpLines = {
  first(): string;
  piece(piece: HttpPiece): string;
  last(): string;
};

/** Piece by piece, as lines of an event stream. */
export function createHttpLines(style: HttpStyle, head: AnswerHead): HttpLines {
  const isGenerate = style === "generate";
  const chunk = (part: Partial<Parameters<typeof chatChunk>[0]>) => dataLine(chatChunk({ ...head, ...part }));
  return {
    first: () => (isGenerate ? "" : chunk({ role: "assistant", delta: "" })),
    piece(piece) {
      if (piece.kind === "text") return isGenerate ? valueLine(piece.text) : chunk({ delta: piece.text });
      if (style === "openai") return "";
      if (piece.kind === "step") return stepLine(piece.step);
      if (piece.kind === "trace") return traceLine(piece.traceId);
      // Over HTTP the toolkit has the two the other way round.
      const { code, message, details } = piece.error;
      return dataLine({ code, message: details, details: message });
    },
    last() {
      if (isGenerate) return "";
      return chunk({ finish: "stop" }) + (head.wantsUsage ? dataLine(usageChunk(head)) : "") + doneLine;
    },
  };
}
