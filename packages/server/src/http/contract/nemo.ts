import { body, header, id, json, open, type Paths, problem, query, readsAs } from "./parts.ts";

const errorContent = {
  type: "object",
  required: ["code", "message", "details"],
  properties: { code: { type: "string" }, message: { type: "string" }, details: { type: "string" } },
};

const openAiFailed = json("`{error: {message, type, param, code}}`");
const failed = json("What is wrong, and what to do. Also 422 when the turn produced only an error.", errorContent);

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

const chatBody = body({
  type: "object",
  properties: {
    messages: {
      type: "array",
      items: { type: "object" },
      description: "the last user message is new, the others are history",
    },
    model: { type: "string", description: "a hosted agent by name, any other by serviceUrl" },
    stream: { type: "boolean" },
    to: { type: "string", description: "the recipient, by name or speakerUri" },
    private: { type: "boolean", description: "private to `to`" },
  },
});
const responsesBody = body({
  type: "object",
  required: ["input"],
  properties: {
    input: { type: ["string", "array"], description: "a text, or messages: the last user message is new" },
    instructions: { type: "string", description: "history for invited agents" },
    previous_response_id: { type: "string", description: "the response to continue" },
    store: { type: "boolean", description: "`false`: the conversation is for this request only" },
    model: { type: "string" },
    stream: { type: "boolean" },
  },
});
const generateBody = body({
  type: "object",
  properties: {
    input_message: { type: "string", description: "or `messages`, `input`, `query`, `question`, `prompt`, `text`" },
  },
});

const stream = (description: string) => ({
  description,
  content: { "text/event-stream": { schema: { type: "string" } } },
});

const waits = json("An agent asks: `{execution_id, status, status_url, interaction_id, prompt, response_url}`");

const asking = (summary: string, requestBody: object, ok: object, otherwise: object = failed) => ({
  post: { summary, security: [], parameters, requestBody, responses: { 200: ok, 202: waits, default: otherwise } },
});

const pieces = "`data`, `intermediate_data` for steps, `observability_trace`";

const chat = (summary: string) => asking(summary, chatBody, json("a chat completion"));
const chatStream = (summary: string) => asking(summary, chatBody, stream(`lines ${pieces}, then \`data: [DONE]\``));
const generate = (summary: string) => asking(summary, generateBody, json("`{value}`"));
const generateStream = (summary: string) => asking(summary, generateBody, stream(`lines ${pieces}`));
const generateFull = (summary: string) => {
  const { post } = generateStream(summary);
  const filter = query("filter_steps", "string", "comma-separated types of steps, such as TOOL_END; or `none`");
  return { post: { ...post, parameters: [...parameters, filter] } };
};

const named = (name: string) => ({ name, in: "path", required: true, schema: { type: "string" } });
const executionStates =
  "`{execution_id, status}`: `running`, `interaction_required`, `oauth_required`, `completed` or `failed`";

