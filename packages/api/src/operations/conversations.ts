import { type ExportFormat, exportFormats, exportKinds } from "@plenary/transcript";
import * as Type from "typebox";
import type { Operations } from "../operation.ts";
import { Conversation, ConversationSummary, NewConversation } from "../shapes/conversation.ts";
import { Entry } from "../shapes/entry.ts";
import { Choice, Time, WholeNumber } from "../text-shapes.ts";
import { cursorQuery, idempotency, limitQuery, speakerQuery } from "./queries.ts";

const optional = Type.Optional;
const id = "id of the conversation";

export const conversationOperations = {
  "POST /api/v1/conversations": {
    id: "createConversation",
    tag: "conversations",
    access: "host",
    summary: "Create a conversation",
    description: "Options are fields beside `owner`.",
    headers: idempotency,
    body: NewConversation,
    isBodyOptional: true,
    answers: {
      201: {
        description: "The new conversation.",
        schema: Type.Object({ id: Type.String(), seq: Type.Integer(), conversation: Conversation }),
        headers: { Location: "The path of the conversation." },
      },
    },
    problems: ["forbidden", "forbidden-speaker", "refused", "key-reused"],
  },
  "GET /api/v1/conversations": {
    id: "listConversations",
    tag: "conversations",
    access: "credential",
    summary: "List conversations",
    description: "All for the operator, their own for other callers, by id.",
    query: Type.Object({
      ...cursorQuery("continue after this id"),
      ...limitQuery,
      speaker: optional(Type.String({ description: "only those that this conversant may see" })),
      parent: optional(Type.String({ description: "only the sub-floors of this conversation" })),
    }),
    answers: {
      200: {
        description: "One page. `next` is null on the last page.",
        schema: Type.Object({
          conversations: Type.Array(ConversationSummary),
          next: Type.Union([Type.String(), Type.Null()]),
        }),
      },
    },
  },
  "GET /api/v1/conversations/:id": {
    id: "getConversation",
    tag: "conversations",
    access: "conversant",
    summary: "Read the state of a conversation",
    path: { id },
    query: Type.Object({
      at: optional(WholeNumber(1, Number.MAX_SAFE_INTEGER, { description: "the state after this entry of the log" })),
      ...speakerQuery,
    }),
    answers: { 200: { description: "The current state, or the one after entry `at`.", schema: Conversation } },
    problems: ["not-found"],
  },
  "GET /api/v1/conversations/:id/log": {
    id: "readLog",
    tag: "conversations",
    access: "reader",
    summary: "Read the log",
    description:
      "In order and without gaps. An entry that the reader may not see is `{seq, kind: hidden}`; for owner and operator a hidden whisper has `{whisper: {at, from, to}}`.",
    path: { id },
    query: Type.Object({
      after: optional(
        WholeNumber(0, Number.MAX_SAFE_INTEGER, {
          description: "continue after this entry; `next` of the previous response",
          default: 0,
        }),
      ),
      ...limitQuery,
      view: optional(
        Choice(["brief"], {
          description: "`received` entries without events, because each event has its own entry, and no `trace`",
        }),
      ),
      ...speakerQuery,
    }),
    answers: {
      200: {
        description: "One page. `next` is the last entry read; an empty page is the end.",
        schema: Type.Object({ entries: Type.Array(Entry), next: Type.Integer() }),
      },
    },
  },
  "GET /api/v1/conversations/:id/export": {
    id: "exportConversation",
    tag: "conversations",
    access: "reader",
    summary: "Export a conversation",
    description:
      "As the reader sees it in the log. `jsonl`: a header, then all entries. Other formats: at most the last 20,000 entries.",
    path: { id },
    query: Type.Object({ format: Choice(exportFormats as readonly [ExportFormat]), ...speakerQuery }),
    answers: { 200: { description: "The file.", type: Object.values(exportKinds).map(({ mimeType }) => mimeType) } },
  },
  "GET /api/v1/conversations/:id/feedback": {
    id: "listFeedback",
    tag: "conversations",
    access: "reader",
    summary: "List feedback on the turns of a conversation",
    description: "If the reader may see the first entry of the turn.",
    path: { id },
    query: Type.Object(speakerQuery),
    answers: {
      200: {
        description: "At most 1000, of the newest turns.",
        schema: Type.Object({
          feedback: Type.Array(
            Type.Object({
              turn: Type.String(),
              traceId: Type.String(),
              by: Type.String(),
              reaction: optional(Type.String()),
              comment: optional(Type.String()),
              at: Time,
            }),
          ),
        }),
      },
    },
  },
} as const satisfies Operations;
