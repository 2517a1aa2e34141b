import { ErrorContent, PromptContent } from "@plenary/nemo";
import * as Type from "typebox";
import type { Answer } from "../operation.ts";

const optional = Type.Optional;
const Word = Type.String();
const Count = Type.Integer({ minimum: 0 });
const open = { additionalProperties: true };

export const toolkitErrors: Answer = {
  description: "What is wrong, and what to do. Also 422 when the turn produced only an error.",
  schema: ErrorContent,
};

const headers = {
  "Conversation-Id": "The conversation, created if it does not exist; without it, one for this request only.",
  "Plenary-Interactive": "`true`: a question is an interaction; `false`: a question is text. Each path has a default.",
  "User-Message-ID": "Idempotency key of the message: a repetition has no second effect.",
};

export const guestQuery = {
  agents: optional(Type.String({ description: "comma-separated serviceUrls, invited to a new conversation" })),
  session: optional(
    Type.String({ description: "the guest's session, instead of the cookie nat-session; on loopback only" }),
  ),
};

const Message = Type.Object(
  {
    role: optional(Word),
    content: optional(Type.Union([Word, Type.Array(Type.Union([Word, Type.Object({}, open)])), Type.Null()])),
  },
  open,
);

/** Fields of a model, such as `temperature`, are ignored. */
export const ChatBody = Type.Object(
  {
    messages: optional(Type.Array(Message, { description: "the last user message is new, the others are history" })),
    model: optional(Type.String({ description: "a hosted agent by name, any other by serviceUrl" })),
    stream: optional(Type.Boolean()),
    to: optional(Type.String({ description: "the recipient, by name or speakerUri" })),
    private: optional(Type.Boolean({ description: "private to `to`" })),
  },
  { examples: [{ messages: [{ role: "user", content: "What time is it in Tokyo?" }] }] },
);

const usage = Type.Object({ prompt_tokens: Count, completion_tokens: Count, total_tokens: Count });
const head = { id: Word, created: Type.Integer(), model: Word };

export const ChatCompletion = Type.Object(
  {
    ...head,
    object: Type.Literal("chat.completion"),
    choices: Type.Array(
      Type.Object({
        index: Count,
        message: Type.Object({ role: Type.Literal("assistant"), content: Word }),
        finish_reason: Type.Literal("stop"),
      }),
    ),
    usage,
  },
  { $id: "ChatCompletion", description: "The floor counts no tokens." },
);

export const ChatChunk = Type.Object(
  {
    ...head,
    object: Type.Literal("chat.completion.chunk"),
    choices: Type.Array(
      Type.Object({
        index: Count,
        delta: Type.Object({ role: optional(Type.Literal("assistant")), content: optional(Word) }),
        finish_reason: Type.Union([Type.Literal("stop"), Type.Null()]),
      }),
    ),
    usage: optional(usage),
  },
  { $id: "ChatChunk" },
);

const waiting = {
  execution_id: Word,
  status: Type.Enum(["interaction_required", "oauth_required"]),
  status_url: Word,
  interaction_id: Word,
  prompt: PromptContent,
  response_url: Word,
  auth_url: optional(Type.String({ description: "the page where the person gives consent" })),
  oauth_state: optional(Word),
};
const Waiting = Type.Object(waiting, { $id: "WaitingExecution" });

/** The event of a question in a stream. */
export const ExecutionEvent = Type.Object(
  { ...waiting, event_type: Type.Enum(["interaction_required", "oauth_required"]) },
  { $id: "ExecutionEvent" },
);

export const Value = Type.Object({ value: Word }, { $id: "WorkflowValue" });

export const Execution = Type.Union(
  [
    Type.Object({ execution_id: Word, status: Type.Literal("running") }),
    Waiting,
    Type.Object({
      execution_id: Word,
      status: Type.Literal("completed"),
      result: Type.Union([ChatCompletion, Value]),
    }),
    Type.Object({ execution_id: Word, status: Type.Literal("failed"), error: Word }),
  ],
  { $id: "Execution" },
);

/** A message to the floor; the response comes when the turn is over, or when an agent asks a question. */
export function asking<Body extends Type.TSchema, Ok extends Answer>(
  id: string,
  summary: string,
  body: Body,
  ok: Ok,
  more: { errors?: Answer; query?: Type.TProperties; tag?: "openai" } = {},
) {
  return {
    id,
    tag: more.tag ?? ("nemo" as const),
    access: "anyone" as const,
    summary,
    headers,
    query: Type.Object({ ...guestQuery, ...more.query }),
    body,
    answers: { 200: ok, 202: { description: "An agent asks.", schema: Waiting } },
    errors: more.errors ?? toolkitErrors,
  };
}
