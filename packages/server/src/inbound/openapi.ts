type Operation = Record<string, unknown>;

const problem = {
  description: "What is wrong, where, and what to do (RFC 9457).",
  content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
};

const json = (description: string, schema: object = { type: "object" }) => ({
  description,
  content: { "application/json": { schema } },
});

const body = (schema: object, required = true) => ({ required, content: { "application/json": { schema } } });

const query = (name: string, type: "integer" | "string", description: string) => ({
  name,
  in: "query",
  description,
  schema: { type },
});

const header = (name: string, description: string) => ({ name, in: "header", description, schema: { type: "string" } });

const id = { name: "id", in: "path", required: true, schema: { type: "string" } };
const speakerUri = { type: "string", format: "uri" };
const reason = { type: "string" };
const identification = {
  type: "object",
  required: ["speakerUri"],
  properties: { speakerUri, serviceUrl: { type: "string" }, conversationalName: { type: "string" } },
};

const open = (summary: string, ok: object): Operation => ({ summary, security: [], responses: { 200: ok } });

const command = (summary: string, properties: object, required: string[] = []): Operation => ({
  summary,
  parameters: [id],
  requestBody: body({ type: "object", properties, required }, required.length > 0),
  responses: {
    200: json("The conversation afterwards.", { $ref: "#/components/schemas/Conversation" }),
    default: problem,
  },
});

const readsAs = query("speaker", "string", "read as this conversant; without it no whisper is shown");

const paths: Record<string, Record<string, Operation>> = {
  "/openfloor": {
    post: {
      summary:
        "An envelope for the floor, in any dialect; answered by an empty envelope in the same: accepted, durable.",
      parameters: [
        header("Prefer", "`wait=SECONDS`: answer when the turn is idle, with `consequences`. At most 120."),
        header(
          "Idempotency-Key",
          "Names the request: repeated within 24 hours it is answered alike, without a second effect.",
        ),
        header("In-Reply-To", "The `webhook-id` of the delivery this answers, when an agent answers on its own time."),
      ],
      requestBody: body({ $ref: "#/components/schemas/Envelope" }),
      responses: {
        200: {
          ...json("Accepted. Events that were not taken are listed in `refused`.", {
            $ref: "#/components/schemas/Accepted",
          }),
          headers: { "Plenary-Seq": { description: "FIRST-LAST entry of the log.", schema: { type: "string" } } },
        },
        default: problem,
      },
    },
  },
  "/openfloor/events": {
    get: {
      summary:
        "The log as a speaker sees it, then what comes, as Server-Sent Events. `/openfloor/ws` is the same over WebSocket.",
      parameters: [
        { ...query("speaker", "string", "Whose eyes it is seen with."), required: true },
        query("conversation", "string", "One conversation; all of the speaker's when absent."),
        query("after", "string", "The `id` of the last event the reader has."),
        header("Last-Event-ID", "The same, as browsers send it."),
      ],
      responses: {
        200: {
          description: "`data`: `{openFloor, seq}`; events named `draft` hold `{draft}`.",
          content: { "text/event-stream": { schema: { type: "string" } } },
        },
        default: problem,
      },
    },
  },
  "/openfloor/at/{speaker}": {
    post: {
      summary:
        "The relay address of a person or of an agent that connects by WebSocket: any floor may send envelopes there.",
      security: [],
      parameters: [{ ...id, name: "speaker", description: "base64url of the speakerUri." }],
      requestBody: body({ $ref: "#/components/schemas/Envelope" }),
      responses: { 200: json("The answer.", { $ref: "#/components/schemas/Envelope" }), default: problem },
    },
  },
  "/api/v1/tickets": {
    post: {
      summary: "A ticket that opens one WebSocket within 30 seconds: `/openfloor/ws?speaker=URI&ticket=TICKET`.",
      requestBody: body({ type: "object", properties: { speaker: speakerUri } }),
      responses: { 201: json("`{ticket, expiresAt}`"), default: problem },
    },
  },
  "/api/v1/conversations": {
    post: {
      summary: "Begins a conversation. Its options are fields beside `owner`.",
      requestBody: body({
        type: "object",
        properties: {
          id: { type: "string" },
          owner: { type: "object", required: ["identification"], properties: { identification } },
          convener: { type: "string", format: "uri", description: "serviceUrl of the agent that is to convene" },
          favoriteAgent: { type: "string", format: "uri" },
          parent: { type: "string" },
          policy: { enum: ["guarded", "spec"] },
          floorEnforcement: { enum: ["table", "advisory"] },
          onConvenerFailure: { enum: ["open", "closed"] },
        },
      }),
      responses: { 201: json("`{id, seq, conversation}`"), default: problem },
    },
    get: {
      summary: "Conversations by id.",
      parameters: [
        query("after", "string", "continue after this id"),
        query("limit", "integer", "1 to 1000, default 100"),
        query("speaker", "string", "only those in which this conversant may see something"),
      ],
      responses: { 200: json("`{conversations, next}`"), default: problem },
    },
  },
  "/api/v1/conversations/{id}": {
    get: {
      summary: "A conversation as it is, or as it was.",
      parameters: [id, query("at", "integer", "after this entry of the log")],
      responses: { 200: json("", { $ref: "#/components/schemas/Conversation" }), default: problem },
    },
  },
  "/api/v1/conversations/{id}/log": {
    get: {
      summary:
        "Everything that happened, in order and without gaps; what the reader may not see is `{seq, kind: hidden}`.",
      parameters: [
        id,
        query("after", "integer", "continue after this entry; `next` of the last answer"),
        query("limit", "integer", "1 to 1000, default 100"),
        readsAs,
      ],
      responses: { 200: json("`{entries, next}`"), default: problem },
    },
  },
  "/api/v1/conversations/{id}/close": { post: command("Ends it: everyone is uninvited.", { reason }) },
  "/api/v1/conversations/{id}/resume": { post: command("Lets agents that were paused go on.", {}) },
  "/api/v1/conversations/{id}/convener": {
    post: command("Gives the role of convener, or takes it away when no speakerUri is given.", { speakerUri }),
  },
  "/api/v1/conversations/{id}/remove": {
    post: command("Removes a conversant.", { speakerUri, reason }, ["speakerUri"]),
  },
  "/api/v1/conversations/{id}/seat": {
    post: command(
      "Seats a person, or an agent that is not invited by address.",
      {
        identification,
        kind: { enum: ["person", "agent"] },
      },
      ["identification"],
    ),
  },
  "/api/v1/dead-letters": {
    get: {
      summary: "Deliveries that did not get through, kept for seven days.",
      parameters: [
        query("conversation", "string", "only those of this conversation"),
        query("after", "string", "`next` of the last answer"),
        query("limit", "integer", "1 to 1000, default 100"),
        readsAs,
      ],
      responses: { 200: json("`{deadLetters, next}`"), default: problem },
    },
  },
  "/api/v1/dead-letters/{id}": {
    get: {
      summary: "One of them.",
      parameters: [id, readsAs],
      responses: {
        200: json("`{id, conversation, delivery, to, sender, events, failure, detail, at}`"),
        default: problem,
      },
    },
  },
  "/api/v1/dead-letters/{id}/redrive": {
    post: {
      summary:
        "Sends it again, under the same `webhook-id`. What is answered counts as said by that conversant of its own accord.",
      parameters: [id],
      responses: { 202: json("`{id}`"), default: problem },
    },
  },
  "/api/v1/agents": {
    get: { summary: "The agents this floor knows.", responses: { 200: json("`{agents}`"), default: problem } },
    post: {
      summary: "Asks an agent who it is and remembers it.",
      requestBody: body({ type: "object", required: ["serviceUrl"], properties: { serviceUrl: { type: "string" } } }),
      responses: { 201: json("`{serviceUrl, manifest, health, askedAt}`"), default: problem },
    },
  },
  "/livez": { get: open("The process is alive.", { description: "ok" }) },
  "/readyz": { get: open("It can take envelopes.", { description: "ok" }) },
  "/version": { get: open("What is running.", json("`{name, version, openFloor}`")) },
  "/metrics": {
    get: {
      summary: "What the floor counts, for Prometheus.",
      responses: { 200: { description: "text" }, default: problem },
    },
  },
  "/openapi.json": { get: open("This document.", json("OpenAPI 3.1")) },
};

