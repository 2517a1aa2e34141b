import type { ChatMessage, Credential, Part, SchemaType } from "./client-message.ts";

export type UserMessageOptions = {
  id: string;
  conversationId: string;
  schemaType: SchemaType;
  messages: readonly ChatMessage[];
  userName?: string;
  /** Additional top-level keys for the workflow. They do not override keys of the protocol. */
  extras?: Readonly<Record<string, unknown>>;
};

/** In the exact shape of the toolkit, which silently drops a message with an unknown key in `content` or `user`. */
export function userMessage({ id, conversationId, schemaType, messages, userName, extras }: UserMessageOptions) {
  return {
    ...extras,
    type: "user_message",
    schema_type: schemaType,
    id,
    conversation_id: conversationId,
    content: { messages: messages.map(toMessage) },
    ...(userName !== undefined && { user: { name: userName } }),
  } as const;
}

export type UserInteractionOptions = {
  id: string;
  conversationId: string;
  texts: readonly string[];
  threadId?: string;
  parentId?: string;
};

/** The toolkit reads only the last text, so several are joined by commas. It closes the connection on a reply without text. */
export function userInteractionMessage(options: UserInteractionOptions) {
  const { id, conversationId, texts, threadId = "default", parentId = "default" } = options;
  return {
    type: "user_interaction_message",
    id,
    thread_id: threadId,
    parent_id: parentId,
    conversation_id: conversationId,
    content: { messages: [{ role: "user", content: [{ type: "text", text: texts.join(", ") }] }] },
  } as const;
}

export function authMessage(credential: Credential) {
  return { type: "auth_message", payload: { ...credential } } as const;
}

function toMessage({ role, parts }: ChatMessage) {
  return { role, content: parts.length === 0 ? [{ type: "text", text: "" } as const] : parts.map(toPart) };
}

function toPart(part: Part) {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text } as const;
    case "image_url":
      return { type: "image_url", image_url: { url: part.url } } as const;
    case "input_audio":
      return { type: "input_audio", input_audio: { data: part.data, format: part.format } } as const;
    // The toolkit has no video part, so the address becomes text.
    case "video_url":
      return { type: "text", text: /^https?:/iu.test(part.url) ? `Video: ${part.url}` : "(a video)" } as const;
  }
}
