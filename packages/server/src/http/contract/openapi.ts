import { type Access, type Route, routes } from "../../routing/routes.ts";
import { agentOperations, knownAgent } from "./agents.ts";
import { conversationOperations } from "./conversations.ts";
import { nemoOperations } from "./nemo.ts";
import {
  body,
  count,
  done,
  flag,
  header,
  json,
  limit,
  list,
  type Operation,
  object,
  problem,
  query,
  readsAs,
  ref,
  socketOpen,
  stream,
  text,
  ticket,
  uri,
} from "./parts.ts";

const logQueries = [
  query("conversation", "string", "One conversation; default: all of the speaker."),
  query(
    "view",
    "string",
    "`brief`, with `conversation`: every log entry as this reader sees it, as `{entry, seq}`, instead of events.",
  ),
  query("after", "string", "The `id` of the last received event."),
];

/** `ALL /openfloor` only refuses other methods. */
const operations: Record<Exclude<Route, "ALL /openfloor">, Operation> = {
  "POST /openfloor": {
    summary:
      "Sends an envelope in any dialect to the floor. The response is an empty envelope in the same dialect: accepted and durable.",
    parameters: [
      header("Prefer", "`wait=SECONDS`: respond when the turn is idle, with `consequences`. At most 120."),
      header("Idempotency-Key", "A repetition within 24 hours gets the same response and has no second effect."),
      header("In-Reply-To", "The `webhook-id` of the delivery, when an agent answers it in a request of its own."),
    ],
    requestBody: body(ref("Envelope")),
    responses: {
      200: {
        ...json("Accepted. `refused` lists the refused events.", ref("Accepted")),
        headers: { "Plenary-Seq": { description: "FIRST-LAST entry of the log.", schema: text } },
      },
    },
  },
  "GET /openfloor/events": {
    summary:
      "The log as a speaker sees it, then new events, as Server-Sent Events. `/openfloor/ws` is the same over WebSocket.",
    parameters: [
      { ...query("speaker", "string", "The speaker that reads."), required: true },
      ...logQueries,
      header("Last-Event-ID", "The same, as browsers send it."),
    ],
    responses: {
      200: stream(
        "`data`: `{openFloor, seq}`, with `view=brief` `{entry, seq}`. Events named `draft` have `{draft: {conversation, speakerUri, dialogEventId, to, delta, steps, end}}`; `steps` lists the agent's steps, each `{id, parent, title, detail, state: running | done | failed}`.",
      ),
    },
  },
  "POST /openfloor/at/:speaker": {
    summary:
      "The relay address of an agent with a WebSocket, or of a person. Any floor may send envelopes to an agent. A person's address accepts late answers of conversants of this floor (`In-Reply-To` or a key), and invites of other floors while a client shows them; otherwise the response is 403 with the right address.",
    requestBody: body(ref("Envelope")),
    responses: { 200: json("The agent's answer.", ref("Envelope")) },
  },
  "POST /api/v1/tickets": {
    summary: "Creates a ticket that opens one WebSocket within 30 seconds: `/openfloor/ws?speaker=URI&ticket=TICKET`.",
    requestBody: body(object({ speaker: uri })),
    responses: { 201: json("`{ticket, expiresAt}`") },
  },
  "GET /api/v1/me": {
    summary: "The caller's identity and the floor's identity.",
    responses: {
      200: json("`{kind, speakers, scopes, conversations, label, expiresAt, floor: {speakerUri, serviceUrl}}`"),
    },
  },
  "POST /api/v1/sessions": {
    summary:
      "Exchanges the operator's token for a page token of one person, valid for 30 days. Above 100 page tokens the oldest is revoked.",
    requestBody: body(object({ name: text, speakerUri: uri })),
    responses: { 201: json("`{token, speakerUri, name, expiresAt}`") },
  },
  "DELETE /api/v1/sessions": {
    summary: "Revokes the page token or guest token of the request.",
    responses: { 204: done },
  },
  ...conversationOperations,
  ...nemoOperations,
  "GET /api/v1/dead-letters": {
    summary: "Lists dead letters: failed deliveries, kept for seven days.",
    parameters: [
      query("conversation", "string", "only those of this conversation"),
      query("after", "string", "`next` of the previous response"),
      limit,
      readsAs,
    ],
    responses: { 200: json("`{deadLetters, next}`") },
  },
  "GET /api/v1/dead-letters/:id": {
    summary: "One dead letter.",
    parameters: [readsAs],
    responses: { 200: json("`{id, conversation, delivery, to, sender, events, failure, detail, at}`") },
  },
  "POST /api/v1/dead-letters/:id/redrive": {
    summary: "Redelivers a dead letter with the same `webhook-id`. The answer belongs to no earlier turn.",
    responses: { 202: json("`{id}`") },
  },
  ...agentOperations,
  "ALL /agents/:name": {
    summary: "A hosted agent. Any floor may invite it, also a web page of another origin.",
    requestBody: body(ref("Envelope")),
    responses: { 200: json("The agent's answer.", ref("Envelope")) },
  },
  "GET /openfloor/ws": {
    summary:
      "WebSocket in both directions, with the queries of `/openfloor/events`. With `as=agent` an agent receives and answers deliveries.",
    parameters: [
      { ...query("speaker", "string", "The speaker of this socket."), required: true },
      ...logQueries,
      query("as", "string", "`viewer`, or `agent`"),
      ticket,
    ],
    responses: { 101: socketOpen },
  },
  "GET /login": {
    summary: "Redirects the browser to the OpenID provider, if one is configured.",
    parameters: [query("return", "string", "the path to return to")],
    responses: { 302: { description: "Redirect to the provider." } },
  },
  "GET /login/callback": {
    summary: "The redirect target of the provider. Sets the session cookie.",
    responses: { 302: { description: "Redirect to the page." } },
  },
  "POST /logout": { summary: "Ends the session.", responses: { 204: done } },
  "GET /": {
    summary: "The web page, if there is one.",
    responses: { 200: { description: "HTML, or a line of text" } },
  },
  "GET /assets/:name": {
    summary: "A file of the page. Its name changes with its content.",
    responses: { 200: { description: "The file." }, 304: { description: "Not modified." }, default: problem },
  },
  "GET /favicon.svg": { summary: "The icon of the page.", responses: { 200: { description: "SVG" } } },
  "GET /livez": { summary: "The process is alive.", responses: { 200: { description: "ok" } } },
  "GET /readyz": { summary: "The store can write.", responses: { 200: { description: "ok" } } },
  "GET /version": {
    summary: "Name and version.",
    responses: { 200: json("`{name, version, openFloor, signIn}`; `signIn`: people may sign in at /login") },
  },
  "GET /metrics": { summary: "Metrics for Prometheus.", responses: { 200: { description: "text" } } },
  "GET /openapi.json": { summary: "This document.", responses: { 200: json("OpenAPI 3.1") } },
};

