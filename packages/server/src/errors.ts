import { type ProblemCode, type ProblemDocument, problemKind } from "@plenary/api";

export type { ProblemCode, ProblemDocument };

export type ProblemDetails = {
  detail?: string;
  /** JSON pointer into the request's body. */
  pointer?: string;
  /** The wrong query parameter. */
  parameter?: string;
  spec?: string;
  fix?: string;
  status?: number;
  retryAfterS?: number;
  /** Further members of the problem document. */
  extra?: Record<string, unknown>;
};

/** Bad input, or a server that cannot accept it now. The caller gets a problem document. */
export class Problem extends Error {
  override readonly name = "Problem";
  readonly code: ProblemCode;
  readonly details: ProblemDetails;

  constructor(code: ProblemCode, details: ProblemDetails = {}) {
    super(details.detail ?? problemKind(code).title);
    this.code = code;
    this.details = details;
  }
}

/**
 * Maps an error to its problem document, for HTTP and for a socket's nack. `random` spreads `retryAfter`, so that refused
 * clients do not all retry at once.
 */
export function problemDocument(
  error: unknown,
  random: () => number = () => 0,
): ProblemDocument & Record<string, unknown> {
  const { code, details } = problemOf(error);
  const kind = problemKind(code);
  const { detail, pointer, parameter, spec = kind.spec, fix = kind.fix, status = kind.status, extra } = details;
  const { retryAfterS = kind.retryAfterS } = details;
  return {
    type: `urn:plenary:problem:${code}`,
    title: kind.title,
    status,
    ...(detail !== undefined && { detail }),
    ...(pointer !== undefined && { pointer }),
    ...(parameter !== undefined && { parameter }),
    ...(spec !== undefined && { spec }),
    fix,
    ...(retryAfterS !== undefined && { retryAfter: Math.ceil(retryAfterS * (1 + random())) }),
    ...extra,
  };
}

/** Refuses requests while the server closes. */
export function assertOpen({ isClosing }: { isClosing: () => boolean }): void {
  if (isClosing()) throw new Problem("unavailable", { detail: "the floor is closing" });
}

function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof StoreError && error.retryable) {
    return new Problem("unavailable", { detail: "the store cannot write now; nothing of the request was taken" });
  }
  // An unexpected error is our bug; its details stay on the server.
  return new Problem("our-bug");
}

/** Whether the server logs the error: not for a mistake of the caller, not for overload. */
export function isOurs(error: unknown): boolean {
  return !(error instanceof Problem) || error.code === "our-bug";
}

/** Whether a retry may succeed. */
export function isPassing(error: unknown): boolean {
  if (error instanceof StoreError) return error.retryable;
  return error instanceof Problem && problemKind(error.code).retryAfterS !== undefined;
}

/** A store operation failed, for example because the disk is full or the file is locked. */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly code: string;
  /** A retry may succeed. */
  readonly retryable: boolean;

  constructor(
    code: string,
    message: string,
    { retryable = false, cause }: { retryable?: boolean; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.code = code;
    this.retryable = retryable;
  }
}
