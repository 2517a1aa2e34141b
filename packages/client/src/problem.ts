import { recordOf } from "@plenary/protocol";

/** A problem document (RFC 9457), as the floor writes it. */
type ProblemFields = {
  type?: string;
  status: number;
  title?: string;
  detail?: string;
  /** JSON pointer to the wrong field of the request. */
  pointer?: string;
  /** The wrong query parameter. */
  parameter?: string;
  /** What to do. */
  fix?: string;
  /** The rule of the floor that refused it. */
  because?: string;
  /** Seconds until a repetition may succeed. */
  retryAfter?: number;
};

/** A request that the floor refused, or that did not reach it. The message says what is wrong and what to do. */
export class FloorProblem extends Error {
  override readonly name: string = "FloorProblem";
  readonly type: string;
  /** The HTTP status; 0 without an answer of the floor. */
  readonly status: number;
  readonly title: string;
  readonly detail: string | undefined;
  readonly pointer: string | undefined;
  readonly parameter: string | undefined;
  readonly fix: string | undefined;
  readonly because: string | undefined;
  readonly retryAfter: number | undefined;

  constructor(fields: ProblemFields, options?: { cause?: unknown }) {
    const { type = "about:blank", status, detail, title = detail ?? `The floor answered ${status}`, fix } = fields;
    super(
      [detail ?? title, fix]
        .filter((part) => part !== undefined && part !== "")
        .map(sentence)
        .join(" "),
      options,
    );
    this.type = type;
    this.status = status;
    this.title = title;
    this.detail = detail;
    this.pointer = fields.pointer;
    this.parameter = fields.parameter;
    this.fix = fix;
    this.because = fields.because;
    this.retryAfter = fields.retryAfter;
  }

  /** The same request may succeed later. */
  get isTemporary(): boolean {
    return this.status === 0 || this.status === 408 || this.status === 429 || this.status >= 500;
  }

  /** The credential has no access, or has lost it. */
  get isDenied(): boolean {
    return this.status === 401 || this.status === 403 || this.status === 404;
  }
}

/** No answer of a floor: no connection, no time left, or something else answered. It is unknown what had an effect. */
export class Unreachable extends FloorProblem {
  override readonly name = "Unreachable";
  readonly url: string;

  constructor(url: string, detail: string, cause?: unknown) {
    const fix = `check the address ${url} and whether the floor runs`;
    super({ status: 0, title: "No answer from the floor", detail, fix }, { cause });
    this.url = url;
  }
}

/** The agents that were asked did not answer (D42). The message has the reason. */
export class NoReply extends Error {
  override readonly name = "NoReply";
}

export function problemIn(document: unknown, status: number): FloorProblem {
  const fields = recordOf(document);
  const text = (name: string) => (typeof fields[name] === "string" ? { [name]: fields[name] } : {});
  const named = ["type", "title", "detail", "pointer", "parameter", "fix", "because"].map(text);
  const { retryAfter } = fields;
  return new FloorProblem({
    ...Object.assign({}, ...named),
    status,
    ...(typeof retryAfter === "number" && { retryAfter }),
  });
}

/** The floor may refuse single events although it accepts their envelope. */
export function refusalIn(answer: unknown): FloorProblem | undefined {
  const { refused } = answer as { refused?: readonly { problem?: string; because?: string }[] };
  if (!Array.isArray(refused) || refused.length === 0) return undefined;
  const { problem = "the floor refused it", because } = recordOf(refused[0]);
  return problemIn({ detail: problem, because }, 422);
}

export function isTemporary(error: unknown): boolean {
  return error instanceof FloorProblem && error.isTemporary;
}

function sentence(text: string | undefined): string {
  const trimmed = (text ?? "").trim();
  const ended = /[.?!]$/u.test(trimmed) ? trimmed : `${trimmed}.`;
  return ended.charAt(0).toUpperCase() + ended.slice(1);
}
