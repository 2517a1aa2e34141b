import {
  body,
  flag,
  header,
  json,
  list,
  type Operation,
  type Operations,
  object,
  query,
  readsAs,
  socketOpen,
  stream,
  text,
  ticket,
} from "./parts.ts";

const openAiFailed = json("`{error: {message, type, param, code}}`");
const failed = json(
  "What is wrong, and what to do. Also 422 when the turn produced only an error.",
  object({ code: text, message: text, details: text }, ["code", "message", "details"]),
);

const parameters = [
  header("Conversation-Id", "The conversation, created if it does not exist; without it, one for this request only."),
  header(
    "Plenary-Interactive",
    "`true`: a question is an interaction; `false`: a question is text. Each path has a default.",
  ),
  header("User-Message-ID", "Idempotency key of the message: a repetition has no second effect."),
  query("agents", "string", "comma-separated serviceUrls, invited to a new conversation"),
  query("session", "string", "the guest's session, instead of the cookie nat-session; on loopback only"),
];

const chatBody = object({
  messages: list({ type: "object" }, "the last user message is new, the others are history"),
  model: { ...text, description: "a hosted agent by name, any other by serviceUrl" },
  stream: flag,
  to: { ...text, description: "the recipient, by name or speakerUri" },
  private: { ...flag, description: "private to `to`" },
});
const responsesBody = object(
  {
    input: { type: ["string", "array"], description: "a text, or messages: the last user message is new" },
    instructions: { ...text, description: "history for invited agents" },
    previous_response_id: { ...text, description: "the response to continue" },
    store: { ...flag, description: "`false`: the conversation is for this request only" },
    model: text,
    stream: flag,
  },
  ["input"],
);
const generateBody = object({
  input_message: { ...text, description: "or `messages`, `input`, `query`, `question`, `prompt`, `text`" },
});

const waits = json("An agent asks: `{execution_id, status, status_url, interaction_id, prompt, response_url}`");

const asking = (summary: string, schema: object, ok: object, otherwise: object = failed): Operation => ({
  summary,
  parameters,
  requestBody: body(schema),
  responses: { 200: ok, 202: waits, default: otherwise },
});

const pieces = "`data`, `intermediate_data` for steps, `observability_trace`";

const chat = (summary: string) => asking(summary, chatBody, json("a chat completion"));
const chatStream = (summary: string) => asking(summary, chatBody, stream(`lines ${pieces}, then \`data: [DONE]\``));
const generate = (summary: string) => asking(summary, generateBody, json("`{value}`"));
const generateStream = (summary: string) => asking(summary, generateBody, stream(`lines ${pieces}`));
const filter = query("filter_steps", "string", "comma-separated types of steps, such as TOOL_END; or `none`");
const generateFull = (summary: string) => ({ ...generateStream(summary), parameters: [...parameters, filter] });

const executionStates =
  "`{execution_id, status}`: `running`, `interaction_required`, `oauth_required`, `completed` or `failed`";

/** Routes for clients of the NeMo Agent Toolkit and of OpenAI. */
export const nemoOperations = {
  "GET /websocket": {
    summary:
      "WebSocket for clients of the NeMo Agent Toolkit; each client is a person. On loopback `session` identifies a guest; otherwise the client authenticates, at the latest with an auth_message.",
    parameters: [
      query("session", "string", "Identifies the guest. Letters, digits and - _ . ~."),
      query("conversation_id", "string", "The conversation to continue after a disconnect."),
      query("agents", "string", "Comma-separated serviceUrls, invited to new conversations."),
      query("profile", "string", "`page`: texts and timings of the toolkit's web page."),
      query("speaker", "string", "The speaker, for credentials with several speakers."),
      ticket,
    ],
    responses: { 101: socketOpen },
  },
  "POST /chat": chat("An older name of /v1/chat. A question is text."),
  "POST /chat/stream": chatStream("An older name of /v1/chat/stream. A question is text."),
  "POST /generate": generate("An older name of /v1/workflow. A question is text."),
  "POST /generate/stream": generateStream("An older name of /v1/workflow/stream. A question is text."),
  "POST /generate/full": generateFull("An older name of /v1/workflow/full. A question is text."),
  "POST /v1/chat": chat("Sends a message; the response comes when the turn is over."),
  "POST /v1/chat/stream": chatStream("Like /v1/chat, as a stream."),
  "POST /v1/workflow": generate("Like /v1/chat, in the toolkit's short format."),
  "POST /v1/workflow/stream": generateStream("Like /v1/workflow, as a stream."),
  "POST /v1/workflow/full": generateFull("Like /v1/workflow/stream, with each step as JSON."),
  "POST /v1/chat/completions": asking(
    "Like /v1/chat, for OpenAI clients.",
    chatBody,
    json("A chat completion; with `stream`, an event stream of chunks."),
    openAiFailed,
  ),
  "GET /executions/:execution": {
    summary: "The status of an execution: a turn in which an agent asks a question. Only its caller may read it.",
    responses: {
      200: json(`${executionStates}; \`completed\` has \`result\`, \`failed\` has \`error\``),
      default: failed,
    },
  },
  "POST /executions/:execution/interactions/:interaction/response": {
    summary: "Answers the open question of an execution.",
    requestBody: body(
      object({ response: { type: "object", description: "`text`, `selected_option` or `selected_options`" } }, [
        "response",
      ]),
    ),
    responses: { 204: { description: "The execution continues." }, default: failed },
  },
  "POST /v1/responses": asking(
    "Like /v1/chat/completions, in the OpenAI Responses API.",
    responsesBody,
    json("A response; with `stream`, its events."),
    openAiFailed,
  ),
  "GET /v1/responses/:response": {
    summary: "Always 404: the floor does not store responses. The log of the conversation has the text.",
    responses: { default: openAiFailed },
  },
  "GET /v1/models": {
    summary: "The values of `model`: the floor itself, and the agents that answer here.",
    responses: {
      200: json("`{object: list, data: [{id, object, created, owned_by, name}]}`"),
      default: openAiFailed,
    },
  },
  "GET /v1/models/:model": {
    summary: "One model.",
    responses: { 200: json("`{id, object, created, owned_by, name}`"), default: openAiFailed },
  },
  "GET /mcp/client/tool/list": {
    summary: "The agents of this floor, in the format of the toolkit's tool list.",
    responses: { 200: json("`{mcp_clients: [{function_group, server, tools, ...}]}`"), default: failed },
  },
  "POST /feedback": {
    summary:
      "Stores feedback on a turn, identified by its trace. Newer feedback replaces older; an empty text deletes it.",
    requestBody: body(
      object(
        {
          observability_trace_id: text,
          reaction_type: { type: ["string", "null"], maxLength: 64 },
          comment: { type: ["string", "null"], maxLength: 4_000 },
        },
        ["observability_trace_id"],
      ),
    ),
    responses: { 200: json("`{message, observability_trace_id}`"), default: failed },
  },
  "GET /api/v1/conversations/:id/feedback": {
    summary: "Feedback on the turns of a conversation, if the reader may see the first entry of the turn.",
    parameters: [readsAs],
    responses: {
      200: json("`{feedback: [{turn, traceId, by, reaction?, comment?, at}]}`, at most 1000, of the newest turns"),
    },
  },
  "GET /health": {
    summary: "The process is alive, in the toolkit's format.",
    responses: { 200: json("`{status: healthy}`") },
  },
} satisfies Operations;
