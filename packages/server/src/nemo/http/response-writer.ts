import { type ErrorContent, optionLines, type PromptContent, type Step, severalAdvice } from "@plenary/nemo";
import { comesLater, stillAtWork } from "../error-text.ts";
import type { NemoOutput } from "../output.ts";
import type { TurnEnd } from "./run-turn.ts";

/** The output for a client over HTTP: the same as over a socket, in fewer kinds. */
export type HttpPiece =
  | { kind: "text"; text: string }
  | { kind: "step"; step: Step }
  | { kind: "error"; error: ErrorContent }
  | { kind: "trace"; traceId: string }
  /** A question that the client answers with a second request. */
  | { kind: "asked"; events: readonly { event: string; data: object }[] };

export type ResponseWriter = {
  piece(output: NemoOutput): HttpPiece | { kind: "prompt"; content: PromptContent } | undefined;
  /** A note of the floor, as a paragraph. */
  note(words: string): HttpPiece | undefined;
  /** A notice about how the turn ended. */
  ended(ending: TurnEnd): HttpPiece | undefined;
  /** The text so far. */
  text(): string;
  /** The first error. */
  error(): ErrorContent | undefined;
};

/** `isAlone`: no other message follows in this conversation. `isInteractive`: questions are not part of the text. */
export function createResponseWriter({ isAlone, isInteractive = false }: ResponseMode): ResponseWriter {
  let whole = "";
  let first: ErrorContent | undefined;
  const text = (given: string): HttpPiece | undefined => {
    // Text before it, such as greetings, may have been dropped.
    const words = whole === "" ? given.replace(/^\n+/u, "") : given;
    whole += words;
    return words === "" ? undefined : { kind: "text", text: words };
  };
  const paragraph = (words: string) => {
    const gap = whole === "" || whole.endsWith("\n\n") ? "" : whole.endsWith("\n") ? "\n" : "\n\n";
    return text(`${gap}${words}`);
  };
  return {
    piece(output) {
      switch (output.kind) {
        case "delta":
          return text(output.text);
        case "step": {
          const { kind: _, ...step } = output;
          return { kind: "step", step };
        }
        case "prompt":
          if (isInteractive) return output.content.input_type === "notification" ? undefined : output;
          return isSent(output.content) ? undefined : paragraph(questionText(output.content, isAlone));
        case "error":
          first ??= output.error;
          return { kind: "error", error: output.error };
        case "trace":
          return { kind: "trace", traceId: output.traceId };
        case "complete":
          return undefined;
      }
    },
    note: (words) => paragraph(`*(${words})*`),
    ended(ending) {
      // All text may have been dropped with the greetings.
      if (ending === "complete" && whole === "") return text("*(Nobody answered.)*");
      if (ending !== "late" && ending !== "cut") return undefined;
      const rest = isAlone ? "It is not waited for." : comesLater;
      return paragraph(`*(${ending === "late" ? stillAtWork : "This answer ends here."} ${rest})*`);
    },
    text: () => whole,
    error: () => first,
  };
}

type ResponseMode = { isAlone: boolean; isInteractive?: boolean };

/** The text already has notices and addresses for consent. */
function isSent({ input_type: type }: PromptContent): boolean {
  return type === "notification" || type === "oauth_consent";
}

const wordsAdvice = "Answer with your next message.";

/** A question as text: the reader answers with the next message. */
function questionText(content: PromptContent, isAlone: boolean): string {
  const { text } = content;
  if (!("options" in content)) return isAlone ? `${text}\n\n${wordsAdvice}` : text;
  const lines = optionLines(content.options);
  const isOne = content.input_type !== "checkbox";
  const how = isOne ? `Answer with a number from 1 to ${lines.length}.` : severalAdvice;
  return [text, lines.join("\n"), how].join("\n\n");
}

/** Whether an answer ends with a question of `questionText`. */
export function endsInQuestion(answer: string): boolean {
  const words = answer.trimEnd();
  return [wordsAdvice, severalAdvice].some((advice) => words.endsWith(advice)) || numberAdvice.test(words);
}

const numberAdvice = /Answer with a number from 1 to \d+\.$/u;