/** Routes for clients of the NeMo Agent Toolkit and of OpenAI. */
export const nemoPaths: Paths = {
  "/websocket": {
    get: {
      summary:
        "WebSocket for clients of the NeMo Agent Toolkit; each client is a person. On loopback `session` identifies a guest; otherwise the client authenticates, at the latest with an auth_message.",
      security: [],
      parameters: [
        query("session", "string", "Identifies the guest. Letters, digits and - _ . ~."),
        query("conversation_id", "string", "The conversation to continue after a disconnect."),
        query("agents", "string", "Comma-separated serviceUrls, invited to new conversations."),
        query("profile", "string", "`page`: texts and timings of the toolkit's web page."),
        query("speaker", "string", "The speaker, for credentials with several speakers."),
        query("ticket", "string", "Instead of a token, for browsers."),
      ],
      responses: { 101: { description: "The socket is open." }, default: problem },
    },
  },
  "/chat": chat("An older name of /v1/chat. A question is text."),
  "/chat/stream": chatStream("An older name of /v1/chat/stream. A question is text."),
  "/generate": generate("An older name of /v1/workflow. A question is text."),
  "/generate/stream": generateStream("An older name of /v1/workflow/stream. A question is text."),
  "/generate/full": generateFull("An older name of /v1/workflow/full. A question is text."),
  "/v1/chat": chat("Sends a message; the response comes when the turn is over."),
  "/v1/chat/stream": chatStream("Like /v1/chat, as a stream."),
  "/v1/workflow": generate("Like /v1/chat, in the toolkit's short format."),
  "/v1/workflow/stream": generateStream("Like /v1/workflow, as a stream."),
  "/v1/workflow/full": generateFull("Like /v1/workflow/stream, with each step as JSON."),
  "/v1/chat/completions": asking(
    "Like /v1/chat, for OpenAI clients.",
    chatBody,
    json("A chat completion; with `stream`, an event stream of chunks."),
    openAiFailed,
  ),
  "/executions/{execution}": {
    get: {
      summary: "The status of an execution: a turn in which an agent asks a question. Only its caller may read it.",
      security: [],
      parameters: [named("execution")],
      responses: {
        200: json(`${executionStates}; \`completed\` has \`result\`, \`failed\` has \`error\``),
        default: failed,
      },
    },
  },
  "/executions/{execution}/interactions/{interaction}/response": {
    post: {
      summary: "Answers the open question of an execution.",
      security: [],
      parameters: [named("execution"), named("interaction")],
      requestBody: body({
        type: "object",
        required: ["response"],
        properties: { response: { type: "object", description: "`text`, `selected_option` or `selected_options`" } },
      }),
      responses: { 204: { description: "The execution continues." }, default: failed },
    },
  },
  "/v1/responses": asking(
    "Like /v1/chat/completions, in the OpenAI Responses API.",
    responsesBody,
    json("A response; with `stream`, its events."),
    openAiFailed,
  ),
  "/v1/responses/{response}": {
    get: {
      summary: "Always 404: the floor does not store responses. The log of the conversation has the text.",
      security: [],
      parameters: [named("response")],
      responses: { default: openAiFailed },
    },
  },
  "/v1/models": {
    get: {
      summary: "The values of `model`: the floor itself, and the agents that answer here.",
      security: [],
      responses: {
        200: json("`{object: list, data: [{id, object, created, owned_by, name}]}`"),
        default: openAiFailed,
      },
    },
  },
  "/v1/models/{model}": {
    get: {
      summary: "One model.",
      security: [],
      parameters: [named("model")],
      responses: { 200: json("`{id, object, created, owned_by, name}`"), default: openAiFailed },
    },
  },
  "/mcp/client/tool/list": {
    get: {
      summary: "The agents of this floor, in the format of the toolkit's tool list.",
      security: [],
      responses: { 200: json("`{mcp_clients: [{function_group, server, tools, ...}]}`"), default: failed },
    },
  },
  "/feedback": {
    post: {
      summary:
        "Stores feedback on a turn, identified by its trace. Newer feedback replaces older; an empty text deletes it.",
      security: [],
      requestBody: body({
        type: "object",
        required: ["observability_trace_id"],
        properties: {
          observability_trace_id: { type: "string" },
          reaction_type: { type: ["string", "null"], maxLength: 64 },
          comment: { type: ["string", "null"], maxLength: 4_000 },
        },
      }),
      responses: { 200: json("`{message, observability_trace_id}`"), default: failed },
    },
  },
  "/api/v1/conversations/{id}/feedback": {
    get: {
      summary: "Feedback on the turns of a conversation, if the reader may see the first entry of the turn.",
      parameters: [id, readsAs],
      responses: {
        200: json("`{feedback: [{turn, traceId, by, reaction?, comment?, at}]}`, at most 1000, of the newest turns"),
        default: problem,
      },
    },
  },
  "/health": { get: open("The process is alive, in the toolkit's format.", json("`{status: healthy}`")) },
};
