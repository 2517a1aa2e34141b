import * as Type from "typebox";
import type { Access, Operations } from "../operation.ts";
import { Conversation, GivenIdentification, Title } from "../shapes/conversation.ts";
import { Choice, Flag, OrNull, Text, WebUrl, WholeNumber } from "../text-shapes.ts";
import { idempotency, speakerQuery } from "./queries.ts";

const optional = Type.Optional;
const speakerUri = Text({ description: "the speakerUri of a conversant" });
const reason = optional(Text());
const seqMax = Number.MAX_SAFE_INTEGER;

/** Commands of owners and people: `POST /api/v1/conversations/:id/VERB`. */
export const commandOperations = {
  "POST /api/v1/conversations/:id/close": command("closeConversation", "owner", "Close the conversation", {
    description: "All conversants are uninvited.",
    fields: { reason },
    example: { reason: "the question is answered" },
  }),
  "POST /api/v1/conversations/:id/title": command("setTitle", "owner", "Set or remove the title", {
    description: "It is removed when `title` is null or absent.",
    fields: { title: optional(OrNull(Title)) },
    example: { title: "Planning" },
  }),
  "POST /api/v1/conversations/:id/pause": command("pauseAgents", "conversant", "Pause the agents", {
    description:
      "Running answers are cancelled without effect. For every person in the conversation. The next utterance of a person resumes the agents.",
    fields: {},
  }),
  "POST /api/v1/conversations/:id/resume": command("resumeAgents", "conversant", "Resume paused agents", {
    description: "For every person in the conversation.",
    fields: {},
  }),
  "POST /api/v1/conversations/:id/convener": command("setConvener", "owner", "Assign or remove the convener", {
    description:
      "Removes the role when the body has neither field. An agent at `serviceUrl` that is not a conversant is invited, and the current convener keeps the role until it has joined. A newer assignment replaces a pending one.",
    fields: { speakerUri: optional(OrNull(speakerUri)), serviceUrl: optional(WebUrl()) },
    example: { serviceUrl: "https://convener.example/" },
  }),
  "POST /api/v1/conversations/:id/role": command("setRole", "owner", "Assign or remove a further role", {
    description:
      "Such as `archivist`, of a joined conversant; `assigned: false` removes it. Several conversants may have the same role; a conversant that leaves loses its roles.",
    fields: {
      role: Text({ description: "a letter, then letters, digits, - and _" }),
      speakerUri,
      assigned: optional(Flag()),
    },
    example: { role: "archivist", speakerUri: "tag:clock.example,2026:clock" },
  }),
  "POST /api/v1/conversations/:id/remove": command("removeConversant", "owner", "Remove a conversant", {
    fields: { speakerUri, reason },
    example: { speakerUri: "tag:clock.example,2026:clock" },
  }),
  "POST /api/v1/conversations/:id/seat": command("seatConversant", "owner", "Seat a person or an agent", {
    description: "An agent that is not invited by address. An owner can use relay addresses of this floor only.",
    fields: {
      identification: GivenIdentification,
      kind: optional(Choice(["person", "agent"], { default: "person" })),
    },
    example: { identification: { speakerUri: "tag:ann.example,2026:ann", conversationalName: "Ann" }, kind: "person" },
  }),
  "POST /api/v1/conversations/:id/rebind": command(
    "rebindSpeaker",
    "owner",
    "Change the trusted address of a speaker",
    {
      description: "By the operator for all conversations, by an owner for this one.",
      fields: { speakerUri, serviceUrl: WebUrl() },
      example: { speakerUri: "tag:clock.example,2026:clock", serviceUrl: "https://clock.example/" },
    },
  ),
  "POST /api/v1/conversations/:id/move": command("decideMove", "owner", "Decide on the new address of an agent", {
    description:
      "An agent in `moves` answered from another address than its trusted one. `allow: true` binds it to the new address (by the operator for all conversations, by an owner for this one) and invites it there again; `allow: false` rejects the new address.",
    fields: { speakerUri, allow: Flag() },
    example: { speakerUri: "tag:clock.example,2026:clock", allow: true },
  }),
  "POST /api/v1/conversations/:id/reveal": command("revealEntries", "owner", "Show a conversant earlier entries", {
    description: "The public entries before it joined, from entry `from` on.",
    fields: { speakerUri, from: optional(WholeNumber(1, seqMax, { default: 1 })) },
    example: { speakerUri: "tag:ann.example,2026:ann", from: 1 },
  }),
  "POST /api/v1/conversations/:id/erase": command("eraseEntry", "owner", "Erase the content of an entry", {
    description: "The entry itself stays, and `plenary verify` still succeeds.",
    fields: { seq: WholeNumber(1, seqMax) },
    example: { seq: 7 },
  }),
} as const satisfies Operations;

function command<Who extends Access, Fields extends Type.TProperties>(
  id: string,
  access: Who,
  summary: string,
  { description, fields, example = {} }: { description?: string; fields: Fields; example?: object },
) {
  const body = Type.Object(fields, { additionalProperties: false, examples: [example] });
  return {
    id,
    tag: "commands" as const,
    access,
    summary,
    ...(description !== undefined && { description }),
    path: { id: "id of the conversation" },
    query: Type.Object(speakerQuery),
    headers: idempotency,
    body,
    isBodyOptional: true as const,
    answers: { 200: { description: "The conversation after the command.", schema: Conversation } },
    problems: ["forbidden", "refused", "key-reused"] as const,
  };
}
