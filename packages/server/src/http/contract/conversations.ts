import { exportFormats, exportKinds } from "@plenary/transcript";
import {
  body,
  command,
  id,
  identification,
  json,
  type Paths,
  problem,
  query,
  readsAs,
  reason,
  speakerUri,
} from "./parts.ts";

const title = { type: ["string", "null"], minLength: 1, maxLength: 200 };

/** The host interface. */
export const conversationPaths: Paths = {
  "/api/v1/conversations": {
    post: {
      summary: "Begins a conversation. Its options are fields beside `owner`.",
      requestBody: body({
        type: "object",
        properties: {
          id: { type: "string" },
          owner: { type: "object", required: ["identification"], properties: { identification } },
          convener: { type: "string", format: "uri", description: "serviceUrl of the agent that is to convene" },
          favoriteAgent: { type: "string", format: "uri" },
          parent: { type: "string", description: "id of the conversation that this one serves, as its sub-floor" },
          title: { type: "string", minLength: 1, maxLength: 200 },
          policy: { enum: ["guarded", "spec"] },
          floorEnforcement: { enum: ["table", "advisory"] },
          onConvenerFailure: { enum: ["open", "closed"] },
          guestsMay: {
            enum: ["speak", "moderate"],
            description: "`moderate`: guests may also remove and silence agents that the owner brought",
          },
          agentTimeoutMs: {
            ...{ type: "integer", minimum: 1, maximum: 86_400_000 },
            description:
              "how long an agent may think before it counts as not answering; else as long as the floor waits",
          },
          newcomersSee: { enum: ["fromJoin", "everything"], description: "whether those who come later see the past" },
          whisperAnswers: {
            enum: ["private", "asWritten"],
            default: "private",
            description:
              "what becomes of a public answer to a private utterance: it is made private to the one who whispered, or taken as it is written. Under the policy `spec` it is always taken as it is written.",
          },
        },
      }),
      responses: { 201: json("`{id, seq, conversation}`"), default: problem },
    },
    get: {
      summary: "Conversations by id: all of them for the operator, its own for everybody else.",
      parameters: [
        query("after", "string", "continue after this id"),
        query("limit", "integer", "1 to 1000, default 100"),
        query("speaker", "string", "only those in which this conversant may see something"),
        query("parent", "string", "only the sub-floors of this conversation"),
      ],
      responses: {
        200: json("`{conversations: [{id, title?, parent?, seq, startedAt, updatedAt, isClosed}], next}`"),
        default: problem,
      },
    },
  },
  "/api/v1/conversations/{id}": {
    get: {
      summary: "A conversation as it is, or as it was.",
      parameters: [id, query("at", "integer", "after this entry of the log")],
      responses: { 200: json("", { $ref: "#/components/schemas/Conversation" }), default: problem },
    },
  },
  "/api/v1/conversations/{id}/log": {
    get: {
      summary:
        "Everything that happened, in order and without gaps; what the reader may not see is `{seq, kind: hidden}`; owner and operator also see that there was a whisper, as `{whisper: {at, from, to}}`. `trace` is the W3C trace id of the entry's turn.",
      parameters: [
        id,
        query("after", "integer", "continue after this entry; `next` of the last answer"),
        query("limit", "integer", "1 to 1000, default 100"),
        query(
          "view",
          "string",
          "`brief`: `received` without its events, each of which follows as an entry, and nothing with its `trace`",
        ),
        readsAs,
      ],
      responses: { 200: json("`{entries, next}`"), default: problem },
    },
  },
  "/api/v1/conversations/{id}/export": {
    get: {
      summary:
        "The conversation to take away, as the reader sees it in the log. `jsonl`: a header, then every entry; the others tell the last 20,000 entries.",
      parameters: [
        id,
        { ...query("format", "string", "what to write"), required: true, schema: { enum: exportFormats } },
        readsAs,
      ],
      responses: {
        200: {
          description: "The whole file.",
          content: Object.fromEntries(
            Object.values(exportKinds).map(({ mimeType }) => [mimeType, { schema: { type: "string" } }]),
          ),
        },
        default: problem,
      },
    },
  },
  "/api/v1/conversations/{id}/close": { post: command("Ends it: everyone is uninvited.", { reason }) },
  "/api/v1/conversations/{id}/title": {
    post: command("Says what it is called; without a title it is called nothing.", { title }),
  },
  "/api/v1/conversations/{id}/pause": {
    post: command(
      "Stops the agents: what they are at work on is cut short and has no effect. For every person who is here; the next word of one lets them go on.",
      {},
    ),
  },
  "/api/v1/conversations/{id}/resume": {
    post: command("Lets agents that were paused go on. For every person who is here.", {}),
  },
  "/api/v1/conversations/{id}/convener": {
    post: command(
      "Gives the role of convener, or takes it away when nobody is named; any other field is refused. An agent at `serviceUrl` that is not here is invited, and the convener before keeps the role until it has joined; the newest choice is the only one.",
      { speakerUri: { type: ["string", "null"], format: "uri" }, serviceUrl: { type: "string", format: "uri" } },
    ),
  },
  "/api/v1/conversations/{id}/role": {
    post: command(
      "Gives a conversant that has joined a role beside owner and convener, such as `archivist`, or takes it away (`assigned: false`). Several may have the same role; a conversant that leaves loses its roles.",
      { role: { type: "string", pattern: "^[A-Za-z][A-Za-z0-9_-]{0,63}$" }, speakerUri, assigned: { type: "boolean" } },
      ["role", "speakerUri"],
    ),
  },
  "/api/v1/conversations/{id}/remove": {
    post: command("Removes a conversant.", { speakerUri, reason }, ["speakerUri"]),
  },
  "/api/v1/conversations/{id}/seat": {
    post: command(
      "Seats a person, or an agent that is not invited by address; an owner seats at relay addresses of this floor only.",
      {
        identification,
        kind: { enum: ["person", "agent"] },
      },
      ["identification"],
    ),
  },
  "/api/v1/conversations/{id}/rebind": {
    post: command(
      "Says where a speaker is from now on, after it joined from another address before. The operator says it for every conversation, an owner for this one.",
      { speakerUri, serviceUrl: { type: "string", format: "uri" } },
      ["speakerUri", "serviceUrl"],
    ),
  },
  "/api/v1/conversations/{id}/move": {
    post: command(
      "Answers an agent of `moves` that answers from another address than the one it is trusted at. `allow: true` binds it to the new address (the operator for every conversation, an owner for this one) and invites it there again; `allow: false` leaves it out.",
      { speakerUri, allow: { type: "boolean" } },
      ["speakerUri", "allow"],
    ),
  },
  "/api/v1/conversations/{id}/reveal": {
    post: command(
      "Lets a conversant read what was said to everyone before it came, from an entry on.",
      { speakerUri, from: { type: "integer", minimum: 1, default: 1 } },
      ["speakerUri"],
    ),
  },
  "/api/v1/conversations/{id}/erase": {
    post: command(
      "Forgets what was said in an entry. That something was said there stays, and `plenary verify` still holds.",
      { seq: { type: "integer", minimum: 1 } },
      ["seq"],
    ),
  },
  "/api/v1/conversations/{id}/links": {
    get: {
      summary: "The links by which guests may come in.",
      parameters: [id],
      responses: { 200: json("`{links: [{id, label, usesLeft, createdAt, expiresAt, revokedAt}]}`"), default: problem },
    },
    post: {
      summary: "A link that lets guests in. It is shown once.",
      parameters: [id],
      requestBody: body(
        {
          type: "object",
          properties: {
            label: { type: "string" },
            uses: { type: "integer", minimum: 1, maximum: 100, default: 1 },
            expiresInS: { type: "integer", minimum: 60, maximum: 86_400, default: 86_400 },
            speakerUri: {
              ...speakerUri,
              description: "who comes by it; each guest gets a name of its own when absent",
            },
          },
        },
        false,
      ),
      responses: { 201: json("`{id, link, conversation, usesLeft, expiresAt}`"), default: problem },
    },
  },
  "/api/v1/conversations/{id}/links/{link}": {
    delete: {
      summary: "Revokes a link. The guests who came by it lose access.",
      parameters: [id, { ...id, name: "link" }],
      responses: { 204: { description: "done" }, default: problem },
    },
  },
  "/api/v1/guests": {
    post: {
      summary: "Exchanges an invite link, what stands behind `#invite=`, for a seat and a token.",
      security: [],
      requestBody: body({
        type: "object",
        required: ["invite"],
        properties: { invite: { type: "string" }, name: { type: "string", maxLength: 100 } },
      }),
      responses: { 201: json("`{token, speakerUri, conversation, expiresAt}`"), default: problem },
    },
  },
};
