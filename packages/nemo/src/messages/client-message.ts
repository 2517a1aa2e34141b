/** A parsed message of a client, in one normal form for all notations. */
export type ClientMessage = UserMessage | UserInteractionMessage | AuthMessage;

export type SchemaType = "generate" | "generate_stream" | "chat" | "chat_stream";

export type Part =
  | { type: "text"; text: string }
  | { type: "image_url"; url: string }
  | { type: "input_audio"; data: string; format: string }
  | { type: "video_url"; url: string };

export type ChatMessage = { role: "user" | "assistant" | "system" | "tool"; parts: readonly Part[] };

/** Never stored, logged or forwarded. */
export type Credential =
  | { method: "jwt" | "api_key"; token: string }
  | { method: "basic"; username: string; password: string };

export type UserMessage = {
  type: "user_message";
  schemaType: SchemaType;
  id: string;
  conversationId?: string;
  /** All messages, including the history of the client. */
  messages: readonly ChatMessage[];
  /** The parts of the last user message, the only new one. */
  parts: readonly Part[];
  userName?: string;
  credential?: Credential;
  /** Our extension: the addressee, by speakerUri or by name. */
  to?: string;
  /** Our extension: only for the addressee. */
  isPrivate: boolean;
};

export type UserInteractionMessage = {
  type: "user_interaction_message";
  id: string;
  conversationId?: string;
  /** The texts of the user, one per chosen option. */
  texts: readonly string[];
  credential?: Credential;
};

export type AuthMessage = { type: "auth_message"; credential: Credential };
