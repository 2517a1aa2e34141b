import { isRecord, readJson } from "@plenary/protocol";
import { clipped } from "../format-text.ts";
import type {
  ChatMessage,
  ClientMessage,
  Credential,
  SchemaType,
  UserInteractionMessage,
  UserMessage,
} from "./client-message.ts";
import { readPayload, readSecurity, unsaid } from "./credential.ts";
import { type Fault, fault, isFault, unreadable } from "./error-content.ts";
import { isEmpty, lastOfUser, readMessages } from "./message-parts.ts";
import type { ErrorContent } from "./server-message.ts";

export type ClientSaid =
  | { ok: true; message: ClientMessage }
  /** The ids as far as they could be read, for the answer. */
  | { ok: false; error: ErrorContent; conversationId?: string; id?: string };

const idLengthMax = 500;
const nameLengthMax = 100;
const addresseeLengthMax = 2_000;
const schemaTypes: readonly string[] = ["generate", "generate_stream", "chat", "chat_stream"];
const defaultId = "default";

/** Text -> what a client says, in every notation of the page, of the toolkit and of its client. Never throws. */
export function parseClientMessage(text: string): ClientSaid {
  const json = readJson(text);
  if (!json.ok) return { ok: false, error: unreadable(json.issues) };
  const { value } = json;
  if (!isRecord(value)) {
    const { fault: error } = fault("invalid_message", "The message is JSON but no object; send one JSON object.");
    return { ok: false, error };
  }
  const message = readMessage(value);
  if (!isFault(message)) return { ok: true, message };
  return { ok: false, error: message.fault, ...idsIn(value) };
}

function readMessage(value: Record<string, unknown>): ClientMessage | Fault {
  switch (value.type) {
    case "user_message":
      return readUserMessage(value);
    case "user_interaction_message":
      return readInteractionMessage(value);
    case "auth_message": {
      const credential = readPayload(value.payload);
      return isFault(credential) ? credential : { type: "auth_message", credential };
    }
    default: {
      const isOurs = typeof value.type === "string" && /^(?:system|error|observability|auth)_/u.test(value.type);
      const problem = isOurs
        ? "type is that of a message from a server"
        : value.type === undefined
          ? "type is missing"
          : "type is not known";
      const details = `${problem}; a client sends user_message, user_interaction_message or auth_message.`;
      return fault("invalid_message_type", details);
    }
  }
}

function readUserMessage(value: Record<string, unknown>): UserMessage | Fault {
  const common = readCommon(value);
  if (isFault(common)) return common;
  const isSaid = value.schema_type !== undefined && value.schema_type !== null && value.schema_type !== unsaid;
  const schemaType = isSaid ? value.schema_type : "chat_stream";
  if (!isSchemaType(schemaType)) {
    return fault("invalid_data_content", `schema_type is none of ${schemaTypes.join(", ")}; use one of them.`);
  }
  const messages = readContent(value);
  if (isFault(messages)) return messages;
  const parts = lastOfUser(messages);
  if (isEmpty(parts)) return sayNothing("text, an image, a sound or a video");
  const extension = readExtension(value);
  if (isFault(extension)) return extension;
  const userName = nameIn(value.user);
  return {
    type: "user_message",
    schemaType,
    ...common,
    ...{ messages, parts },
    ...(userName !== undefined && { userName }),
    ...extension,
  };
}

function readInteractionMessage(value: Record<string, unknown>): UserInteractionMessage | Fault {
  const common = readCommon(value);
  if (isFault(common)) return common;
  const messages = readContent(value);
  if (isFault(messages)) return messages;
  const texts = lastOfUser(messages).flatMap((part) => (part.type === "text" ? [part.text] : []));
  // An empty text is an answer: not every question requires words.
  if (texts.length === 0) return sayNothing("text");
  return { type: "user_interaction_message", ...common, texts };
}

function readContent(value: Record<string, unknown>): ChatMessage[] | Fault {
  const place = value.content === undefined ? "messages" : "content";
  return readMessages(value[place], place);
}

function sayNothing(what: string): Fault {
  const details = `content.messages has no message of role user with ${what}; put what the person says there.`;
  return fault("invalid_user_message_content", details);
}

function isSchemaType(value: unknown): value is SchemaType {
  return typeof value === "string" && schemaTypes.includes(value);
}

type Common = { id: string; conversationId?: string; credential?: Credential };

function readCommon(value: Record<string, unknown>): Common | Fault {
  const id = readId(value.id, "id");
  if (isFault(id)) return id;
  const conversationId = readId(value.conversation_id, "conversation_id");
  if (isFault(conversationId)) return conversationId;
  const credential = readSecurity(value.security);
  if (isFault(credential)) return credential;
  return {
    id: id ?? defaultId,
    ...(conversationId !== undefined && { conversationId }),
    ...(credential !== undefined && { credential }),
  };
}

function readId(value: unknown, place: string): string | undefined | Fault {
  if (value === undefined || value === null || value === "") return undefined;
  const id = typeof value === "number" ? String(value) : value;
  if (typeof id === "string" && id.length <= idLengthMax) return id;
  return fault(
    "invalid_data_content",
    `${place} is not a text of at most ${idLengthMax} characters; send a short string.`,
  );
}

function idsIn(value: Record<string, unknown>): { conversationId?: string; id?: string } {
  const id = readId(value.id, "id");
  const conversationId = readId(value.conversation_id, "conversation_id");
  return {
    ...(typeof id === "string" && { id }),
    ...(typeof conversationId === "string" && { conversationId }),
  };
}

/** Ours: `to` and `private`. A whisper that is not understood must not become public. */
export function readExtension(value: Record<string, unknown>): { to?: string; isPrivate: boolean } | Fault {
  const to = addresseeIn(value.to);
  if (isFault(to)) return to;
  const wish = value.private ?? false;
  const isPrivate = wish === true || wish === "true";
  if (!isPrivate && wish !== false && wish !== "false" && wish !== "") {
    return fault("invalid_data_content", "private is neither true nor false; send one of the two.");
  }
  return { isPrivate, ...(to !== undefined && { to }) };
}

function addresseeIn(value: unknown): string | undefined | Fault {
  if (value === undefined || value === null || value === "") return undefined;
  const to = isRecord(value) ? (value.speakerUri ?? value.serviceUrl ?? value.name) : value;
  if (typeof to === "string" && to !== "" && to.length <= addresseeLengthMax) return to;
  const details = `to is neither a name nor {speakerUri} of at most ${addresseeLengthMax} characters; send one of the two.`;
  return fault("invalid_data_content", details);
}

/** One line that can be seen, or it is none. */
export function nameIn(user: unknown): string | undefined {
  const name = isRecord(user) ? user.name : user;
  if (typeof name !== "string") return undefined;
  const line = name.replace(/[\p{Cc}\p{Cs}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").trim();
  return /[\p{L}\p{N}\p{P}\p{S}]/u.test(line) ? clipped(line, nameLengthMax, "").trim() : undefined;
}
