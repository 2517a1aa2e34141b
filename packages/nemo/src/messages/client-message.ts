/** What a client says to a server, once it is read: whatever was left out or written differently has its place here. */
export type ClientMessage = UserMessage | UserInteractionMessage | AuthMessage;

export type SchemaType = "generate" | "generate_stream" | "chat" | "chat_stream";

export type Part =
  | { type: "text"; text: string }
  | { type: "image_url"; url: string }
  | { type: "input_audio"; data: string; format: string }
  | { type: "video_url"; url: string };

export type ChatMessage = { role: "user" | "assistant" | "system" | "tool"; parts: readonly Part[] };

/** Never kept, logged or passed on. */
export type Credential =
  | { method: "jwt" | "api_key"; token: string }
  | { method: "basic"; username: string; password: string };

export type UserMessage = {
  type: "user_message";
  schemaType: SchemaType;
  id: string;
  conversationId?: string;
  /** All of them, the client's own history too. */
  messages: readonly ChatMessage[];
  /** Of the last message of the user: the only one that is new. */
  parts: readonly Part[];
  userName?: string;
  credential?: Credential;
  /** Our extension: whom it is for, by speakerUri or by name. */
  to?: string;
  /** Our extension: for nobody else. */
  isPrivate: boolean;
};

export type UserInteractionMessage = {
  type: "user_interaction_message";
  id: string;
  conversationId?: string;
  /** The texts of the user; several when several were chosen. */
  texts: readonly string[];
  credential?: Credential;
};

export type AuthMessage = { type: "auth_message"; credential: Credential };
