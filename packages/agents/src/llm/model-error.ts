export type ModelErrorCode =
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
