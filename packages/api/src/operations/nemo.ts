import * as Type from "typebox";
import type { Answer, Operations } from "../operation.ts";

const optional = Type.Optional;
const Word = Type.String();
const Any = Type.Object({});

const openAiErrors: Answer = {
  description: "What is wrong.",
  schema: Type.Object({
    error: Type.Object({
      message: Word,
      type: Word,
      param: Type.Union([Word, Type.Null()]),
      code: Type.Union([Word, Type.Null()]),
    }),
  }),
};
const errors: Answer = {
  description: "What is wrong, and what to do. Also 422 when the turn produced only an error.",
  schema: Type.Object({ code: Word, message: Word, details: Word }, { $id: "ToolkitError" }),
};

const headers = {
  "Conversation-Id": "The conversation, created if it does not exist; without it, one for this request only.",
  "Plenary-Interactive": "`true`: a question is an interaction; `false`: a question is text. Each path has a default.",
  "User-Message-ID": "Idempotency key of the message: a repetition has no second effect.",
};
const query = {
  agents: optional(Type.String({ description: "comma-separated serviceUrls, invited to a new conversation" })),
  session: optional(
    Type.String({ description: "the guest's session, instead of the cookie nat-session; on loopback only" }),
  ),
};

const ChatBody = Type.Object(
  {
    messages: optional(Type.Array(Any, { description: "the last user message is new, the others are history" })),
    model: optional(Type.String({ description: "a hosted agent by name, any other by serviceUrl" })),
    stream: optional(Type.Boolean()),
    to: optional(Type.String({ description: "the recipient, by name or speakerUri" })),
    private: optional(Type.Boolean({ description: "private to `to`" })),
  },
  { examples: [{ messages: [{ role: "user", content: "What time is it in Tokyo?" }] }] },
);
const ResponsesBody = Type.Object({
  input: Type.Union([Word, Type.Array(Any)], { description: "a text, or messages: the last user message is new" }),
  instructions: optional(Type.String({ description: "history for invited agents" })),
  previous_response_id: optional(Type.String({ description: "the response to continue" })),
  store: optional(Type.Boolean({ description: "`false`: the conversation is for this request only" })),
  model: optional(Word),
  stream: optional(Type.Boolean()),
});
const GenerateBody = Type.Object({
  input_message: optional(
    Type.String({ description: "or `messages`, `input`, `query`, `question`, `prompt`, `text`" }),
  ),
});

const ChatCompletion = Type.Object(
  {
    id: Word,
    object: Word,
    created: Type.Integer(),
    model: Word,
    choices: Type.Array(Any),
    usage: optional(Any),
  },
  { $id: "ChatCompletion" },
);
const Waiting = Type.Object(
  {
    execution_id: Word,
    status: Word,
    status_url: Word,
    interaction_id: Word,
    prompt: Any,
    response_url: Word,
  },
  { $id: "WaitingExecution" },
);
const waits = { description: "An agent asks.", schema: Waiting };
const Execution = Type.Object(
  {
    execution_id: Word,
    status: Type.String({
      description: "`running`, `interaction_required`, `oauth_required`, `completed` or `failed`",
    }),
    result: optional(Type.Unknown()),
    error: optional(Type.Unknown()),
  },
  { $id: "Execution" },
);
const Model = Type.Object(
  { id: Word, object: Word, created: Type.Integer(), owned_by: Word, name: optional(Word) },
  { $id: "Model" },
);

const events = (description: string) => ({ description, type: "text/event-stream", schema: Type.Object({}) });
const pieces = "`data`, `intermediate_data` for steps, `observability_trace`";

function asking<Body extends Type.TSchema, Ok extends Answer>(
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
    query: Type.Object({ ...query, ...more.query }),
    body,
    answers: { 200: ok, 202: waits },
    errors: more.errors ?? errors,
  };
}

const chat = (id: string, summary: string) =>
  asking(id, summary, ChatBody, { description: "A chat completion.", schema: ChatCompletion });
const chatStream = (id: string, summary: string) =>
  asking(id, summary, ChatBody, events(`lines ${pieces}, then \`data: [DONE]\``));
const generate = (id: string, summary: string) =>
  asking(id, summary, GenerateBody, { description: "The answer.", schema: Type.Object({ value: Type.Unknown() }) });
const generateStream = (id: string, summary: string, more = {}) =>
  asking(id, summary, GenerateBody, events(`lines ${pieces}`), more);
const filter = {
  filter_steps: optional(Type.String({ description: "comma-separated types of steps, such as TOOL_END; or `none`" })),
};
const generateFull = (id: string, summary: string) => generateStream(id, summary, { query: filter });

