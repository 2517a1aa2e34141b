// What the toolkit's server accepts. It forbids unknown keys nearly everywhere, and silently drops what it refuses.

export type Json = Record<string, unknown>;

type StockPart = { type: string; text?: string } & Json;
export type StockMessage = { role: string; content: StockPart[] };

export type StockUserMessage = {
  type: "user_message";
  schema_type: "generate" | "generate_stream" | "chat" | "chat_stream";
  id: string;
  conversation_id: string | null;
  content: { messages: StockMessage[] };
  user?: { name?: string; email?: string };
} & Json;

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const isText = (value: unknown) => typeof value === "string";
const isTextOrAbsent = (value: unknown) => value === undefined || value === null || isText(value);

/** Each present key passes its check, and there is no other key. */
function isStrict(value: unknown, checks: Record<string, (value: unknown) => boolean>): value is Json {
  if (!isObject(value)) return false;
  return (
    Object.keys(value).every((key) => key in checks) && Object.entries(checks).every(([key, is]) => is(value[key]))
  );
}

const oneOf =
  (...words: readonly string[]) =>
  (value: unknown) =>
    isText(value) && words.includes(value as string);

const partShapes: Record<string, (part: unknown) => boolean> = {
  text: (part) => isStrict(part, { type: isText, text: isText }),
  image_url: (part) => isStrict(part, { type: isText, image_url: (url) => isStrict(url, { url: isText }) }),
  input_audio: (part) =>
    isStrict(part, { type: isText, input_audio: (audio) => isStrict(audio, { data: isText, format: isText }) }),
};

const isPart = (part: unknown) => isObject(part) && partShapes[String(part.type)]?.(part) === true;

const isMessage = (message: unknown) =>
  isStrict(message, {
    role: oneOf("user", "assistant", "system", "tool"),
    content: (parts) => Array.isArray(parts) && parts.every(isPart),
  });

const isContent = (content: unknown) =>
  isStrict(content, { messages: (messages) => Array.isArray(messages) && messages.every(isMessage) });

const isUser = (user: unknown) =>
  user === undefined || user === null || isStrict(user, { name: isTextOrAbsent, email: isTextOrAbsent });

const isSpoken = (frame: Json) =>
  isContent(frame.content) &&
  isUser(frame.user) &&
  [frame.id, frame.conversation_id, frame.timestamp, frame.schema_version].every(isTextOrAbsent);

/** Unknown keys at the top level are allowed here, and reach the workflow. */
export function isUserMessage(frame: Json): frame is StockUserMessage {
  const isSchema = oneOf("generate", "generate_stream", "chat", "chat_stream");
  return frame.type === "user_message" && isSchema(frame.schema_type) && isSpoken(frame);
}

export function isInteraction(frame: Json): frame is { content: { messages: StockMessage[] } } & Json {
  return frame.type === "user_interaction_message" && isSpoken(frame) && isTextOrAbsent(frame.parent_id);
}

type Auth = { payload: { method: string; token?: string; username?: string; password?: string } };

const authShapes: Record<string, (payload: unknown) => boolean> = {
  jwt: (payload) => isStrict(payload, { method: isText, token: isText }),
  api_key: (payload) => isStrict(payload, { method: isText, token: isText }),
  basic: (payload) => isStrict(payload, { method: isText, username: isText, password: isText }),
};

export function isAuth(frame: Json): frame is Auth & Json {
  if (!isStrict(frame, { type: oneOf("auth_message"), payload: isObject })) return false;
  return authShapes[String((frame.payload as Json).method)]?.(frame.payload) === true;
}

/** The first text part of the last message of the user; undefined when there is none. */
export function lastUserText(messages: readonly StockMessage[]): string | undefined {
  const last = messages.findLast(({ role }) => role === "user");
  return last?.content.find(({ type }) => type === "text")?.text;
}

/** The text of a reply to a prompt, which is its last one. */
export function lastReplyText(messages: readonly StockMessage[]): string | undefined {
  const last = messages.findLast(({ role }) => role === "user");
  return last?.content.findLast(({ type }) => type === "text")?.text;
}
