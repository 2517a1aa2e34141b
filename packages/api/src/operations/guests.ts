import * as Type from "typebox";
import type { Operations } from "../operation.ts";
import { Line, Text, Time, Uri, WholeNumber } from "../text-shapes.ts";
import { speakerQuery } from "./queries.ts";

const closed = { additionalProperties: false };
const optional = Type.Optional;
const id = "id of the conversation";

const linkFields = {
  id: Type.String(),
  label: optional(Type.String()),
  usesLeft: Type.Integer(),
  createdAt: Time,
  expiresAt: Time,
  revokedAt: optional(Time),
};

export const guestOperations = {
  "GET /api/v1/conversations/:id/links": {
    id: "listLinks",
    tag: "guests",
    access: "owner",
    summary: "List the invite links of a conversation",
    path: { id },
    query: Type.Object(speakerQuery),
    answers: {
      200: { description: "All links.", schema: Type.Object({ links: Type.Array(Type.Object(linkFields)) }) },
    },
  },
  "POST /api/v1/conversations/:id/links": {
    id: "createLink",
    tag: "guests",
    access: "owner",
    summary: "Create an invite link for guests",
    description: "The link is shown once.",
    path: { id },
    query: Type.Object(speakerQuery),
    body: Type.Object(
      {
        label: optional(Text({ max: 100 })),
        uses: optional(WholeNumber(1, 100, { default: 1 })),
        expiresInS: optional(WholeNumber(60, 86_400, { default: 86_400 })),
        speakerUri: optional(Uri("the speakerUri of the guest; by default each guest gets its own")),
      },
      { ...closed, examples: [{ label: "for the customers", uses: 10, expiresInS: 3_600 }] },
    ),
    isBodyOptional: true,
    answers: {
      201: {
        description: "The link.",
        schema: Type.Object({ ...linkFields, link: Type.String(), conversation: Type.String() }),
      },
    },
    problems: ["refused"],
  },
  "DELETE /api/v1/conversations/:id/links/:link": {
    id: "revokeLink",
    tag: "guests",
    access: "owner",
    summary: "Revoke a link",
    description: "Its guests lose access.",
    path: { id, link: "id of the link" },
    query: Type.Object(speakerQuery),
    answers: { 204: { description: "Done." } },
    problems: ["not-found"],
  },
  "POST /api/v1/guests": {
    id: "joinAsGuest",
    tag: "guests",
    access: "anyone",
    summary: "Exchange an invite for a seat and a token",
    body: Type.Object(
      {
        invite: Text({ description: "the part of the link after `#invite=`" }),
        name: optional(Line(100, "the name that others see")),
      },
      { ...closed, examples: [{ invite: "plenaryi_...", name: "Ann" }] },
    ),
    answers: {
      201: {
        description: "The guest's credential.",
        schema: Type.Object({
          token: Type.String(),
          speakerUri: Type.String(),
          conversation: Type.String(),
          expiresAt: Time,
        }),
      },
    },
    problems: ["unauthorized", "refused", "unknown-conversation"],
  },
} as const satisfies Operations;
