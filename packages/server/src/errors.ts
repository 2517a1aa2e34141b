type Kind = {
  status: number;
  title: string;
  fix: string;
  spec?: string;
  /** Minimum seconds until a retry may succeed; `retryAfter` is random, up to twice as many. */
  retryAfterS?: number;
};

const repeat = "repeat the request after the seconds named in `retryAfter`";

/** Every problem that a request can have. */
const kinds = {
  "bad-json": {
    status: 400,
    title: "The body is not JSON",
    fix: "send one JSON object in UTF-8 without duplicate keys",
  },
  "bad-envelope": {
    status: 400,
    title: "The envelope cannot be read",
    fix: "fix what `issues` lists; `plenary validate FILE` checks an envelope before it is sent",
    spec: "Inter-Agent Message 1.1.0, section 1.4",
  },
  "bad-request": { status: 400, title: "Invalid request", fix: "see /openapi.json for the fields of this request" },
  unauthorized: {
    status: 401,
    title: "Missing or invalid credentials",
    fix: "send `Authorization: Bearer TOKEN`: the token printed when the floor started, or one made by `plenary keys add`",
  },
  forbidden: {
    status: 403,
    title: "Not allowed",
    fix: "ask the owner of the conversation, or the operator of the floor",
  },
  "forbidden-host": {
    status: 403,
    title: "Host not allowed",
    fix: "use the address that the floor printed, or add this host to its allowed hosts",
  },
  "forbidden-origin": {
    status: 403,
    title: "Origin not allowed",
    fix: "start the floor with --allow-origin for this page",
  },
  "forbidden-speaker": {
    status: 403,
    title: "Sender not allowed for this credential",
    fix: "send as a speakerUri that your credential is bound to",
    spec: "Inter-Agent Message 1.1.0, section 1.7",
  },
  refused: { status: 422, title: "Refused by the floor", fix: "see `detail` and the rule named in `because`" },
  "key-reused": {
    status: 422,
    title: "Idempotency key already used",
    fix: "repeat the first request with the same body, or send the new request with another Idempotency-Key",
  },
  "not-found": { status: 404, title: "Not found", fix: "see /openapi.json for the paths of this floor" },
  "unknown-conversation": {
    status: 404,
    title: "No such conversation",
    fix: "create it with POST /api/v1/conversations",
  },
  "method-not-allowed": {
    status: 405,
    title: "Method not allowed",
    fix: "use a method named in the `Allow` header",
  },
  "too-large": { status: 413, title: "Body too large", fix: "send at most 1 MiB; link large media by valueUrl" },
  "unsupported-media": {
    status: 415,
    title: "Unsupported media type",
    fix: "send application/json without content-encoding",
  },
  busy: { status: 429, title: "Too many requests waiting", fix: repeat, retryAfterS: 1 },
  "too-often": { status: 429, title: "Rate limit exceeded", fix: repeat, retryAfterS: 1 },
  overloaded: { status: 503, title: "Server overloaded", fix: repeat, retryAfterS: 2 },
  unavailable: { status: 503, title: "Temporarily unavailable", fix: repeat, retryAfterS: 5 },
  "our-bug": {
    status: 500,
    title: "Internal error",
    fix: "report it to the operator of the floor: its log has the cause",
  },
} as const satisfies Record<string, Kind>;

export type ProblemCode = keyof typeof kinds;

export type ProblemDetails = {
  detail?: string;
  /** JSON pointer into the request's body. */
  pointer?: string;
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
    super(details.detail ?? kinds[code].title);
    this.code = code;
    this.details = details;
  }
}

/** RFC 9457. */
export type ProblemDocument = {
  type: string;
  title: string;
  status: number;
  detail?: string;
  pointer?: string;
  spec?: string;
  fix: string;
  /** Seconds, as in the header `Retry-After`. */
  retryAfter?: number;
} & Record<string, unknown>;

/**
 * Maps an error to its problem document, for HTTP and for a socket's nack. `random` spreads `retryAfter`, so that refused
 * clients do not all retry at once.
 */
export function problemDocument(error: unknown, random: () => number = () => 0): ProblemDocument {
  const { code, details } = problemOf(error);
  const kind: Kind = kinds[code];
  const { detail, pointer, spec = kind.spec, fix = kind.fix, status = kind.status, extra } = details;
  const { retryAfterS = kind.retryAfterS } = details;
  return {
    type: `urn:plenary:problem:${code}`,
    title: kind.title,
    status,
    ...(detail !== undefined && { detail }),
    ...(pointer !== undefined && { pointer }),
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
  return error instanceof Problem && (kinds[error.code] as Kind).retryAfterS !== undefined;
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
