import { isRecord } from "@plenary/protocol";
import type { ChatMessage, Part } from "./client-message.ts";
import { type Fault, fault, isFault } from "./error-content.ts";

/** A longer history than this is cut at its beginning: what is new comes last. */
const messagesMax = 1_000;
/** Of one message. */
const partsMax = 100;
const textLengthMax = 1_000_000;
/** An image, a sound or a video may be a whole `data:` address. */
const mediaLengthMax = 16_000_000;

/** Messages in any notation in use: a list, `{messages}`, a text, parts of one message. */
export function readMessages(content: unknown, place: string): ChatMessage[] | Fault {
  if (isRecord(content) && content.messages !== undefined) return readMessages(content.messages, `${place}.messages`);
  if (!Array.isArray(content) || !content.some((one) => isRecord(one) && isMessage(one))) {
    const parts = readParts(content, place);
    return isFault(parts) ? parts : [{ role: "user", parts }];
  }
  const messages: ChatMessage[] = [];
  const first = Math.max(0, content.length - messagesMax);
  for (const [index, one] of content.slice(first).entries()) {
    const message = readMessage(one, `${place}[${first + index}]`);
    if (isFault(message)) return message;
    messages.push(message);
  }
  return messages;
}

function isMessage(value: Record<string, unknown>): boolean {
  return value.role !== undefined || (value.content !== undefined && value.type === undefined);
}

const roles: ReadonlyMap<unknown, ChatMessage["role"]> = new Map([
  ["user", "user"],
  ["assistant", "assistant"],
  ["system", "system"],
  ["tool", "tool"],
  // OpenAI's names for the same.
  ["developer", "system"],
  ["function", "tool"],
] as const);

function readMessage(value: unknown, place: string): ChatMessage | Fault {
  if (!isRecord(value)) {
    const parts = readParts(value, place);
    return isFault(parts) ? parts : { role: "user", parts };
  }
  const role = roles.get(value.role ?? "user");
  if (role === undefined) {
    return fault("invalid_data_content", `${place}.role is none of user, assistant, system, tool; use one of them.`);
  }
  const parts = readParts(role === "user" ? value.content : knownIn(value.content), `${place}.content`);
  return isFault(parts) ? parts : { role, parts };
}

/** What models say in other ways, such as a refusal or their thoughts, is history: it is left out and refused to nobody. */
function knownIn(content: unknown): unknown {
  if (!Array.isArray(content)) return content;
  return content.filter((part) => !isRecord(part) || typeof part.type !== "string" || partReaders.has(part.type));
}

/** One message: a text, a part, or a list of both. Nothing is an empty list: an assistant that called tools said nothing. */
function readParts(content: unknown, place: string): Part[] | Fault {
  if (content === undefined || content === null) return [];
  if (!Array.isArray(content)) {
    const part = readPart(content, place);
    return isFault(part) ? part : [part];
  }
  if (content.length > partsMax) {
    const details = `${place} has ${content.length} parts, but at most ${partsMax} are taken; send fewer in one message.`;
    return fault("invalid_data_content", details);
  }
  const parts: Part[] = [];
  for (const [index, one] of content.entries()) {
    const part = readPart(one, `${place}[${index}]`);
    if (isFault(part)) return part;
    parts.push(part);
  }
  return parts;
}

function readPart(value: unknown, place: string): Part | Fault {
  if (typeof value === "string") return textPart(value, place);
  if (!isRecord(value)) {
    return fault("invalid_data_content", `${place} is neither a text nor an object with a type; send one of the two.`);
  }
  const type = value.type ?? "text";
  const read = typeof type === "string" ? partReaders.get(type) : undefined;
  if (read !== undefined) return read(value, place);
  const details = `${place}.type is none of text, image_url, input_audio, video_url; use one of them.`;
  return fault("invalid_data_content", details);
}

type PartReader = (value: Record<string, unknown>, place: string) => Part | Fault;

const readText: PartReader = (value, place) => textPart(value.text ?? value.content, `${place}.text`);
const readImage: PartReader = (value, place) => urlPart("image_url", value.image_url ?? value.image, value, place);
const readVideo: PartReader = (value, place) => urlPart("video_url", value.video_url ?? value.video, value, place);
const readAudio: PartReader = (value, place) => {
  const audio = value.input_audio ?? value.audio;
  const { data, format = "wav" } = isRecord(audio) ? audio : value;
  if (typeof data !== "string" || data === "" || typeof format !== "string") {
    const details = `${place}.input_audio is not {data, format}, both texts; send the sound as base64 and its format.`;
    return fault("invalid_data_content", details);
  }
  return tooLong(data, mediaLengthMax, place) ?? { type: "input_audio", data, format: format.slice(0, 50) };
};

// The stock client says `image` where it means `image_url`; the others are names of OpenAI's newer interface.
const partReaders: ReadonlyMap<string, PartReader> = new Map([
  ["text", readText],
  ["input_text", readText],
  ["output_text", readText],
  ["image_url", readImage],
  ["image", readImage],
  ["input_image", readImage],
  ["video_url", readVideo],
  ["video", readVideo],
  ["input_video", readVideo],
  ["input_audio", readAudio],
  ["audio", readAudio],
]);

function textPart(text: unknown, place: string): Part | Fault {
  if (typeof text !== "string") return fault("invalid_data_content", `${place} is not a text; send a string.`);
  return tooLong(text, textLengthMax, place) ?? { type: "text", text };
}

function urlPart(
  type: "image_url" | "video_url",
  named: unknown,
  value: Record<string, unknown>,
  place: string,
): Part | Fault {
  const url = isRecord(named) ? named.url : (named ?? value.url ?? value.content);
  if (typeof url !== "string" || url === "") {
    return fault("invalid_data_content", `${place}.${type}.url is not an address; send {"url": "https://..."}.`);
  }
  return tooLong(url, mediaLengthMax, place) ?? { type, url };
}

function tooLong(text: string, max: number, place: string): Fault | undefined {
  if (text.length <= max) return undefined;
  const details = `${place} has ${text.length} characters, but at most ${max} are taken; send less at once.`;
  return fault("invalid_data_content", details);
}

/** The last message of the user: the only one that is new. */
export function lastOfUser(messages: readonly ChatMessage[]): readonly Part[] {
  return messages.findLast(({ role }) => role === "user")?.parts ?? [];
}

/** What a client says was said before that one. */
export function earlierThanNow(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const last = messages.findLastIndex(({ role }) => role === "user");
  return messages.slice(0, Math.max(0, last));
}

/** The words alone. */
export function textOfParts(parts: readonly Part[]): string {
  return parts.map((part) => (part.type === "text" ? part.text : "")).join("");
}

export function isEmpty(parts: readonly Part[]): boolean {
  return parts.every((part) => part.type === "text" && part.text.trim() === "");
}