/** Routes for clients of the NeMo Agent Toolkit and of OpenAI. */
export const nemoOperations = {
  "GET /websocket": {
    id: "openNemoSocket",
    tag: "nemo",
    access: "anyone",
    summary: "Open a WebSocket of the NeMo Agent Toolkit",
    description:
      "Each client is a person. On loopback `session` identifies a guest; otherwise the client authenticates, at the latest with an auth_message.",
    query: Type.Object({
      session: optional(Type.String({ description: "Identifies the guest. Letters, digits and - _ . ~." })),
      conversation_id: optional(Type.String({ description: "The conversation to continue after a disconnect." })),
      agents: optional(Type.String({ description: "Comma-separated serviceUrls, invited to new conversations." })),
      profile: optional(Type.String({ description: "`page`: texts and timings of the toolkit's web page." })),
      speaker: optional(Type.String({ description: "The speaker, for credentials with several speakers." })),
      ticket: optional(Type.String({ description: "instead of a token, for browsers" })),
    }),
    answers: { 101: { description: "The socket is open." } },
    problems: ["unauthorized", "forbidden", "forbidden-speaker", "unknown-conversation"],
  },
  "POST /chat": chat("chatOld", "An older name of /v1/chat. A question is text."),
  "POST /chat/stream": chatStream("chatStreamOld", "An older name of /v1/chat/stream. A question is text."),
  "POST /generate": generate("generateOld", "An older name of /v1/workflow. A question is text."),
  "POST /generate/stream": generateStream(
    "generateStreamOld",
    "An older name of /v1/workflow/stream. A question is text.",
  ),
  "POST /generate/full": generateFull("generateFullOld", "An older name of /v1/workflow/full. A question is text."),
  "POST /v1/chat": chat("chat", "Send a message; the response comes when the turn is over"),
  "POST /v1/chat/stream": chatStream("chatStream", "Like /v1/chat, as a stream"),
  "POST /v1/workflow": generate("runWorkflow", "Like /v1/chat, in the toolkit's short format"),
  "POST /v1/workflow/stream": generateStream("streamWorkflow", "Like /v1/workflow, as a stream"),
  "POST /v1/workflow/full": generateFull("streamWorkflowSteps", "Like /v1/workflow/stream, with each step as JSON"),
  "POST /v1/chat/completions": asking(
    "createChatCompletion",
    "Like /v1/chat, for OpenAI clients",
    ChatBody,
    {
      description: "A chat completion; with `stream`, an event stream of chunks.",
      schema: ChatCompletion,
      type: ["application/json", "text/event-stream"],
    },
    { errors: openAiErrors, tag: "openai" },
  ),
  "GET /executions/:execution": {
    id: "getExecution",
    tag: "nemo",
    access: "anyone",
    summary: "Read the status of an execution",
    description: "A turn in which an agent asks a question. Only its caller may read it.",
    path: { execution: "id of the execution" },
    query: Type.Object(query),
    answers: { 200: { description: "`completed` has `result`, `failed` has `error`.", schema: Execution } },
    errors,
  },
  "POST /executions/:execution/interactions/:interaction/response": {
    id: "answerInteraction",
    tag: "nemo",
    access: "anyone",
    summary: "Answer the open question of an execution",
    path: { execution: "id of the execution", interaction: "id of the question" },
    query: Type.Object(query),
    body: Type.Object({
      response: Type.Object({}, { description: "`text`, `selected_option` or `selected_options`" }),
    }),
    answers: { 204: { description: "The execution continues." } },
    errors,
  },
  "POST /v1/responses": asking(
    "createResponse",
    "Like /v1/chat/completions, in the OpenAI Responses API",
    ResponsesBody,
    {
      description: "A response; with `stream`, its events.",
      schema: Any,
      type: ["application/json", "text/event-stream"],
    },
    { errors: openAiErrors, tag: "openai" },
  ),
  "GET /v1/responses/:response": {
    id: "getResponse",
    tag: "openai",
    access: "anyone",
    summary: "Always 404: the floor does not store responses",
    description: "The log of the conversation has the text.",
    path: { response: "id of the response" },
    answers: {},
    errors: openAiErrors,
  },
  "GET /v1/models": {
    id: "listModels",
    tag: "openai",
    access: "anyone",
    summary: "List the values of `model`",
    description: "The floor itself, and the agents that answer here.",
    answers: {
      200: { description: "All models.", schema: Type.Object({ object: Word, data: Type.Array(Model) }) },
    },
    errors: openAiErrors,
  },
  "GET /v1/models/:model": {
    id: "getModel",
    tag: "openai",
    access: "anyone",
    summary: "Read one model",
    path: { model: "id of the model" },
    answers: { 200: { description: "The model.", schema: Model } },
    errors: openAiErrors,
  },
  "GET /mcp/client/tool/list": {
    id: "listTools",
    tag: "nemo",
    access: "anyone",
    summary: "List the agents of this floor in the format of the toolkit's tool list",
    answers: { 200: { description: "The list.", schema: Type.Object({ mcp_clients: Type.Array(Any) }) } },
    errors,
  },
  "POST /feedback": {
    id: "sendFeedback",
    tag: "nemo",
    access: "anyone",
    summary: "Store feedback on a turn",
    description: "The turn is identified by its trace. Newer feedback replaces older; an empty text deletes it.",
    body: Type.Object({
      observability_trace_id: Word,
      reaction_type: optional(Type.Union([Type.String({ maxLength: 64 }), Type.Null()])),
      comment: optional(Type.Union([Type.String({ maxLength: 4_000 }), Type.Null()])),
    }),
    answers: {
      200: { description: "Stored.", schema: Type.Object({ message: Word, observability_trace_id: Word }) },
    },
    errors,
  },
  "GET /health": {
    id: "getHealth",
    tag: "nemo",
    access: "open",
    summary: "The process is alive, in the toolkit's format",
    answers: { 200: { description: "Alive.", schema: Type.Object({ status: Word }) } },
  },
} as const satisfies Operations;
