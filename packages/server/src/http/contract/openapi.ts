import { agentList, discoverPath, knownAgent } from "./agents.ts";
import { conversationPaths } from "./conversations.ts";
import { nemoPaths } from "./nemo.ts";
import { body, header, id, json, open, type Paths, problem, query, readsAs, speakerUri } from "./parts.ts";

const viewOfLog =
  "`brief`, with `conversation`: every entry of the log as this reader may see it, as `{entry, seq}`, in place of events.";

const paths: Paths = {
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
        query("view", "string", viewOfLog),
        query("after", "string", "The `id` of the last event the reader has."),
        header("Last-Event-ID", "The same, as browsers send it."),
      ],
      responses: {
        200: {
          description:
            "`data`: `{openFloor, seq}`, with `view=brief` `{entry, seq}`; events named `draft` hold `{draft: {conversation, speakerUri, dialogEventId, to, delta, steps, end}}`, where `steps` lists what is done on the way, each `{id, parent, title, detail, state: running | done | failed}`.",
          content: { "text/event-stream": { schema: { type: "string" } } },
        },
        default: problem,
      },
    },
  },
  "/openfloor/at/{speaker}": {
    post: {
      summary:
        "The relay address of an agent that connects by WebSocket, to which any floor may send envelopes, or of a person: it takes what a conversant of this floor says late (`In-Reply-To` or a key), and invites of other floors while a client shows them; else 403 says where to send it.",
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
  "/api/v1/me": {
    get: {
      summary: "Who the caller is, by its credential, and what floor this is.",
      responses: {
        200: json("`{kind, speakers, scopes, conversations, label, expiresAt, floor: {speakerUri, serviceUrl}}`"),
        default: problem,
      },
    },
  },
  "/api/v1/sessions": {
    post: {
      summary:
        "Exchanges the operator's token for one that speaks for one person, for 30 days: what a page goes on with. Of more than 100 the oldest ends.",
      requestBody: body({ type: "object", properties: { name: { type: "string" }, speakerUri } }),
      responses: { 201: json("`{token, speakerUri, name, expiresAt}`"), default: problem },
    },
    delete: {
      summary: "Ends the page's or guest's token that the request came with.",
      responses: { 204: { description: "done" }, default: problem },
    },
  },
  ...conversationPaths,
  ...nemoPaths,
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
    get: {
      summary:
        "The agents this floor knows, connected and hosted ones first: who each is, whether it answers and how fast, what it speaks, and which rules it breaks.",
      parameters: [query("health", "string", "only those that are `answering`, `silent` or `failing`")],
      responses: {
        200: json("`{agents, invitedByDefault}`; the second lists the addresses for a new conversation", agentList),
        default: problem,
      },
    },
    post: {
      summary: "Asks an agent who it is and remembers it, whether it answers or not.",
      requestBody: body({ type: "object", required: ["serviceUrl"], properties: { serviceUrl: { type: "string" } } }),
      responses: { 201: json("What is known of it.", { $ref: "#/components/schemas/KnownAgent" }), default: problem },
    },
    delete: {
      summary: "Forgets what is known of an agent. It is learned anew when it is met again.",
      parameters: [{ ...query("serviceUrl", "string", "its address"), required: true }],
      responses: { 204: { description: "done" }, default: problem },
    },
  },
  "/api/v1/agents/check": {
    post: {
      summary:
        "Asks one agent, or without `serviceUrl` all that are known, who they are, from the newest dialect on. Takes a minute at most.",
      requestBody: body({ type: "object", properties: { serviceUrl: { type: "string" } } }),
      responses: { 200: json("`{agents}`: those that were asked, as they are known now"), default: problem },
    },
  },
  "/api/v1/discover": discoverPath,
  "/agents/{name}": {
    post: {
      summary:
        "An agent that lives in this floor, for any floor to invite, also for one that is a web page of another origin.",
      security: [],
      parameters: [{ ...id, name: "name" }],
      requestBody: body({ $ref: "#/components/schemas/Envelope" }),
      responses: { 200: json("Its answer.", { $ref: "#/components/schemas/Envelope" }), default: problem },
    },
  },
  "/openfloor/ws": {
    get: {
      summary:
        "WebSocket, both ways; the same queries as `/openfloor/events`, and `as=agent` for an agent that answers on it.",
      parameters: [
        { ...query("speaker", "string", "Who speaks and listens."), required: true },
        query("conversation", "string", "One conversation; all of the speaker's when absent."),
        query("view", "string", viewOfLog),
        query("after", "string", "Where the reader has got to."),
        query("as", "string", "`viewer`, or `agent`"),
        query("ticket", "string", "In place of a token, for browsers."),
      ],
      responses: { 101: { description: "The socket is open." }, default: problem },
    },
  },
  "/login": {
    get: {
      summary: "Sends the browser to the OpenID provider, where this floor has one.",
      security: [],
      parameters: [query("return", "string", "the path to come back to")],
      responses: { 302: { description: "to the provider" }, default: problem },
    },
  },
  "/login/callback": {
    get: {
      summary: "Where the provider sends it back: a cookie for a session.",
      security: [],
      responses: { 302: { description: "back to the page" }, default: problem },
    },
  },
  "/logout": {
    post: { summary: "Ends the session.", security: [], responses: { 204: { description: "done" }, default: problem } },
  },
  "/": { get: open("The page for people, where there is one.", { description: "HTML, or a line of text" }) },
  "/assets/{name}": {
    get: {
      summary: "A file of the page. Its name changes with its content.",
      security: [],
      parameters: [{ ...id, name: "name" }],
      responses: { 200: { description: "the file" }, 304: { description: "as you have it" }, default: problem },
    },
  },
  "/favicon.svg": { get: open("The page's sign.", { description: "SVG" }) },
  "/livez": { get: open("The process is alive.", { description: "ok" }) },
  "/readyz": { get: open("It can write to its store.", { description: "ok" }) },
  "/version": {
    get: open("What is running.", json("`{name, version, openFloor, signIn}`; `signIn`: people may sign in at /login")),
  },
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
          "With `presence` for people, as the conversation is now: `here` while a stream of theirs is open and for 60 seconds after.",
      },
      floorGranted: { type: "array", items: { type: "string" } },
      assignedFloorRoles: { type: "object" },
      owner: { type: "string" },
      floorRequested: { type: "array", items: { type: "string" } },
      moves: {
        description: "For owner and operator: `{speakerUri, serviceUrl, name?, boundTo?}` of agents at a new address.",
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
