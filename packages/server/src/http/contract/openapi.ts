import { agentPaths, knownAgent } from "./agents.ts";
import { conversationPaths } from "./conversations.ts";
import { nemoPaths } from "./nemo.ts";
import { body, header, id, json, open, type Paths, problem, query, readsAs, speakerUri } from "./parts.ts";

const viewOfLog =
  "`brief`, with `conversation`: every log entry as this reader sees it, as `{entry, seq}`, instead of events.";

const paths: Paths = {
  "/openfloor": {
    post: {
      summary:
        "Sends an envelope in any dialect to the floor. The response is an empty envelope in the same dialect: accepted and durable.",
      parameters: [
        header("Prefer", "`wait=SECONDS`: respond when the turn is idle, with `consequences`. At most 120."),
        header("Idempotency-Key", "A repetition within 24 hours gets the same response and has no second effect."),
        header("In-Reply-To", "The `webhook-id` of the delivery, when an agent answers it in a request of its own."),
      ],
      requestBody: body({ $ref: "#/components/schemas/Envelope" }),
      responses: {
        200: {
          ...json("Accepted. `refused` lists the refused events.", {
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
        "The log as a speaker sees it, then new events, as Server-Sent Events. `/openfloor/ws` is the same over WebSocket.",
      parameters: [
        { ...query("speaker", "string", "The speaker that reads."), required: true },
        query("conversation", "string", "One conversation; default: all of the speaker."),
        query("view", "string", viewOfLog),
        query("after", "string", "The `id` of the last received event."),
        header("Last-Event-ID", "The same, as browsers send it."),
      ],
      responses: {
        200: {
          description:
            "`data`: `{openFloor, seq}`, with `view=brief` `{entry, seq}`. Events named `draft` have `{draft: {conversation, speakerUri, dialogEventId, to, delta, steps, end}}`; `steps` lists the agent's steps, each `{id, parent, title, detail, state: running | done | failed}`.",
          content: { "text/event-stream": { schema: { type: "string" } } },
        },
        default: problem,
      },
    },
  },
  "/openfloor/at/{speaker}": {
    post: {
      summary:
        "The relay address of an agent with a WebSocket, or of a person. Any floor may send envelopes to an agent. A person's address accepts late answers of conversants of this floor (`In-Reply-To` or a key), and invites of other floors while a client shows them; otherwise the response is 403 with the right address.",
      security: [],
      parameters: [{ ...id, name: "speaker", description: "base64url of the speakerUri." }],
      requestBody: body({ $ref: "#/components/schemas/Envelope" }),
      responses: { 200: json("The agent's answer.", { $ref: "#/components/schemas/Envelope" }), default: problem },
    },
  },
  "/api/v1/tickets": {
    post: {
      summary:
        "Creates a ticket that opens one WebSocket within 30 seconds: `/openfloor/ws?speaker=URI&ticket=TICKET`.",
      requestBody: body({ type: "object", properties: { speaker: speakerUri } }),
      responses: { 201: json("`{ticket, expiresAt}`"), default: problem },
    },
  },
  "/api/v1/me": {
    get: {
      summary: "The caller's identity and the floor's identity.",
      responses: {
        200: json("`{kind, speakers, scopes, conversations, label, expiresAt, floor: {speakerUri, serviceUrl}}`"),
        default: problem,
      },
    },
  },
  "/api/v1/sessions": {
    post: {
      summary:
        "Exchanges the operator's token for a page token of one person, valid for 30 days. Above 100 page tokens the oldest is revoked.",
      requestBody: body({ type: "object", properties: { name: { type: "string" }, speakerUri } }),
      responses: { 201: json("`{token, speakerUri, name, expiresAt}`"), default: problem },
    },
    delete: {
      summary: "Revokes the page token or guest token of the request.",
      responses: { 204: { description: "Done." }, default: problem },
    },
  },
  ...conversationPaths,
  ...nemoPaths,
  "/api/v1/dead-letters": {
    get: {
      summary: "Lists dead letters: failed deliveries, kept for seven days.",
      parameters: [
        query("conversation", "string", "only those of this conversation"),
        query("after", "string", "`next` of the previous response"),
        query("limit", "integer", "1 to 1000, default 100"),
        readsAs,
      ],
      responses: { 200: json("`{deadLetters, next}`"), default: problem },
    },
  },
  "/api/v1/dead-letters/{id}": {
    get: {
      summary: "One dead letter.",
      parameters: [id, readsAs],
      responses: {
        200: json("`{id, conversation, delivery, to, sender, events, failure, detail, at}`"),
        default: problem,
      },
    },
  },
  "/api/v1/dead-letters/{id}/redrive": {
    post: {
      summary: "Redelivers a dead letter with the same `webhook-id`. The answer belongs to no earlier turn.",
      parameters: [id],
      responses: { 202: json("`{id}`"), default: problem },
    },
  },
  ...agentPaths,
  "/agents/{name}": {
    post: {
      summary: "A hosted agent. Any floor may invite it, also a web page of another origin.",
      security: [],
      parameters: [{ ...id, name: "name" }],
      requestBody: body({ $ref: "#/components/schemas/Envelope" }),
      responses: { 200: json("The agent's answer.", { $ref: "#/components/schemas/Envelope" }), default: problem },
    },
  },
  "/openfloor/ws": {
    get: {
      summary:
        "WebSocket in both directions, with the queries of `/openfloor/events`. With `as=agent` an agent receives and answers deliveries.",
      parameters: [
        { ...query("speaker", "string", "The speaker of this socket."), required: true },
        query("conversation", "string", "One conversation; default: all of the speaker."),
        query("view", "string", viewOfLog),
        query("after", "string", "The `id` of the last received event."),
        query("as", "string", "`viewer`, or `agent`"),
        query("ticket", "string", "Instead of a token, for browsers."),
      ],
      responses: { 101: { description: "The socket is open." }, default: problem },
    },
  },
  "/login": {
    get: {
      summary: "Redirects the browser to the OpenID provider, if one is configured.",
      security: [],
      parameters: [query("return", "string", "the path to return to")],
      responses: { 302: { description: "Redirect to the provider." }, default: problem },
    },
  },
  "/login/callback": {
    get: {
      summary: "The redirect target of the provider. Sets the session cookie.",
      security: [],
      responses: { 302: { description: "Redirect to the page." }, default: problem },
    },
  },
  "/logout": {
    post: {
      summary: "Ends the session.",
      security: [],
      responses: { 204: { description: "Done." }, default: problem },
    },
  },
  "/": { get: open("The web page, if there is one.", { description: "HTML, or a line of text" }) },
  "/assets/{name}": {
    get: {
      summary: "A file of the page. Its name changes with its content.",
      security: [],
      parameters: [{ ...id, name: "name" }],
      responses: { 200: { description: "The file." }, 304: { description: "Not modified." }, default: problem },
    },
  },
  "/favicon.svg": { get: open("The icon of the page.", { description: "SVG" }) },
  "/livez": { get: open("The process is alive.", { description: "ok" }) },
  "/readyz": { get: open("The store can write.", { description: "ok" }) },
  "/version": {
    get: open(
      "Name and version.",
      json("`{name, version, openFloor, signIn}`; `signIn`: people may sign in at /login"),
    ),
  },
  "/metrics": {
    get: {
      summary: "Metrics for Prometheus.",
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
        description:
          "The envelopes of this turn that the sender receives; consecutive events of one speaker share an envelope.",
        items: { type: "object", properties: { openFloor: { type: "object" }, seq: { type: "integer" } } },
      },
    },
  },
  KnownAgent: knownAgent,
  Conversation: {
    type: "object",
    properties: {
      id: { type: "string" },
      title: { type: "string" },
      seq: { type: "integer" },
      isClosed: { type: "boolean" },
      isPaused: { type: "boolean" },
      conversants: {
        type: "array",
        items: { type: "object" },
        description:
          "People have `presence` in the current state: `here` while they have an open stream and for 60 seconds after.",
      },
      floorGranted: { type: "array", items: { type: "string" } },
      assignedFloorRoles: { type: "object" },
      owner: { type: "string" },
      floorRequested: { type: "array", items: { type: "string" } },
      moves: {
        description:
          "For owner and operator: `{speakerUri, serviceUrl, name?, boundTo?}` of agents that answered from a new address.",
      },
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
      retryAfter: { type: "integer", description: "seconds until a retry, as in the header Retry-After" },
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
