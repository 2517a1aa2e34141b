import type { ErrorContent } from "@plenary/nemo";
import type { ModelError, ModelErrorCode } from "./model-error.ts";

/** An answer comes in parts; the last one says how it ended. */
export type AnswerPart = { kind: "text"; text: string } | Ending;

export type Ending =
  | { kind: "complete" }
  /** The model says that this is not its own matter. */
  | { kind: "outOfDomain" }
  /** It reached the length it may have; its provider kept the rest back. */
  | { kind: "length" }
  | { kind: "filtered" }
  | { kind: "failed"; error: ModelError };

/** An answer that is under way. */
export type AnswerStream = { first: Promise<IteratorResult<AnswerPart>>; parts: AsyncGenerator<AnswerPart> };

const reasons: Record<ModelErrorCode, string> = {
  "rate-limited": "my model is asked too often just now",
  quota: "the account of my model is used up",
  busy: "my model is overloaded",
  "refused-key": "my model does not accept my key",
  "unknown-model": "my model was not found at its address",
  unreachable: "my model cannot be reached",
  slow: "my model took too long",
  broken: "the connection to my model broke",
  unread: "my model cannot read what it was sent",
  garbled: "my model answered with something that I cannot read",
  failed: "my model failed",
};

const temporary: readonly ModelErrorCode[] = ["rate-limited", "busy", "slow", "broken"];

/** What ends an answer that did not come to its end; nothing after one that did. */
export function cutMark(ending: Ending): string {
  const why = cutReason(ending);
  return why === undefined ? "" : ` … (cut: ${why})`;
}

function cutReason(ending: Ending): string | undefined {
  if (ending.kind === "length") return "the answer reached its greatest length";
  if (ending.kind === "filtered") return "the rest was kept back by a content filter";
  return ending.kind === "failed" ? reasons[ending.error.code] : undefined;
}

/** The same for a client that shows errors; undefined when nothing went wrong. */
export function errorOf(ending: Ending): ErrorContent | undefined {
  if (ending.kind !== "failed") return undefined;
  const { code } = ending.error;
  return { code: "workflow_error", message: code === "slow" ? "TimeoutError" : "ModelError", details: reasons[code] };
}

/** Instead of an answer, to a person who waits for one. Says nothing that only its operator should know. */
export function apologyFor(ending: Ending): string {
  switch (ending.kind) {
    case "failed": {
      const { code } = ending.error;
      const then = temporary.includes(code) ? "Please ask me again in a moment." : "Whoever runs me has been told.";
      return `Sorry, I cannot answer: ${reasons[code]}. ${then}`;
    }
    case "filtered":
      return "Sorry, I cannot answer: a content filter kept the answer back.";
    case "outOfDomain":
      return "Sorry, that is outside of what I am here for.";
    case "length":
    case "complete":
      return "Sorry, my model had nothing to say to that.";
  }
}
