import type { ErrorContent } from "@plenary/nemo";

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

type ModelErrorCode =
  | "rate-limited"
  /** The account has no credit left: waiting does not help. */
  | "quota"
  | "busy"
  | "refused-key"
  | "unknown-model"
  | "unreachable"
  | "slow"
  | "broken"
  /** The model cannot read pictures or sound. */
  | "unread"
  /** The response is no valid completion. */
  | "garbled"
  | "failed";

type ModelErrorOptions = { retryAfterMs?: number | undefined; cause?: unknown };

/** The model gave no answer, or only a part of it. */
export class ModelError extends Error {
  override readonly name = "ModelError";
  readonly code: ModelErrorCode;
  /** The endpoint's `Retry-After`. */
  readonly retryAfterMs: number | undefined;

  constructor(code: ModelErrorCode, message: string, { retryAfterMs, cause }: ModelErrorOptions = {}) {
    super(message, cause === undefined ? {} : { cause });
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }

  get retryable(): boolean {
    return ["rate-limited", "busy", "unreachable"].includes(this.code);
  }
}

const messageCharsMax = 300;

/** The error in a response. `status` is undefined for an error inside a stream. */
export function refusal(status: number | undefined, document: unknown, retryAfterMs?: number): ModelError {
  const { code, type, message } = errorIn(document);
  const kind = codeOf(status ?? statusIn(code), `${code} ${type} ${message}`);
  const said = [status === undefined ? "reported an error" : `answered ${status}`, message.slice(0, messageCharsMax)];
  return new ModelError(kind, `the model ${said.filter((part) => part !== "").join(": ")}`, { retryAfterMs });
}

function codeOf(status: number | undefined, words: string): ModelErrorCode {
  if (/insufficient_quota|billing/iu.test(words)) return "quota";
  if (/model_not_found|model.{0,80}(?:not found|does not exist)/iu.test(words)) return "unknown-model";
  if (status === 401 || status === 403 || /invalid_api_key|authentication_error/iu.test(words)) return "refused-key";
  if (status === 404) return "unknown-model";
  if (status === 429 || (status === undefined && /rate.?limit/iu.test(words))) return "rate-limited";
  if (isUnread(status, words)) return "unread";
  if (status === undefined) return /overloaded|unavailable/iu.test(words) ? "busy" : "failed";
  return [502, 503, 504, 529].includes(status) ? "busy" : "failed";
}

/** Servers report this in many ways, some with status 500. */
function isUnread(status: number | undefined, words: string): boolean {
  const isRefused = status === undefined || [400, 413, 415, 422, 500, 501].includes(status);
  return isRefused && /image|audio|vision|multi-?modal|mmproj|content.?(?:type|part)|must be a string/iu.test(words);
}

/** `{error: {message, type, code}}`, `{error: "..."}`, `{message, type, code}`, `{detail: "..."}`: all are in use. */
function errorIn(document: unknown): { code: string; type: string; message: string } {
  const outer = fieldsOf(document);
  if (typeof outer.error === "string") return { code: "", type: "", message: outer.error };
  const { code, type, message = outer.detail } = outer.error === undefined ? outer : fieldsOf(outer.error);
  return { code: wordIn(code), type: wordIn(type), message: wordIn(message) };
}

function statusIn(code: string): number | undefined {
  return /^[45]\d\d$/u.test(code) ? Number(code) : undefined;
}

function wordIn(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** Empty for anything that is no object. */
export function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
