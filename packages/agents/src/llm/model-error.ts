export type ModelErrorCode =
  | "rate-limited"
  /** The account has nothing left: waiting does not help. */
  | "quota"
  | "busy"
  | "refused-key"
  | "unknown-model"
  | "unreachable"
  | "slow"
  | "broken"
  /** It does not read pictures, or sound. */
  | "unread"
  /** It answered with something else than completions. */
  | "garbled"
  | "failed";

type ModelErrorOptions = { retryAfterMs?: number | undefined; cause?: unknown };

/** The model gave no answer, or not all of it. */
export class ModelError extends Error {
  override readonly name = "ModelError";
  readonly code: ModelErrorCode;
  /** As the endpoint wishes. */
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

/** What an endpoint says of its failure, by status, or by an error in the middle of a stream, where there is none. */
export function refusal(status: number | undefined, document: unknown, retryAfterMs?: number): ModelError {
  const { code, type, message } = errorIn(document);
  const kind = codeOf(status ?? statusIn(code), `${code} ${type} ${message}`);
  const said = [status === undefined ? "told of an error" : `answered ${status}`, message.slice(0, messageCharsMax)];
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

/** Servers say it in many ways, some with 500. */
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

/** Of anything that has none: none. */
export function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
