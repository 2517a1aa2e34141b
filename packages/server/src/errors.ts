type Kind = {
  status: number;
  title: string;
  fix: string;
  spec?: string;
  /** After so many seconds, or up to twice as many, the same request may be taken. */
  retryAfterS?: number;
};

/** Everything that can be wrong with a request, said once. */
const kinds = {
  "bad-json": { status: 400, title: "The body is not JSON", fix: "send one JSON object, UTF-8, without doubled keys" },
  "bad-envelope": {
    status: 400,
    title: "The envelope cannot be read",
    fix: "mend what `issues` lists; `plenary validate FILE` checks an envelope before it is sent",
    spec: "Inter-Agent Message 1.1.0, section 1.4",
  },
  "bad-request": { status: 400, title: "The request cannot be read", fix: "see /openapi.json for what it takes" },
  unauthorized: {
    status: 401,
    title: "Who are you?",
    fix: "send `Authorization: Bearer TOKEN`: the token printed when the floor started, or one made by `plenary keys add`",
  },
  forbidden: {
    status: 403,
    title: "This is not yours to do",
    fix: "ask the owner of the conversation, or whoever runs the floor",
  },
  "forbidden-host": {
    status: 403,
    title: "This floor is not called that",
    fix: "use the address it printed, or name this host in its allowed hosts",
  },
  "forbidden-origin": {
    status: 403,
    title: "Pages of this origin may not talk to this floor",
    fix: "start the floor with --allow-origin for this page",
  },
  "forbidden-speaker": {
    status: 403,
    title: "You may not speak for this sender",
    fix: "send as a speakerUri that your credential is bound to",
    spec: "Inter-Agent Message 1.1.0, section 1.7",
  },
  refused: { status: 422, title: "The floor refuses this", fix: "see `detail` and the rule named in `because`" },
  "key-reused": {
    status: 422,
    title: "This name was given to another request",
    fix: "repeat the request with the body it had, or give the new one an Idempotency-Key of its own",
  },
  "not-found": { status: 404, title: "Nothing is here", fix: "see /openapi.json for what there is" },
  "unknown-conversation": {
    status: 404,
    title: "No such conversation",
    fix: "create it with POST /api/v1/conversations",
  },
  "method-not-allowed": {
    status: 405,
    title: "This address does not take that method",
    fix: "use a method named in the `Allow` header",
  },
  "too-large": { status: 413, title: "The body is too large", fix: "send at most 1 MiB; link large media by valueUrl" },
  "unsupported-media": {
    status: 415,
    title: "The body is of another kind",
    fix: "send application/json, without content-encoding",
  },
  busy: {
    status: 429,
    title: "Too much is waiting",
    fix: "repeat it after the seconds named in `retryAfter`",
    retryAfterS: 1,
  },
  "too-often": {
    status: 429,
    title: "You come too often",
    fix: "repeat it after the seconds named in `retryAfter`",
    retryAfterS: 1,
  },
  overloaded: {
    status: 503,
    title: "The floor is busy",
    fix: "repeat it after the seconds named in `retryAfter`",
    retryAfterS: 2,
  },
  unavailable: {
    status: 503,
    title: "The floor cannot take this now",
    fix: "repeat it after the seconds named in `retryAfter`",
    retryAfterS: 5,
  },
  "our-bug": { status: 500, title: "The floor has failed", fix: "tell whoever runs it; its log has the cause" },
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

/** Bad input or a floor that cannot take it, as the caller will be told. */
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
 * The one map from what went wrong to what HTTP, or a socket's nack, says about it. `random` spreads those who are told
 * to come back, so that they do not come together.
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

/** To whoever comes while the floor closes. */
export function assertOpen({ isClosing }: { isClosing: () => boolean }): void {
  if (isClosing()) throw new Problem("unavailable", { detail: "the floor is closing" });
}

function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof StoreError && error.retryable) {
    return new Problem("unavailable", { detail: "the floor cannot write it down now: nothing of it was taken" });
  }
  // What we did not foresee is ours, and none of its details leave the house.
  return new Problem("our-bug");
}

/** Whether those who run the floor should hear of it: not of what callers did, nor of a floor that says it is busy. */
export function isOurs(error: unknown): boolean {
  return !(error instanceof Problem) || error.code === "our-bug";
}

/** Whether the same may succeed in a while. */
export function isPassing(error: unknown): boolean {
  if (error instanceof StoreError) return error.retryable;
  return error instanceof Problem && (kinds[error.code] as Kind).retryAfterS !== undefined;
}

/** A store that cannot do what it is asked: the disk is full, the file is somebody else's. */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly code: string;
  /** Asking again later may help. */
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
