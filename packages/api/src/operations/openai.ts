import * as Type from "typebox";
import type { Answer, Operations } from "../operation.ts";
import { asking, ChatBody, ChatChunk, ChatCompletion, ExecutionEvent } from "./nemo-shapes.ts";

const optional = Type.Optional;
const Word = Type.String();
const Count = Type.Integer({ minimum: 0 });
const Null = Type.Null();
const orNull = <Schema extends Type.TSchema>(schema: Schema) => Type.Union([schema, Null]);

const OpenAiError = Type.Object(
  { error: Type.Object({ message: Word, type: Word, param: orNull(Word), code: orNull(Word) }) },
  { $id: "OpenAiError" },
);
const errors: Answer = { description: "What is wrong.", schema: OpenAiError };

const Model = Type.Object(
  { id: Word, object: Type.Literal("model"), created: Type.Integer(), owned_by: Word, name: Word },
  { $id: "Model" },
);

const ResponsesBody = Type.Object(
  {
    input: Type.Union([Word, Type.Array(Type.Object({}, { additionalProperties: true }))], {
      description: "a text, or messages: the last user message is new",
    }),
    instructions: optional(Type.String({ description: "history for invited agents" })),
    previous_response_id: optional(Type.String({ description: "the response to continue" })),
    store: optional(Type.Boolean({ description: "`false`: the conversation is for this request only" })),
    model: optional(Word),
    stream: optional(Type.Boolean()),
  },
  { examples: [{ input: "What time is it in Tokyo?" }] },
);

const Nothing = Type.Array(Type.Unknown(), { maxItems: 0 });
const OutputText = Type.Object(
  { type: Type.Literal("output_text"), text: Word, annotations: Nothing, logprobs: Nothing },
  { $id: "OutputText" },
);
const OutputMessage = Type.Object(
  {
    id: Word,
    type: Type.Literal("message"),
    status: Type.Enum(["in_progress", "completed"]),
    role: Type.Literal("assistant"),
    content: Type.Array(OutputText),
  },
  { $id: "OutputMessage" },
);
const ResponseUsage = Type.Object({
  input_tokens: Count,
  input_tokens_details: Type.Object({ cached_tokens: Count }),
  output_tokens: Count,
  output_tokens_details: Type.Object({ reasoning_tokens: Count }),
  total_tokens: Count,
});
const Response = Type.Object(
  {
    id: Word,
    object: Type.Literal("response"),
    created_at: Type.Integer(),
    status: Type.Enum(["in_progress", "completed", "failed"]),
    background: Type.Literal(false),
    error: orNull(Type.Object({ message: Word, code: Word, type: optional(Word), param: optional(orNull(Word)) })),
    incomplete_details: Null,
    instructions: orNull(Word),
    max_output_tokens: Null,
    model: Word,
    output: Type.Array(OutputMessage),
    parallel_tool_calls: Type.Literal(false),
    previous_response_id: orNull(Word),
    reasoning: Type.Object({ effort: Null, summary: Null }),
    store: Type.Boolean(),
    temperature: Null,
    text: Type.Object({ format: Type.Object({ type: Type.Literal("text") }) }),
    tool_choice: Type.Literal("none"),
    tools: Nothing,
    top_p: Null,
    truncation: Type.Literal("disabled"),
    metadata: Type.Object({}),
    usage: orNull(ResponseUsage),
  },
  { $id: "Response", description: "A response of OpenAI's Responses API. The floor counts no tokens." },
);

const numbered = { sequence_number: Count };
const item = { ...numbered, output_index: Count };
const part = { ...item, item_id: Word, content_index: Count };
const ResponseEvent = Type.Union(
  [
    Type.Object({
      type: Type.Enum(["response.created", "response.in_progress", "response.completed", "response.failed"]),
      ...numbered,
      response: Response,
    }),
    Type.Object({
      type: Type.Enum(["response.output_item.added", "response.output_item.done"]),
      ...item,
      item: OutputMessage,
    }),
    Type.Object({
      type: Type.Enum(["response.content_part.added", "response.content_part.done"]),
      ...part,
      part: OutputText,
    }),
    Type.Object({ type: Type.Literal("response.output_text.delta"), ...part, delta: Word, logprobs: Nothing }),
    Type.Object({ type: Type.Literal("response.output_text.done"), ...part, text: Word, logprobs: Nothing }),
  ],
  { $id: "ResponseEvent" },
);

const responses = {
  description: "A response; with `stream`, its events.",
  schema: Response,
  events: ResponseEvent,
  type: ["application/json", "text/event-stream"],
} as const;

/** Routes for clients of OpenAI. */
export const openAiOperations = {
  "POST /v1/chat/completions": asking(
    "createChatCompletion",
    "Like /v1/chat, for OpenAI clients",
    ChatBody,
    {
      description: "A chat completion; with `stream`, an event stream of chunks, then `data: [DONE]`.",
      schema: ChatCompletion,
      events: Type.Union([ChatChunk, OpenAiError, ExecutionEvent]),
      type: ["application/json", "text/event-stream"],
    },
    { errors, tag: "openai" },
  ),
  "POST /v1/responses": {
    ...asking("createResponse", "Like /v1/chat/completions, in the OpenAI Responses API", ResponsesBody, responses, {
      errors,
      tag: "openai",
    }),
    answers: { 200: responses },
  },
  "GET /v1/responses/:response": {
    id: "getResponse",
    tag: "openai",
    access: "anyone",
    summary: "Always 404: the floor does not store responses",
    description: "The log of the conversation has the text.",
    path: { response: "id of the response" },
    answers: {},
    errors,
  },
  "GET /v1/models": {
    id: "listModels",
    tag: "openai",
    access: "anyone",
    summary: "List the values of `model`",
    description: "The floor itself, and the agents that answer here.",
    answers: {
      200: {
        description: "All models.",
        schema: Type.Object({ object: Type.Literal("list"), data: Type.Array(Model) }),
      },
    },
    errors,
  },
  "GET /v1/models/:model": {
    id: "getModel",
    tag: "openai",
    access: "anyone",
    summary: "Read one model",
    path: { model: "id of the model" },
    answers: { 200: { description: "The model.", schema: Model } },
    errors,
  },
} as const satisfies Operations;
