import * as Type from "typebox";
import type { Operations } from "../operation.ts";
import { Time } from "../text-shapes.ts";
import { cursorQuery, limitQuery, speakerQuery } from "./queries.ts";

const Word = Type.String();
const optional = Type.Optional;
const Party = Type.Object({ speakerUri: optional(Word), serviceUrl: optional(Word) });

/** As senders write it. */
const open = { additionalProperties: true };

const SentEvent = Type.Object(
  {
    eventType: Word,
    to: optional(Type.Object({}, open)),
    reason: optional(Word),
    parameters: optional(Type.Object({}, open)),
    isHidden: optional(Type.Boolean()),
  },
  { description: "A whisper that the reader may not see has `isHidden` and no parameters." },
);

const DeadLetter = Type.Object(
  {
    id: Word,
    conversation: Word,
    delivery: Word,
    to: Party,
    sender: Party,
    events: Type.Array(SentEvent),
    failure: Word,
    detail: Word,
    at: Time,
  },
  { $id: "DeadLetter", description: "A delivery that failed for good." },
);

const plain = (description: string) => ({ 200: { description, type: "text/plain" } }) as const;
const notModified = { description: "Not modified." };
const document = (description: string) => ({ 200: { description, schema: Type.Object({}, open) }, 304: notModified });

/** For the operator: dead letters, health, documentation. */
export const serverOperations = {
  "GET /api/v1/dead-letters": {
    id: "listDeadLetters",
    tag: "operation",
    access: "operator",
    summary: "List dead letters",
    description: "Failed deliveries, kept for seven days.",
    query: Type.Object({
      conversation: optional(Type.String({ description: "only those of this conversation" })),
      ...cursorQuery("`next` of the previous response"),
      ...limitQuery,
      ...speakerQuery,
    }),
    answers: {
      200: {
        description: "One page. `next` is null on the last page.",
        schema: Type.Object({ deadLetters: Type.Array(DeadLetter), next: Type.Union([Word, Type.Null()]) }),
      },
    },
  },
  "GET /api/v1/dead-letters/:id": {
    id: "getDeadLetter",
    tag: "operation",
    access: "operator",
    summary: "Read a dead letter",
    path: { id: "id of the dead letter" },
    query: Type.Object(speakerQuery),
    answers: { 200: { description: "The dead letter.", schema: DeadLetter } },
    problems: ["not-found"],
  },
  "POST /api/v1/dead-letters/:id/redrive": {
    id: "redriveDeadLetter",
    tag: "operation",
    access: "operator",
    summary: "Redeliver a dead letter",
    description: "With the same `webhook-id`. The answer belongs to no earlier turn.",
    path: { id: "id of the dead letter" },
    answers: { 202: { description: "It is being delivered.", schema: Type.Object({ id: Word }) } },
    problems: ["not-found"],
  },
  "GET /livez": {
    id: "isAlive",
    tag: "operation",
    access: "open",
    summary: "The process is alive",
    answers: plain("ok"),
  },
  "GET /readyz": {
    id: "isReady",
    tag: "operation",
    access: "open",
    summary: "The store can write",
    answers: plain("ok"),
  },
  "GET /version": {
    id: "getVersion",
    tag: "operation",
    access: "open",
    summary: "Name and version",
    answers: {
      200: {
        description: "`signIn`: people may sign in at /login.",
        schema: Type.Object({ name: Word, version: Word, openFloor: Word, signIn: Type.Boolean() }),
      },
    },
  },
  "GET /metrics": {
    id: "getMetrics",
    tag: "operation",
    access: "operator",
    summary: "Metrics for Prometheus",
    answers: plain("The exposition format."),
  },
  "GET /openapi.json": {
    id: "getOpenApi",
    tag: "operation",
    access: "open",
    summary: "This document",
    answers: document("OpenAPI 3.1"),
  },
  "GET /asyncapi.json": {
    id: "getAsyncApi",
    tag: "operation",
    access: "open",
    summary: "The description of sockets and event streams",
    answers: document("AsyncAPI 3.0"),
  },
  "GET /docs/api": {
    id: "getApiReference",
    tag: "operation",
    access: "open",
    summary: "The API reference as a web page",
    answers: { 200: { description: "HTML", type: "text/html" }, 304: notModified },
    problems: ["not-found"],
  },
  "GET /docs/api/:name": {
    id: "getApiReferenceFile",
    tag: "operation",
    access: "open",
    summary: "A file of the API reference",
    path: { name: "name of the file" },
    answers: { 200: { description: "The file.", type: "*/*" }, 304: notModified },
    problems: ["not-found"],
  },
  "GET /": {
    id: "getPage",
    tag: "page",
    access: "open",
    summary: "The web page",
    answers: {
      200: { description: "HTML, or a line of text without a page.", type: ["text/html", "text/plain"] },
      304: notModified,
    },
  },
  "GET /assets/:name": {
    id: "getPageFile",
    tag: "page",
    access: "open",
    summary: "A file of the page",
    description: "Its name changes with its content.",
    path: { name: "name of the file" },
    answers: { 200: { description: "The file.", type: "*/*" }, 304: notModified },
    problems: ["not-found"],
  },
  "GET /widget.js": {
    id: "getWidget",
    tag: "page",
    access: "open",
    summary: "The script of `<plenary-floor>`",
    description: "For pages of any origin. Its requests need `--allow-origin` for that page.",
    answers: { 200: { description: "JavaScript", type: "text/javascript" }, 304: { description: "Not modified." } },
    problems: ["not-found"],
  },
  "GET /favicon.svg": {
    id: "getIcon",
    tag: "page",
    access: "open",
    summary: "The icon of the page",
    answers: { 200: { description: "SVG", type: "image/svg+xml" }, 304: notModified },
    problems: ["not-found"],
  },
} as const satisfies Operations;
