import { exportFormats, exportKinds } from "@plenary/transcript";
import {
  body,
  count,
  done,
  flag,
  json,
  limit,
  type Operation,
  type Operations,
  object,
  query,
  readsAs,
  ref,
  text,
  uri,
} from "./parts.ts";

const title = { ...text, minLength: 1, maxLength: 200 };
const speakerUri = uri;
const reason = text;
const identification = {
  type: "object",
  required: ["speakerUri"],
  description: "As in a manifest. An empty text counts as absent.",
  properties: {
    speakerUri,
    serviceUrl: text,
    conversationalName: text,
    organization: text,
    synopsis: text,
    department: text,
    role: text,
    openFloorRoles: { type: "object", additionalProperties: flag },
  },
};

const command = (summary: string, properties: object, required: string[] = []): Operation => ({
  summary,
  requestBody: body({ type: "object", properties, required }, required.length > 0),
  responses: { 200: json("The conversation after the command.", ref("Conversation")) },
});

/** The host interface. */
export const conversationOperations = {
  "POST /api/v1/conversations": {
    summary: "Creates a conversation. Options are fields beside `owner`.",
    requestBody: body(
      object({
        id: text,
        owner: object({ identification }, ["identification"]),
        convener: { ...uri, description: "serviceUrl of the convener agent" },
        favoriteAgent: uri,
        parent: { ...text, description: "id of the parent conversation; this one is its sub-floor" },
        title,
        policy: { enum: ["guarded", "spec"] },
        floorEnforcement: { enum: ["table", "advisory"] },
        onConvenerFailure: { enum: ["open", "closed"] },
        guestsMay: {
          enum: ["speak", "moderate"],
          description: "`moderate`: guests may also remove and silence the owner's agents",
        },
        agentTimeoutMs: {
          ...count,
          minimum: 1,
          maximum: 86_400_000,
          description: "timeout for an agent's answer; default: the floor's",
        },
        newcomersSee: { enum: ["fromJoin", "everything"], description: "whether new conversants see earlier entries" },
        whisperAnswers: {
          enum: ["private", "asWritten"],
          default: "private",
          description:
            "a public answer to a private utterance becomes private to the sender of that utterance, or stays as written. Under the policy `spec` it always stays as written.",
        },
      }),
    ),
    responses: { 201: json("`{id, seq, conversation}`") },
  },
  "GET /api/v1/conversations": {
    summary: "Lists conversations by id: all for the operator, their own for other callers.",
    parameters: [
      query("after", "string", "continue after this id"),
      limit,
      query("speaker", "string", "only those that this conversant may see"),
      query("parent", "string", "only the sub-floors of this conversation"),
    ],
    responses: {
      200: json("`{conversations: [{id, title?, parent?, seq, startedAt, updatedAt, isClosed}], next}`"),
    },
  },
  "GET /api/v1/conversations/:id": {
    summary: "The current state of a conversation, or an earlier one.",
    parameters: [query("at", "integer", "the state after this entry of the log")],
    responses: { 200: json("The conversation.", ref("Conversation")) },
  },
  "GET /api/v1/conversations/:id/log": {
    summary:
      "The log, in order and without gaps. An entry that the reader may not see is `{seq, kind: hidden}`; for owner and operator a hidden whisper has `{whisper: {at, from, to}}`. `trace` is the W3C trace id of the entry's turn.",
    parameters: [
      query("after", "integer", "continue after this entry; `next` of the previous response"),
      limit,
      query(
        "view",
        "string",
        "`brief`: `received` entries without events, because each event has its own entry, and no `trace`",
      ),
      readsAs,
    ],
    responses: { 200: json("`{entries, next}`") },
  },
  "GET /api/v1/conversations/:id/export": {
    summary:
      "Exports the conversation as the reader sees it in the log. `jsonl`: a header, then all entries. Other formats: at most the last 20,000 entries.",
    parameters: [
      { ...query("format", "string", "the file format"), required: true, schema: { enum: exportFormats } },
      readsAs,
    ],
    responses: {
      200: {
        description: "The file.",
        content: Object.fromEntries(Object.values(exportKinds).map(({ mimeType }) => [mimeType, { schema: text }])),
      },
    },
  },
  "POST /api/v1/conversations/:id/close": command("Closes the conversation: all conversants are uninvited.", {
    reason,
  }),
  "POST /api/v1/conversations/:id/title": command("Sets the title, or removes it when `title` is null or absent.", {
    title: { ...title, type: ["string", "null"] },
  }),
  "POST /api/v1/conversations/:id/pause": command(
    "Pauses the agents: running answers are cancelled without effect. For every person in the conversation. The next utterance of a person resumes the agents.",
    {},
  ),
  "POST /api/v1/conversations/:id/resume": command("Resumes paused agents. For every person in the conversation.", {}),
  "POST /api/v1/conversations/:id/convener": command(
    "Assigns the role of convener, or removes it when the body has neither field; other fields are refused. An agent at `serviceUrl` that is not a conversant is invited, and the current convener keeps the role until it has joined. A newer assignment replaces a pending one.",
    { speakerUri: { ...uri, type: ["string", "null"] }, serviceUrl: uri },
  ),
  "POST /api/v1/conversations/:id/role": command(
    "Assigns a further role such as `archivist` to a joined conversant, or removes it (`assigned: false`). Several conversants may have the same role; a conversant that leaves loses its roles.",
    { role: { ...text, pattern: "^[A-Za-z][A-Za-z0-9_-]{0,63}$" }, speakerUri, assigned: flag },
    ["role", "speakerUri"],
  ),
  "POST /api/v1/conversations/:id/remove": command("Removes a conversant.", { speakerUri, reason }, ["speakerUri"]),
  "POST /api/v1/conversations/:id/seat": command(
    "Seats a person, or an agent that is not invited by address. An owner can use relay addresses of this floor only.",
    { identification, kind: { enum: ["person", "agent"] } },
    ["identification"],
  ),
  "POST /api/v1/conversations/:id/rebind": command(
    "Changes the trusted address of a speaker: by the operator for all conversations, by an owner for this one.",
    { speakerUri, serviceUrl: uri },
    ["speakerUri", "serviceUrl"],
  ),
  "POST /api/v1/conversations/:id/move": command(
    "Decides on an agent in `moves`, which answered from another address than its trusted one. `allow: true` binds it to the new address (by the operator for all conversations, by an owner for this one) and invites it there again; `allow: false` rejects the new address.",
    { speakerUri, allow: flag },
    ["speakerUri", "allow"],
  ),
  "POST /api/v1/conversations/:id/reveal": command(
    "Shows a conversant the public entries before it joined, from entry `from` on.",
    { speakerUri, from: { ...count, minimum: 1, default: 1 } },
    ["speakerUri"],
  ),
  "POST /api/v1/conversations/:id/erase": command(
    "Erases the content of an entry. The entry itself stays, and `plenary verify` still succeeds.",
    { seq: { ...count, minimum: 1 } },
    ["seq"],
  ),
  "GET /api/v1/conversations/:id/links": {
    summary: "Lists the invite links of a conversation.",
    responses: { 200: json("`{links: [{id, label, usesLeft, createdAt, expiresAt, revokedAt}]}`") },
  },
  "POST /api/v1/conversations/:id/links": {
    summary: "Creates an invite link for guests. The link is shown once.",
    requestBody: body(
      object({
        label: text,
        uses: { ...count, minimum: 1, maximum: 100, default: 1 },
        expiresInS: { ...count, minimum: 60, maximum: 86_400, default: 86_400 },
        speakerUri: { ...uri, description: "the speakerUri of the guest; by default each guest gets its own" },
      }),
      false,
    ),
    responses: { 201: json("`{id, link, conversation, usesLeft, expiresAt}`") },
  },
  "DELETE /api/v1/conversations/:id/links/:link": {
    summary: "Revokes a link. Its guests lose access.",
    responses: { 204: done },
  },
  "POST /api/v1/guests": {
    summary: "Exchanges an invite (the part of the link after `#invite=`) for a seat and a token.",
    requestBody: body(object({ invite: text, name: { ...text, maxLength: 100 } }, ["invite"])),
    responses: { 201: json("`{token, speakerUri, conversation, expiresAt}`") },
  },
} satisfies Operations;