const schemas = {
  Envelope: {
    type: "object",
    description: "An envelope under `openFloor` (0.9.4 to 1.1.1) or `ovon` (0.9.0 to 0.9.3).",
  },
  Accepted: object({
    openFloor: { type: "object" },
    refused: list(object({ index: count, because: text, problem: text })),
    consequences: list(
      object({ openFloor: { type: "object" }, seq: count }),
      "The envelopes of this turn that the sender receives; consecutive events of one speaker share an envelope.",
    ),
  }),
  KnownAgent: knownAgent,
  Conversation: object({
    id: text,
    title: text,
    seq: count,
    isClosed: flag,
    isPaused: flag,
    conversants: list(
      { type: "object" },
      "People have `presence` in the current state: `here` while they have an open stream and for 60 seconds after.",
    ),
    floorGranted: list(text),
    assignedFloorRoles: { type: "object" },
    owner: text,
    floorRequested: list(text),
    moves: {
      description:
        "For owner and operator: `{speakerUri, serviceUrl, name?, boundTo?}` of agents that answered from a new address.",
    },
    options: { type: "object" },
  }),
  Problem: object(
    {
      type: text,
      title: text,
      status: count,
      detail: text,
      pointer: { ...text, description: "JSON pointer into the request" },
      spec: text,
      fix: text,
      retryAfter: { ...count, description: "seconds until a retry, as in the header Retry-After" },
      because: { ...text, description: "the rule that refused it" },
    },
    ["type", "title", "status", "fix"],
  ),
};

const withoutCredential: readonly Access[] = ["open", "anyone", "writer"];
const pathDescriptions: Readonly<Record<string, string>> = { speaker: "base64url of the speakerUri." };

/** The table of routes gives the method, the path parameters, and whether a credential is needed. */
const paths: Record<string, Record<string, object>> = {};
for (const [route, operation] of Object.entries(operations)) {
  const [method = "", path = ""] = route
    .replace("ALL ", "POST ")
    .replace(/:(\w+)/gu, "{$1}")
    .split(" ");
  paths[path] = { ...paths[path], [method.toLowerCase()]: described(path, routes[route as Route], operation) };
}

export function openApi(version: string) {
  return {
    openapi: "3.1.0",
    info: { title: "Plenary", version, description: "A floor manager for Open Floor 1.1.0." },
    security: [{ token: [] }],
    paths,
    components: { securitySchemes: { token: { type: "http", scheme: "bearer" } }, schemas },
  };
}

function described(path: string, access: Access, { summary, parameters = [], requestBody, responses }: Operation) {
  const inPath = [...path.matchAll(/\{(\w+)\}/gu)].map(([, name = ""]) => {
    const description = pathDescriptions[name];
    return { name, in: "path", required: true, schema: text, ...(description !== undefined && { description }) };
  });
  const all = [...inPath, ...parameters];
  return {
    summary,
    ...(withoutCredential.includes(access) && { security: [] }),
    ...(all.length > 0 && { parameters: all }),
    ...(requestBody && { requestBody }),
    responses: { ...responses, ...(access !== "open" && { default: responses.default ?? problem }) },
  };
}
