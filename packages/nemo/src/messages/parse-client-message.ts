import { isRecord, readJson } from "@plenary/protocol";
import { clipText } from "../format-text.ts";
import type {
  ChatMessage,
  ClientMessage,
  Credential,
  SchemaType,
  UserInteractionMessage,
  UserMessage,
} from "./client-message.ts";
import { placeholderValue, readPayload, readSecurity } from "./credential.ts";
import { invalidData, isParseFailure, type ParseFailure, parseFailure, unreadable } from "./error-content.ts";
import { isEmpty, lastOfUser, readMessages } from "./message-parts.ts";
import type { ErrorContent } from "./server-message.ts";

export type ParsedClientMessage =
  | { ok: true; message: ClientMessage }
  /** The ids for the answer, as far as they are valid. */
  | { ok: false; error: ErrorContent; conversationId?: string; id?: string };

const idLengthMax = 500;
const nameLengthMax = 100;
const addresseeLengthMax = 2_000;
const schemaTypes: readonly string[] = ["generate", "generate_stream", "chat", "chat_stream"];
const defaultId = "default";

/** Parses a message of a client, in every notation of the published page, the toolkit and its client. Never throws. */
export function parseClientMessage(text: string): ParsedClientMessage {
  const json = readJson(text);
  if (!json.ok) return { ok: false, error: unreadable(json.issues) };
  const { value } = json;
  if (!isRecord(value)) {
    const { error } = parseFailure("invalid_message", "The message is JSON but not an object; send one JSON object.");
    return { ok: false, error };
  }
  const message = readMessage(value);
  if (!isParseFailure(message)) return { ok: true, message };
  return { ok: false, error: message.error, ...idsIn(value) };
}

function readMessage(value: Record<string, unknown>): ClientMessage | ParseFailure {
  switch (value.type) {
    case "user_message":
      return readUserMessage(value);
    case "user_interaction_message":
      return readInteractionMessage(value);
    case "auth_message": {
      const credential = readPayload(value.payload);
      return isParseFailure(credential) ? credential : { type: "auth_message", credential };
    }
    default: {
      const isOurs = typeof value.type === "string" && /^(?:system|error|observability|auth)_/u.test(value.type);
      const problem = isOurs
        ? "type is that of a message from a server"
        : value.type === undefined
          ? "type is missing"
          : "type is unknown";
      const details = `${problem}; a client sends user_message, user_interaction_message or auth_message.`;
      return parseFailure("invalid_message_type", details);
    }
  }
}

function readUserMessage(value: Record<string, unknown>): UserMessage | ParseFailure {
  const common = readCommon(value);
  if (isParseFailure(common)) return common;
  const isSaid =
    value.schema_type !== undefined && value.schema_type !== null && value.schema_type !== placeholderValue;
  const schemaType = isSaid ? value.schema_type : "chat_stream";
  if (!isSchemaType(schemaType)) {
    return invalidData(`schema_type is none of ${schemaTypes.join(", ")}; use one of them.`);
  }
  const messages = readContent(value);
  if (isParseFailure(messages)) return messages;
  const parts = lastOfUser(messages);
  if (isEmpty(parts)) return sayNothing("text, an image, a sound or a video");
  const extension = readExtension(value);
  if (isParseFailure(extension)) return extension;
  const userName = nameIn(value.user);
  return {
    type: "user_message",
    schemaType,
    ...common,
    messages,
    parts,
    ...(userName !== undefined && { userName }),
    ...extension,
  };
}

function readInteractionMessage(value: Record<string, unknown>): UserInteractionMessage | ParseFailure {
  const common = readCommon(value);
  if (isParseFailure(common)) return common;
  const messages = readContent(value);
  if (isParseFailure(messages)) return messages;
  const texts = lastOfUser(messages).flatMap((part) => (part.type === "text" ? [part.text] : []));
  // An empty text is a valid answer: not every prompt requires a text.
  if (texts.length === 0) return sayNothing("text");
  return { type: "user_interaction_message", ...common, texts };
}

function readContent(value: Record<string, unknown>): ChatMessage[] | ParseFailure {
  const place = value.content === undefined ? "messages" : "content";
  return readMessages(value[place], place);
}

function sayNothing(what: string): ParseFailure {
  const details = `content.messages has no message of role user with ${what}; put what the person says there.`;
  return parseFailure("invalid_user_message_content", details);
}

function isSchemaType(value: unknown): value is SchemaType {
  return typeof value === "string" && schemaTypes.includes(value);
}

type Common = { id: string; conversationId?: string; credential?: Credential };

function readCommon(value: Record<string, unknown>): Common | ParseFailure {
  const id = readId(value.id, "id");
  if (isParseFailure(id)) return id;
  const conversationId = readId(value.conversation_id, "conversation_id");
  if (isParseFailure(conversationId)) return conversationId;
  const credential = readSecurity(value.security);
  if (isParseFailure(credential)) return credential;
  return {
    id: id ?? defaultId,
    ...(conversationId !== undefined && { conversationId }),
    ...(credential !== undefined && { credential }),
  };
}

function readId(value: unknown, place: string): string | undefined | ParseFailure {
  if (value === undefined || value === null || value === "") return undefined;
  const id = typeof value === "number" ? String(value) : value;
  if (typeof id === "string" && id.length <= idLengthMax) return id;
  return invalidData(`${place} is not a text of at most ${idLengthMax} characters; send a short string.`);
}

function idsIn(value: Record<string, unknown>): { conversationId?: string; id?: string } {
  const id = readId(value.id, "id");
  const conversationId = readId(value.conversation_id, "conversation_id");
  return {
    ...(typeof id === "string" && { id }),
    ...(typeof conversationId === "string" && { conversationId }),
  };
}

/** Our extension: `to` and `private`. An invalid `private` is an error, so that a private message never becomes public. */
export function readExtension(value: Record<string, unknown>): { to?: string; isPrivate: boolean } | ParseFailure {
  const to = addresseeIn(value.to);
  if (isParseFailure(to)) return to;
  const wish = value.private ?? false;
  const isPrivate = wish === true || wish === "true";
  if (!isPrivate && wish !== false && wish !== "false" && wish !== "") {
    return invalidData("private is neither true nor false; send one of the two.");
  }
  return { isPrivate, ...(to !== undefined && { to }) };
}

function addresseeIn(value: unknown): string | undefined | ParseFailure {
  if (value === undefined || value === null || value === "") return undefined;
  const to = isRecord(value) ? (value.speakerUri ?? value.serviceUrl ?? value.name) : value;
  if (typeof to === "string" && to !== "" && to.length <= addresseeLengthMax) return to;
  const details = `to is neither a name nor {speakerUri} of at most ${addresseeLengthMax} characters; send one of the two.`;
  return invalidData(details);
}

/** One line with visible characters, or undefined. */
export function nameIn(user: unknown): string | undefined {
  const name = isRecord(user) ? user.name : user;
  if (typeof name !== "string") return undefined;
  const line = name.replace(/[\p{Cc}\p{Cs}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").trim();
  return /[\p{L}\p{N}\p{P}\p{S}]/u.test(line) ? clipText(line, nameLengthMax, "").trim() : undefined;
}
