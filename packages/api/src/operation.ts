import type { FloorEvent } from "@plenary/protocol";
import type * as Type from "typebox";
import type { ProblemCode } from "./problems.ts";

/**
 * Who may use an operation.
 * open: every caller, without a limit. anyone: every caller, within the rate of its address. writer: the same, and callers
 * without a credential have stricter limits. credential: every authenticated caller; the operation shows each its own.
 * sender: the same, or an agent that answers a delivery. host: callers that may create conversations. conversant: those
 * seated in the conversation now. reader: those who ever saw an entry of it. owner: its owner now. The operator may use
 * them all.
 */
export type Access =
  | "open"
  | "anyone"
  | "writer"
  | "credential"
  | "sender"
  | "host"
  | "conversant"
  | "reader"
  | "owner"
  | "operator";

export const tags = {
  conversations: "Conversations and their logs",
  commands: "Commands of owners and people",
  guests: "Links and seats for guests",
  agents: "Known agents, and finding new ones",
  envelopes: "Open Floor envelopes and streams",
  webhooks: "Webhooks for entries of the log",
  identity: "Credentials, sessions and sign-in",
  operation: "Dead letters, health and documentation",
  nemo: "Clients of the NeMo Agent Toolkit",
  openai: "Clients of OpenAI",
  page: "The web page",
} as const;

type Tag = keyof typeof tags;

export type Answer = {
  description: string;
  /** Absent: the answer has no JSON body. */
  schema?: Type.TSchema;
  /** The JSON of one event, of `text/event-stream`. */
  events?: Type.TSchema;
  /** The media type; `application/json` by default. */
  type?: string | readonly string[];
  headers?: Readonly<Record<string, string>>;
};

/** One operation of the floor. Its key in a table of operations is the method and the path, such as `GET /version`. */
export type Operation = {
  /** The name in generated code. */
  id: string;
  tag: Tag;
  access: Access;
  summary: string;
  description?: string;
  /** Descriptions of the parts of the path. */
  path?: Readonly<Record<string, string>>;
  query?: Type.TObject;
  /** Descriptions of request headers. */
  headers?: Readonly<Record<string, string>>;
  body?: Type.TSchema;
  isBodyOptional?: true;
  answers: Readonly<Record<number, Answer>>;
  /** Problems in addition to those that follow from `access`, `query` and `body`. */
  problems?: readonly ProblemCode[];
  /** The format of errors, when it is not a problem document. */
  errors?: Answer;
};

export type Operations = Readonly<Record<string, Operation>>;

/** Events stay as the protocol types them, so that its functions take them. */
type ReadonlyDeep<Value> = Value extends FloorEvent
  ? Value
  : Value extends readonly (infer Item)[]
    ? readonly ReadonlyDeep<Item>[]
    : Value extends object
      ? { readonly [Key in keyof Value]: ReadonlyDeep<Value[Key]> }
      : Value;

type TypeOf<Schema> = Schema extends Type.TSchema ? ReadonlyDeep<Type.Static<Schema>> : undefined;

/** The type of a request body. */
export type BodyOf<One extends Operation> = TypeOf<One["body"]>;

/** The type of the query parameters. */
export type QueryOf<One extends Operation> = One["query"] extends Type.TObject
  ? ReadonlyDeep<Type.Static<One["query"]>>
  : Readonly<Record<never, never>>;

/** The type of the JSON bodies of all successful answers. */
export type AnswerOf<One extends Operation> = {
  [Status in keyof One["answers"]]: One["answers"][Status] extends { schema: infer Schema }
    ? TypeOf<Schema>
    : undefined;
}[keyof One["answers"]];

/** Problems that every operation but those of access `open` may answer. */
const usual: readonly ProblemCode[] = [
  "bad-request",
  "forbidden-host",
  "forbidden-origin",
  "too-often",
  "busy",
  "overloaded",
  "unavailable",
  "our-bug",
];
const byAccess: Record<Access, readonly ProblemCode[]> = {
  open: ["forbidden-host", "forbidden-origin", "busy", "overloaded", "unavailable", "our-bug"],
  anyone: usual,
  writer: [...usual, "unauthorized"],
  credential: [...usual, "unauthorized", "forbidden-speaker"],
  sender: [...usual, "unauthorized", "forbidden-speaker"],
  host: [...usual, "unauthorized", "forbidden"],
  conversant: [...usual, "unauthorized", "forbidden-speaker", "unknown-conversation"],
  reader: [...usual, "unauthorized", "forbidden-speaker", "unknown-conversation"],
  owner: [...usual, "unauthorized", "forbidden", "forbidden-speaker", "unknown-conversation"],
  operator: [...usual, "unauthorized", "forbidden"],
};

/** All problems that the operation may answer. */
export function problemsOf({ access, body, problems = [] }: Operation): ReadonlySet<ProblemCode> {
  const ofBody: ProblemCode[] = body === undefined ? [] : ["bad-json", "too-large", "unsupported-media"];
  return new Set([...byAccess[access], ...ofBody, ...problems]);
}

/** Access that needs no credential. */
export function needsCredential(access: Access): boolean {
  return access !== "open" && access !== "anyone" && access !== "writer";
}
