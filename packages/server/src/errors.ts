type Kind = { status: number; title: string; fix: string; spec?: string };

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
    fix: "send `Authorization: Bearer TOKEN` with the token printed when the floor started",
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
  busy: { status: 429, title: "Too much is waiting", fix: "repeat it after the seconds named in `Retry-After`" },
  overloaded: { status: 503, title: "The floor is busy", fix: "repeat it after the seconds named in `Retry-After`" },
  unavailable: { status: 503, title: "The floor cannot take this now", fix: "repeat it in a moment" },
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
} & Record<string, unknown>;

/** The one map from what went wrong to what HTTP, or a socket's nack, says about it. */
export function problemDocument(error: unknown): ProblemDocument {
  // What we did not foresee is ours, and none of its details leave the house.
  const { code, details } = error instanceof Problem ? error : new Problem("our-bug");
  const kind: Kind = kinds[code];
  const { detail, pointer, spec = kind.spec, fix = kind.fix, status = kind.status, extra } = details;
  return {
    type: `urn:plenary:problem:${code}`,
    title: kind.title,
    status,
    ...(detail !== undefined && { detail }),
    ...(pointer !== undefined && { pointer }),
    ...(spec !== undefined && { spec }),
    fix,
    ...extra,
  };
}
