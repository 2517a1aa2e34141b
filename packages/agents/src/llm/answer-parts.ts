import type { ErrorContent } from "@plenary/nemo";
import type { ModelError, ModelErrorCode } from "./model-error.ts";

/** An answer arrives in parts; the last part says how it ended. */
export type AnswerPart = { kind: "text"; text: string } | Ending;

export type Ending =
  | { kind: "complete" }
  /** The model says that the question is outside its task. */
  | { kind: "outOfDomain" }
  /** The answer reached the maximum length. */
  | { kind: "length" }
  /** A content filter of the provider removed the rest. */
  | { kind: "filtered" }
  | { kind: "failed"; error: ModelError };

/** An answer in progress. */
export type AnswerStream = { first: Promise<IteratorResult<AnswerPart>>; parts: AsyncGenerator<AnswerPart> };

const reasons: Record<ModelErrorCode, string> = {
  "rate-limited": "my model is getting too many requests",
  quota: "the account for my model has no credit left",
  busy: "my model is overloaded",
  "refused-key": "my model does not accept my key",
  "unknown-model": "my model was not found at its address",
  unreachable: "my model cannot be reached",
  slow: "my model took too long",
  broken: "the connection to my model broke",
  unread: "my model cannot read what it was sent",
  garbled: "my model sent an answer that I cannot read",
  failed: "my model failed",
};

const temporary: readonly ModelErrorCode[] = ["rate-limited", "busy", "slow", "broken"];

/** The end of an incomplete answer; empty for a complete one. */
export function cutMark(ending: Ending): string {
  const why = cutReason(ending);
  return why === undefined ? "" : ` … (cut: ${why})`;
}

function cutReason(ending: Ending): string | undefined {
  if (ending.kind === "length") return "the answer reached the maximum length";
  if (ending.kind === "filtered") return "a content filter removed the rest";
  return ending.kind === "failed" ? reasons[ending.error.code] : undefined;
}

/** The error feature for clients that show errors; undefined unless the answer failed. */
export function errorOf(ending: Ending): ErrorContent | undefined {
  if (ending.kind !== "failed") return undefined;
  const { code } = ending.error;
  return { code: "workflow_error", message: code === "slow" ? "TimeoutError" : "ModelError", details: reasons[code] };
}

/** What a person gets instead of an answer. It contains no details that only the operator should know. */
export function apologyFor(ending: Ending): string {
  switch (ending.kind) {
    case "failed": {
      const { code } = ending.error;
      const then = temporary.includes(code) ? "Please ask me again in a moment." : "The operator has been informed.";
      return `Sorry, I cannot answer: ${reasons[code]}. ${then}`;
    }
    case "filtered":
      return "Sorry, I cannot answer: a content filter removed the answer.";
    case "outOfDomain":
      return "Sorry, that is outside of what I am here for.";
    case "length":
    case "complete":
      return "Sorry, my model had nothing to say to that.";
  }
}
