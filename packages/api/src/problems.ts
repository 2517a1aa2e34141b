import * as Type from "typebox";

type Kind = {
  status: number;
  title: string;
  fix: string;
  spec?: string;
  /** Further statuses of the same problem. */
  otherStatuses?: readonly number[];
  /** Minimum seconds until a retry may succeed; `retryAfter` is random, up to twice as many. */
  retryAfterS?: number;
};

const repeat = "repeat the request after the seconds named in `retryAfter`";

/** Every problem that a request can have. */
export const problems = {
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
  "bad-request": { status: 400, title: "Invalid request", fix: "see /docs/api for the fields of this request" },
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
  refused: {
    status: 422,
    otherStatuses: [403, 404, 409],
    title: "Refused by the floor",
    fix: "see `detail` and the rule named in `because`",
  },
  "key-reused": {
    status: 422,
    title: "Idempotency key already used",
    fix: "repeat the first request with the same body, or send the new request with another Idempotency-Key",
  },
  "not-found": { status: 404, title: "Not found", fix: "see /docs/api for the paths of this floor" },
  "unknown-conversation": {
    status: 404,
    title: "No such conversation",
    fix: "check the id: GET /api/v1/conversations lists yours, and POST /api/v1/conversations creates one",
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

export type ProblemCode = keyof typeof problems;

export function problemKind(code: ProblemCode): Kind {
  return problems[code];
}

const Issue = Type.Object({
  path: Type.String({ description: "JSON pointer into the envelope" }),
  problem: Type.String(),
  fix: Type.String(),
  rule: Type.String(),
  spec: Type.String({ description: "specification and section of the rule" }),
  severity: Type.Union([Type.Literal("error"), Type.Literal("warning")]),
  repaired: Type.Boolean(),
});

const codeList = Object.entries(problems).map(([code, { status, title }]) => `- ${status} \`${code}\`: ${title}`);

/** RFC 9457. */
export const ProblemDocument = Type.Object(
  {
    type: Type.String({ description: "`urn:plenary:problem:` and the code", pattern: "^urn:plenary:problem:[a-z-]+$" }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.Optional(Type.String()),
    pointer: Type.Optional(Type.String({ description: "JSON pointer into the request" })),
    parameter: Type.Optional(Type.String({ description: "the wrong query parameter" })),
    spec: Type.Optional(Type.String({ description: "the section of the specification" })),
    fix: Type.String({ description: "what to do" }),
    retryAfter: Type.Optional(Type.Integer({ description: "seconds until a retry, as in the header Retry-After" })),
    because: Type.Optional(Type.String({ description: "the rule that refused it" })),
    allow: Type.Optional(Type.Array(Type.String(), { description: "the methods of the path, as in the header Allow" })),
    inReplyTo: Type.Optional(Type.String({ description: "the delivery of a refused answer" })),
    index: Type.Optional(Type.Integer({ description: "the place of the refused event in the envelope" })),
    problem: Type.Optional(Type.String({ description: "why the event was refused" })),
    issues: Type.Optional(Type.Array(Issue, { description: "the issues of an envelope" })),
  },
  {
    $id: "Problem",
    description: `A problem document (RFC 9457). The codes:\n\n${codeList.join("\n")}`,
    examples: [
      {
        type: "urn:plenary:problem:bad-request",
        title: "Invalid request",
        status: 400,
        detail: "/titel: there is no such field; title is meant",
        pointer: "/titel",
        fix: "rename it to title",
      },
    ],
  },
);
export type ProblemDocument = Type.Static<typeof ProblemDocument>;
