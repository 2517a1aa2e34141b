import * as Type from "typebox";
import type { Operations } from "../operation.ts";
import { Choice, Line, Time, Uri } from "../text-shapes.ts";

const closed = { additionalProperties: false };
const optional = Type.Optional;
const Word = Type.String();

export const identityOperations = {
  "POST /api/v1/tickets": {
    id: "createTicket",
    tag: "identity",
    access: "credential",
    summary: "Create a ticket that opens one WebSocket",
    description:
      "Within 30 seconds: `/openfloor/ws?speaker=URI&ticket=TICKET`. For browsers, whose sockets send no token.",
    body: Type.Object(
      { speaker: optional(Uri("the speaker of the socket")) },
      { ...closed, examples: [{ speaker: "tag:ann.example,2026:ann" }] },
    ),
    isBodyOptional: true,
    answers: { 201: { description: "The ticket.", schema: Type.Object({ ticket: Word, expiresAt: Time }) } },
  },
  "GET /api/v1/me": {
    id: "getMe",
    tag: "identity",
    access: "credential",
    summary: "Read the caller's identity and the floor's identity",
    answers: {
      200: {
        description: "`speakers` is `anyone` for the operator. `conversations`: the only ones of a guest.",
        schema: Type.Object(
          {
            kind: Choice(["operator", "person", "agent", "guest", "recipient"]),
            speakers: Type.Union([Type.Literal("anyone"), Type.Array(Word)]),
            scopes: Type.Array(Word, { description: "`host`: may create conversations" }),
            conversations: optional(Type.Array(Word)),
            label: optional(Word),
            expiresAt: optional(Time),
            floor: Type.Object({ speakerUri: Word, serviceUrl: Word }),
          },
          { $id: "Me" },
        ),
      },
    },
  },
  "POST /api/v1/sessions": {
    id: "createSession",
    tag: "identity",
    access: "operator",
    summary: "Exchange the operator's token for a page token of one person",
    description: "Valid for 30 days. Above 100 page tokens the oldest is revoked.",
    body: Type.Object(
      {
        name: optional(Line(100, "the name that others see")),
        speakerUri: optional(Uri("default: the host's person")),
      },
      { ...closed, examples: [{ name: "Ann" }] },
    ),
    isBodyOptional: true,
    answers: {
      201: {
        description: "The page token.",
        schema: Type.Object({ token: Word, speakerUri: Word, name: optional(Word), expiresAt: Time }),
      },
    },
  },
  "DELETE /api/v1/sessions": {
    id: "endSession",
    tag: "identity",
    access: "credential",
    summary: "Revoke the page token or guest token of the request",
    answers: { 204: { description: "Done." } },
    problems: ["refused"],
  },
  "GET /login": {
    id: "login",
    tag: "identity",
    access: "anyone",
    summary: "Redirect the browser to the OpenID provider",
    description: "If one is configured.",
    query: Type.Object({ return: optional(Type.String({ description: "the path to return to" })) }),
    answers: { 302: { description: "Redirect to the provider." } },
    problems: ["not-found"],
  },
  "GET /login/callback": {
    id: "finishLogin",
    tag: "identity",
    access: "anyone",
    summary: "The redirect target of the provider",
    description: "Sets the session cookie.",
    answers: { 302: { description: "Redirect to the page." } },
    problems: ["unauthorized", "forbidden", "not-found"],
  },
  "POST /logout": {
    id: "logout",
    tag: "identity",
    access: "anyone",
    summary: "End the session of the cookie",
    answers: { 204: { description: "Done." } },
    problems: ["forbidden", "not-found"],
  },
} as const satisfies Operations;
