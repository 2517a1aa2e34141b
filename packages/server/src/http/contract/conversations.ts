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
      summary: "Creates a conversation. Options are fields beside `owner`.",
      requestBody: body({
        type: "object",
        properties: {
          id: { type: "string" },
          owner: { type: "object", required: ["identification"], properties: { identification } },
          convener: { type: "string", format: "uri", description: "serviceUrl of the convener agent" },
          favoriteAgent: { type: "string", format: "uri" },
          parent: { type: "string", description: "id of the parent conversation; this one is its sub-floor" },
          title: { type: "string", minLength: 1, maxLength: 200 },
          policy: { enum: ["guarded", "spec"] },
          floorEnforcement: { enum: ["table", "advisory"] },
          onConvenerFailure: { enum: ["open", "closed"] },
          guestsMay: {
            enum: ["speak", "moderate"],
            description: "`moderate`: guests may also remove and silence the owner's agents",
          },
          agentTimeoutMs: {
            type: "integer",
            minimum: 1,
            maximum: 86_400_000,
            description: "timeout for an agent's answer; default: the floor's",
          },
          newcomersSee: {
            enum: ["fromJoin", "everything"],
            description: "whether new conversants see earlier entries",
          },
          whisperAnswers: {
            enum: ["private", "asWritten"],
            default: "private",
            description:
              "a public answer to a private utterance becomes private to the sender of that utterance, or stays as written. Under the policy `spec` it always stays as written.",
          },
        },
      }),
      responses: { 201: json("`{id, seq, conversation}`"), default: problem },
    },
    get: {
      summary: "Lists conversations by id: all for the operator, their own for other callers.",
      parameters: [
        query("after", "string", "continue after this id"),
        query("limit", "integer", "1 to 1000, default 100"),
        query("speaker", "string", "only those that this conversant may see"),
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
      summary: "The current state of a conversation, or an earlier one.",
      parameters: [id, query("at", "integer", "the state after this entry of the log")],
      responses: { 200: json("The conversation.", { $ref: "#/components/schemas/Conversation" }), default: problem },
    },
  },
  "/api/v1/conversations/{id}/log": {
    get: {
      summary:
        "The log, in order and without gaps. An entry that the reader may not see is `{seq, kind: hidden}`; for owner and operator a hidden whisper has `{whisper: {at, from, to}}`. `trace` is the W3C trace id of the entry's turn.",
      parameters: [
        id,
        query("after", "integer", "continue after this entry; `next` of the previous response"),
        query("limit", "integer", "1 to 1000, default 100"),
        query(
          "view",
          "string",
          "`brief`: `received` entries without events, because each event has its own entry, and no `trace`",
        ),
        readsAs,
      ],
      responses: { 200: json("`{entries, next}`"), default: problem },
    },
  },
  "/api/v1/conversations/{id}/export": {
    get: {
      summary:
        "Exports the conversation as the reader sees it in the log. `jsonl`: a header, then all entries. Other formats: at most the last 20,000 entries.",
      parameters: [
        id,
        { ...query("format", "string", "the file format"), required: true, schema: { enum: exportFormats } },
        readsAs,
      ],
      responses: {
        200: {
          description: "The file.",
          content: Object.fromEntries(
            Object.values(exportKinds).map(({ mimeType }) => [mimeType, { schema: { type: "string" } }]),
          ),
        },
        default: problem,
      },
    },
  },
  "/api/v1/conversations/{id}/close": {
    post: command("Closes the conversation: all conversants are uninvited.", { reason }),
  },
  "/api/v1/conversations/{id}/title": {
    post: command("Sets the title, or removes it when `title` is null or absent.", { title }),
  },
  "/api/v1/conversations/{id}/pause": {
    post: command(
      "Pauses the agents: running answers are cancelled without effect. For every person in the conversation. The next utterance of a person resumes the agents.",
      {},
    ),
  },
  "/api/v1/conversations/{id}/resume": {
    post: command("Resumes paused agents. For every person in the conversation.", {}),
  },
  "/api/v1/conversations/{id}/convener": {
    post: command(
      "Assigns the role of convener, or removes it when the body has neither field; other fields are refused. An agent at `serviceUrl` that is not a conversant is invited, and the current convener keeps the role until it has joined. A newer assignment replaces a pending one.",
      { speakerUri: { type: ["string", "null"], format: "uri" }, serviceUrl: { type: "string", format: "uri" } },
    ),
  },
  "/api/v1/conversations/{id}/role": {
    post: command(
      "Assigns a further role such as `archivist` to a joined conversant, or removes it (`assigned: false`). Several conversants may have the same role; a conversant that leaves loses its roles.",
      { role: { type: "string", pattern: "^[A-Za-z][A-Za-z0-9_-]{0,63}$" }, speakerUri, assigned: { type: "boolean" } },
      ["role", "speakerUri"],
    ),
  },
  "/api/v1/conversations/{id}/remove": {
    post: command("Removes a conversant.", { speakerUri, reason }, ["speakerUri"]),
  },
  "/api/v1/conversations/{id}/seat": {
    post: command(
      "Seats a person, or an agent that is not invited by address. An owner can use relay addresses of this floor only.",
      {
        identification,
        kind: { enum: ["person", "agent"] },
      },
      ["identification"],
    ),
  },
  "/api/v1/conversations/{id}/rebind": {
    post: command(
      "Changes the trusted address of a speaker: by the operator for all conversations, by an owner for this one.",
      { speakerUri, serviceUrl: { type: "string", format: "uri" } },
      ["speakerUri", "serviceUrl"],
    ),
  },
  "/api/v1/conversations/{id}/move": {
    post: command(
      "Decides on an agent in `moves`, which answered from another address than its trusted one. `allow: true` binds it to the new address (by the operator for all conversations, by an owner for this one) and invites it there again; `allow: false` rejects the new address.",
      { speakerUri, allow: { type: "boolean" } },
      ["speakerUri", "allow"],
    ),
  },
  "/api/v1/conversations/{id}/reveal": {
    post: command(
      "Shows a conversant the public entries before it joined, from entry `from` on.",
      { speakerUri, from: { type: "integer", minimum: 1, default: 1 } },
      ["speakerUri"],
    ),
  },
  "/api/v1/conversations/{id}/erase": {
    post: command(
      "Erases the content of an entry. The entry itself stays, and `plenary verify` still succeeds.",
      { seq: { type: "integer", minimum: 1 } },
      ["seq"],
    ),
  },
  "/api/v1/conversations/{id}/links": {
    get: {
      summary: "Lists the invite links of a conversation.",
      parameters: [id],
      responses: { 200: json("`{links: [{id, label, usesLeft, createdAt, expiresAt, revokedAt}]}`"), default: problem },
    },
    post: {
      summary: "Creates an invite link for guests. The link is shown once.",
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
              description: "the speakerUri of the guest; by default each guest gets its own",
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
      summary: "Revokes a link. Its guests lose access.",
      parameters: [id, { ...id, name: "link" }],
      responses: { 204: { description: "Done." }, default: problem },
    },
  },
  "/api/v1/guests": {
    post: {
      summary: "Exchanges an invite (the part of the link after `#invite=`) for a seat and a token.",
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