const schemas = {
  Envelope: {
    type: "object",
    description: "An envelope under `openFloor` (0.9.4 to 1.1.1) or `ovon` (0.9.0 to 0.9.3).",
  },
  Accepted: {
    type: "object",
    properties: {
      openFloor: { type: "object" },
      refused: {
        type: "array",
        items: {
          type: "object",
          properties: { index: { type: "integer" }, because: { type: "string" }, problem: { type: "string" } },
        },
      },
      consequences: {
        type: "array",
        description: "What the sender receives of this turn: one envelope per run of one speaker.",
        items: { type: "object", properties: { openFloor: { type: "object" }, seq: { type: "integer" } } },
      },
    },
  },
  Conversation: {
    type: "object",
    properties: {
      id: { type: "string" },
      seq: { type: "integer" },
      isClosed: { type: "boolean" },
      isPaused: { type: "boolean" },
      conversants: { type: "array", items: { type: "object" } },
      floorGranted: { type: "array", items: { type: "string" } },
      assignedFloorRoles: { type: "object" },
      owner: { type: "string" },
      floorRequested: { type: "array", items: { type: "string" } },
      options: { type: "object" },
    },
  },
  Problem: {
    type: "object",
    required: ["type", "title", "status", "fix"],
    properties: {
      type: { type: "string" },
      title: { type: "string" },
      status: { type: "integer" },
      detail: { type: "string" },
      pointer: { type: "string", description: "JSON pointer into the request" },
      spec: { type: "string" },
      fix: { type: "string" },
      retryAfter: { type: "integer", description: "seconds after which to repeat it, as in the header Retry-After" },
      because: { type: "string", description: "the rule that refused it" },
    },
  },
};

export function openApi(version: string) {
  return {
    openapi: "3.1.0",
    info: { title: "Plenary", version, description: "A floor manager for Open Floor 1.1.0." },
    security: [{ token: [] }],
    paths,
    components: { securitySchemes: { token: { type: "http", scheme: "bearer" } }, schemas },
  };
}
