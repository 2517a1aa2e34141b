import * as Type from "typebox";
import { StreamFrame } from "../frames.ts";
import type { Operations } from "../operation.ts";
import { Accepted, Envelope } from "../shapes/envelope.ts";
import { Choice, Text, Uri } from "../text-shapes.ts";
import { idempotency } from "./queries.ts";

const optional = Type.Optional;

const AgentAnswer = Type.Object(Envelope.properties, { additionalProperties: true });

const streamQuery = {
  speaker: Uri("the speaker that reads"),
  conversation: optional(Text({ description: "one conversation; default: all of the speaker" })),
  view: optional(
    Choice(["brief"], {
      description: "with `conversation`: every log entry as this reader sees it, as `{entry, seq}`, instead of events",
    }),
  ),
  after: optional(
    Type.String({ description: "the `seq` of the last received entry, without `conversation` its `id`" }),
  ),
};

export const envelopeOperations = {
  "POST /openfloor": {
    id: "sendEnvelope",
    tag: "envelopes",
    access: "sender",
    summary: "Send an envelope to the floor",
    description:
      "In any dialect. The response is an empty envelope in the same dialect: accepted and durable. `refused` lists the refused events.",
    headers: {
      ...idempotency,
      Prefer: "`wait=SECONDS`: respond when the turn is idle, with `consequences`. At most 120.",
      "In-Reply-To": "The `webhook-id` of the delivery, when an agent answers it in a request of its own.",
    },
    body: Envelope,
    answers: {
      200: { description: "Accepted.", schema: Accepted, headers: { "Plenary-Seq": "FIRST-LAST entry of the log." } },
    },
    problems: ["bad-envelope", "forbidden", "refused", "key-reused", "unknown-conversation", "not-found"],
  },
  "ALL /openfloor": {
    id: "refuseMethod",
    tag: "envelopes",
    access: "anyone",
    summary: "Other methods are refused",
    answers: {},
    problems: ["method-not-allowed"],
  },
  "POST /openfloor/at/:speaker": {
    id: "sendToRelayAddress",
    tag: "envelopes",
    access: "writer",
    summary: "Send an envelope to a person, or to an agent with a WebSocket",
    description:
      "Any floor may send envelopes to an agent. A person's address accepts late answers of conversants of this floor (`In-Reply-To` or a key), and invites of other floors while a client shows them; otherwise the response is 403 with the right address.",
    path: { speaker: "base64url of the speakerUri" },
    headers: { "In-Reply-To": "The `webhook-id` of the delivery that is answered." },
    body: Envelope,
    answers: { 200: { description: "The agent's answer.", schema: Envelope } },
    problems: ["bad-envelope", "forbidden", "forbidden-speaker", "refused", "not-found", "unknown-conversation"],
  },
  "GET /openfloor/events": {
    id: "followEvents",
    tag: "envelopes",
    access: "credential",
    summary: "Follow the log as Server-Sent Events",
    description:
      "The log as a speaker sees it, then new events. Events named `draft` are pieces of utterances that are being composed; an event named `end` says why the stream ends. `/openfloor/ws` is the same over WebSocket; see /asyncapi.json.",
    query: Type.Object(streamQuery),
    headers: { "Last-Event-ID": "The same as `after`, as browsers send it." },
    answers: { 200: { description: "The stream.", type: "text/event-stream", events: StreamFrame } },
    problems: ["unknown-conversation"],
  },
  "GET /openfloor/ws": {
    id: "openSocket",
    tag: "envelopes",
    access: "credential",
    summary: "Open a WebSocket in both directions",
    description: "With `as=agent` an agent receives and answers deliveries. The frames are in /asyncapi.json.",
    query: Type.Object({
      ...streamQuery,
      as: optional(Choice(["viewer", "agent"], { default: "viewer" })),
      ticket: optional(Type.String({ description: "instead of a token, for browsers" })),
    }),
    answers: { 101: { description: "The socket is open." } },
    problems: ["unknown-conversation", "forbidden"],
  },
  "ALL /agents/:name": {
    id: "sendToHostedAgent",
    tag: "agents",
    access: "writer",
    summary: "Send an envelope to a hosted agent",
    description: "Any floor may invite it, also a web page of another origin.",
    path: { name: "name of the agent" },
    body: Envelope,
    answers: { 200: { description: "As the agent wrote it.", schema: AgentAnswer } },
    problems: ["bad-envelope", "not-found", "method-not-allowed", "refused"],
  },
} as const satisfies Operations;
