import { eventTypes } from "@plenary/protocol";
import * as Type from "typebox";
import type { Operations } from "../operation.ts";
import { kindNames } from "../shapes/entry.ts";
import { Choice, Text, Time, Uri, WebUrl } from "../text-shapes.ts";
import { cursorQuery, limitQuery } from "./queries.ts";

const optional = Type.Optional;
const Word = Type.String();
const listMax = 64;
const few = { minItems: 1, maxItems: listMax, expected: `a list of 1 to ${listMax} texts` };
const nameMax = 100;

const settings = {
  url: WebUrl("https; other addresses as the rules for dialling allow. The receiver checks the signature."),
  kinds: optional(
    Type.Array(Choice(kindNames), {
      ...few,
      description: "Kinds of entries, such as `event`. Default: all; with `eventTypes` only `event`.",
    }),
  ),
  eventTypes: optional(
    Type.Array(Choice(eventTypes), { ...few, description: "Of entries of the kind `event`, such as `utterance`." }),
  ),
  conversation: optional(
    Text({ description: "Only the operator may leave it out: all conversations, also new ones." }),
  ),
  speaker: optional(Uri("Read the log as this conversant; without it the operator sees no whispers.")),
  label: optional(Text({ max: nameMax })),
};

const webhookFields = {
  id: Word,
  url: Word,
  kinds: Type.Array(Word),
  eventTypes: optional(Type.Array(Word)),
  conversation: optional(Word),
  speaker: optional(Word),
  label: optional(Word),
  createdAt: Time,
  state: Choice(["active", "failing", "disabled"]),
  failure: optional(Type.String({ description: "Why the oldest undelivered entry failed, or why it is disabled." })),
  failedSince: optional(Time),
  lastDeliveredAt: optional(Time),
  pending: Type.Integer({ minimum: 0, description: "Entries that wait; without `conversation` at least so many." }),
};
const Webhook = Type.Object(webhookFields, { $id: "Webhook" });
const secret = Type.String({ description: "`whsec_` and base64. It is shown once." });
const result = { delivered: Type.Boolean(), status: optional(Type.Integer()), failure: optional(Word) };
const path = { id: "id of the webhook" };
const common = { tag: "webhooks", access: "credential" } as const;
const one = { ...common, path, problems: ["not-found"] } as const;

/** Addresses that get entries of the log. */
export const webhookOperations = {
  "POST /api/v1/webhooks": {
    ...common,
    id: "addWebhook",
    summary: "Register an address that gets entries of the log",
    description:
      "The entries that are written from now on, as the caller may see them. Each is a POST with `{type: entry.KIND, timestamp, data: {conversation, seq, entry}}`, signed by Standard Webhooks.",
    body: Type.Object(settings, {
      additionalProperties: false,
      examples: [{ url: "https://receiver.example/", eventTypes: ["utterance"] }],
    }),
    answers: {
      201: {
        description: "The webhook, with its secret.",
        schema: Type.Object({ ...webhookFields, secret }),
        headers: { Location: "The path of the webhook." },
      },
    },
    problems: ["forbidden", "refused", "unknown-conversation"],
  },
  "GET /api/v1/webhooks": {
    ...common,
    id: "listWebhooks",
    summary: "List the caller's webhooks",
    description: "The operator sees all.",
    answers: { 200: { description: "All of them.", schema: Type.Object({ webhooks: Type.Array(Webhook) }) } },
  },
  "GET /api/v1/webhooks/:id": {
    ...one,
    id: "getWebhook",
    summary: "Read a webhook and its state",
    answers: { 200: { description: "The webhook.", schema: Webhook } },
  },
  "DELETE /api/v1/webhooks/:id": {
    ...one,
    id: "deleteWebhook",
    summary: "Delete a webhook and its dead letters",
    answers: { 204: { description: "Done." } },
  },
  "POST /api/v1/webhooks/:id/test": {
    ...one,
    id: "testWebhook",
    summary: "Send a message of the type `ping` now",
    description: "A success also retries what waits.",
    answers: { 200: { description: "What came back.", schema: Type.Object(result) } },
  },
  "POST /api/v1/webhooks/:id/enable": {
    ...one,
    id: "enableWebhook",
    summary: "Enable a disabled webhook, with the caller's rights",
    description: "It continues where it stopped.",
    answers: { 200: { description: "The webhook.", schema: Webhook } },
    problems: ["not-found", "refused"],
  },
  "POST /api/v1/webhooks/:id/secret": {
    ...one,
    id: "replaceWebhookSecret",
    summary: "Replace the secret",
    description: "The old one also signs for 24 hours.",
    answers: { 200: { description: "The new secret.", schema: Type.Object({ id: Word, secret }) } },
  },
  "GET /api/v1/webhooks/:id/dead-letters": {
    ...one,
    id: "listWebhookDeadLetters",
    summary: "List entries that could not be delivered within a day",
    description: "For seven days. `id` is the `webhook-id`.",
    query: Type.Object({ ...cursorQuery("`next` of the previous response"), ...limitQuery }),
    answers: {
      200: {
        description: "One page. `next` is null on the last page.",
        schema: Type.Object({
          deadLetters: Type.Array(
            Type.Object({ id: Word, conversation: Word, seq: Type.Integer(), failure: Word, at: Time }),
          ),
          next: Type.Union([Word, Type.Null()]),
        }),
      },
    },
  },
  "POST /api/v1/webhooks/:id/dead-letters/:letter/redrive": {
    ...one,
    id: "redriveWebhookDeadLetter",
    summary: "Send the entry of a dead letter again now",
    description: "With the same `webhook-id`. A success deletes the letter.",
    path: { ...path, letter: "id of the dead letter" },
    answers: { 200: { description: "What came back.", schema: Type.Object({ id: Word, ...result }) } },
    problems: ["not-found", "refused"],
  },
} as const satisfies Operations;
