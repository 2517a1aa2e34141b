import { body, header, id, json, open, type Paths, problem, query, readsAs } from "./parts.ts";

const errorContent = {
  type: "object",
  required: ["code", "message", "details"],
  properties: { code: { type: "string" }, message: { type: "string" }, details: { type: "string" } },
};

const openAiFailed = json("`{error: {message, type, param, code}}`");
const failed = json("What is wrong, and what to do. 422 as well when nothing but an error came of it.", errorContent);

const parameters = [
  header("Conversation-Id", "The conversation, begun if there is none; without it one for this request alone."),
  header(
    "Plenary-Interactive",
    "`true`: a question is an interaction; `false`: a question is text. Each path has a default.",
  ),
  header("User-Message-ID", "Names the message: repeated, it has no second effect."),
  query("agents", "string", "serviceUrls with commas between them, invited when the conversation is new"),
  query("session", "string", "the guest's session, in place of the cookie nat-session; on this machine only"),
];

const chatBody = body({
  type: "object",
  properties: {
    messages: { type: "array", items: { type: "object" }, description: "of which the last one of the user is new" },
    model: { type: "string", description: "an agent that lives here by its name, any other by its serviceUrl" },
    stream: { type: "boolean" },
    to: { type: "string", description: "the recipient, by name or speakerUri" },
    private: { type: "boolean", description: "for nobody else" },
  },
});
const responsesBody = body({
  type: "object",
  required: ["input"],
  properties: {
    input: { type: ["string", "array"], description: "words, or messages of which the last one of the user is new" },
    instructions: { type: "string", description: "history for invited agents" },
    previous_response_id: { type: "string", description: "the answer that this goes on after" },
    store: { type: "boolean", description: "`false`: the conversation is for this request alone" },
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
  const filter = query(
    "filter_steps",
    "string",
    "types of steps with commas between them, such as TOOL_END; or `none`",
  );
  return { post: { ...post, parameters: [...parameters, filter] } };
};

const named = (name: string) => ({ name, in: "path", required: true, schema: { type: "string" } });
const executionStates =
  "`{execution_id, status}`: `running`, `interaction_required`, `oauth_required`, `completed` or `failed`";

/** What clients of the NeMo Agent Toolkit and of OpenAI know. */
export const nemoPaths: Paths = {
  "/websocket": {
    get: {
      summary:
        "WebSocket for clients of the NeMo Agent Toolkit, each a person at this floor. On loopback a client is a guest by its `session`; elsewhere it proves who it is, at the latest by an auth_message.",
      security: [],
      parameters: [
        query("session", "string", "Letters, digits and - _ . ~. It identifies the guest."),
        query("conversation_id", "string", "Where the client was before it was cut off."),
        query("agents", "string", "serviceUrls with commas between them, invited to new conversations."),
        query("profile", "string", "`page`: words and times as the published page has them."),
        query("speaker", "string", "Who speaks, for credentials that speak for several."),
        query("ticket", "string", "In place of a token, for browsers."),
      ],
      responses: { 101: { description: "The socket is open." }, default: problem },
    },
  },
  "/chat": chat("An older name of /v1/chat. A question is text."),
  "/chat/stream": chatStream("An older name of /v1/chat/stream. A question is text."),
  "/generate": generate("An older name of /v1/workflow. A question is text."),
  "/generate/stream": generateStream("An older name of /v1/workflow/stream. A question is text."),
  "/generate/full": generateFull("An older name of /v1/workflow/full. A question is text."),
  "/v1/chat": chat("A message of a NeMo client; answered when the turn is over."),
  "/v1/chat/stream": chatStream("The same, as it comes."),
  "/v1/workflow": generate("The same in the toolkit's shorter words."),
  "/v1/workflow/stream": generateStream("The same, as it comes."),
  "/v1/workflow/full": generateFull("The same, with each step as JSON."),
  "/v1/chat/completions": asking(
    "The same for clients of OpenAI.",
    chatBody,
    json("A chat completion; with `stream` its chunks as an event stream."),
    openAiFailed,
  ),
  "/executions/{execution}": {
    get: {
      summary:
        "The status of an execution, which is a turn in which an agent asks a question. Only its caller sees it.",
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
    "The same in OpenAI's newer interface.",
    responsesBody,
    json("A response; with `stream` its events."),
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
      summary: "What a client of OpenAI may name as its model: the floor itself, and the agents that answer here.",
      security: [],
      responses: {
        200: json("`{object: list, data: [{id, object, created, owned_by, name}]}`"),
        default: openAiFailed,
      },
    },
  },
  "/v1/models/{model}": {
    get: {
      summary: "One of them.",
      security: [],
      parameters: [named("model")],
      responses: { 200: json("`{id, object, created, owned_by, name}`"), default: openAiFailed },
    },
  },
  "/mcp/client/tool/list": {
    get: {
      summary: "The agents of this floor in the shape of the toolkit's list of tools.",
      security: [],
      responses: { 200: json("`{mcp_clients: [{function_group, server, tools, ...}]}`"), default: failed },
    },
  },
  "/feedback": {
    post: {
      summary: "What somebody thinks of a turn, by its trace. The newest counts; an empty text takes it back.",
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
      summary: "What people think of the turns of this conversation that begin with what the reader may see.",
      parameters: [id, readsAs],
      responses: {
        200: json(
          "`{feedback: [{turn, traceId, by, reaction?, comment?, at}]}`, on the newest turns if there are more than 1000",
        ),
        default: problem,
      },
    },
  },
  "/health": { get: open("The process is alive, in the toolkit's words.", json("`{status: healthy}`")) },
};
