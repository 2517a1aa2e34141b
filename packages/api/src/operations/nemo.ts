import { ErrorContent } from "@plenary/nemo";
import * as Type from "typebox";
import type { Operations } from "../operation.ts";
import {
  asking,
  ChatBody,
  ChatChunk,
  ChatCompletion,
  Execution,
  ExecutionEvent,
  toolkitErrors as errors,
  guestQuery,
  Value,
} from "./nemo-shapes.ts";

const optional = Type.Optional;
const Word = Type.String();
const Count = Type.Integer({ minimum: 0 });

const GenerateBody = Type.Object(
  {
    input_message: optional(
      Type.String({ description: "or `messages`, `input`, `query`, `question`, `prompt`, `text`" }),
    ),
  },
  { examples: [{ input_message: "What time is it in Tokyo?" }] },
);

const Tool = Type.Object({ name: Word, description: Word, server: Word, available: Type.Boolean() });
const ToolGroup = Type.Object(
  {
    function_group: Word,
    server: Word,
    transport: Word,
    session_healthy: Type.Boolean(),
    protected: Type.Boolean(),
    tools: Type.Array(Tool),
    total_tools: Count,
    available_tools: Count,
  },
  { $id: "ToolGroup" },
);

const Step = Type.Object(
  { id: Word, parent_id: Word, type: Word, name: Word, payload: Word },
  { description: "A line `intermediate_data`." },
);
const Trace = Type.Object({ observability_trace_id: Word }, { description: "A line `observability_trace`." });

const piecesOf = (Piece: Type.TSchema) => Type.Union([Piece, ErrorContent, ExecutionEvent, Step, Trace]);

const events = (description: string, Piece: Type.TSchema) => ({
  description,
  type: "text/event-stream",
  events: piecesOf(Piece),
});
const pieces = "`data`, `intermediate_data` for steps, `observability_trace`";

const chat = (id: string, summary: string) =>
  asking(id, summary, ChatBody, { description: "A chat completion.", schema: ChatCompletion });
const chatStream = (id: string, summary: string) =>
  asking(id, summary, ChatBody, events(`lines ${pieces}, then \`data: [DONE]\``, ChatChunk));
const generate = (id: string, summary: string) =>
  asking(id, summary, GenerateBody, { description: "The answer.", schema: Value });
const generateStream = (id: string, summary: string, more = {}) =>
  asking(id, summary, GenerateBody, events(`lines ${pieces}`, Value), more);
const filter = {
  filter_steps: optional(Type.String({ description: "comma-separated types of steps, such as TOOL_END; or `none`" })),
};
const generateFull = (id: string, summary: string) => generateStream(id, summary, { query: filter });

/** Routes for clients of the NeMo Agent Toolkit. */
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
  "GET /executions/:execution": {
    id: "getExecution",
    tag: "nemo",
    access: "anyone",
    summary: "Read the status of an execution",
    description: "A turn in which an agent asks a question. Only its caller may read it.",
    path: { execution: "id of the execution" },
    query: Type.Object(guestQuery),
    answers: { 200: { description: "`completed` has `result`, `failed` has `error`.", schema: Execution } },
    errors,
  },
  "POST /executions/:execution/interactions/:interaction/response": {
    id: "answerInteraction",
    tag: "nemo",
    access: "anyone",
    summary: "Answer the open question of an execution",
    path: { execution: "id of the execution", interaction: "id of the question" },
    query: Type.Object(guestQuery),
    body: Type.Object(
      {
        response: Type.Object(
          { text: optional(Word) },
          { additionalProperties: true, description: "`text`, `selected_option` or `selected_options`" },
        ),
      },
      { examples: [{ response: { text: "yes" } }] },
    ),
    answers: { 204: { description: "The execution continues." } },
    errors,
  },
  "GET /mcp/client/tool/list": {
    id: "listTools",
    tag: "nemo",
    access: "anyone",
    summary: "List the agents of this floor in the format of the toolkit's tool list",
    answers: { 200: { description: "The list.", schema: Type.Object({ mcp_clients: Type.Array(ToolGroup) }) } },
    errors,
  },
  "POST /feedback": {
    id: "sendFeedback",
    tag: "nemo",
    access: "anyone",
    summary: "Store feedback on a turn",
    description: "The turn is identified by its trace. Newer feedback replaces older; an empty text deletes it.",
    body: Type.Object(
      {
        observability_trace_id: Word,
        reaction_type: optional(Type.Union([Type.String({ maxLength: 64 }), Type.Null()])),
        comment: optional(Type.Union([Type.String({ maxLength: 4_000 }), Type.Null()])),
      },
      { examples: [{ observability_trace_id: "0af7651916cd43dd8448eb211c80319c", reaction_type: "👍" }] },
    ),
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
