import { isRecord } from "@plenary/protocol";
import type { ChatMessage, Part } from "./client-message.ts";
import { invalidData, isParseFailure, type ParseFailure } from "./error-content.ts";

/** Of a longer history the last messages are kept. */
const messagesMax = 1_000;
/** Per message. */
const partsMax = 100;
const textLengthMax = 1_000_000;
/** An image, a sound or a video may be a `data:` URL. */
const mediaLengthMax = 16_000_000;

/** Reads messages in every known notation: a list, `{messages}`, a text, parts of one message. */
export function readMessages(content: unknown, place: string): ChatMessage[] | ParseFailure {
  if (isRecord(content) && content.messages !== undefined) return readMessages(content.messages, `${place}.messages`);
  if (!Array.isArray(content) || !content.some((one) => isRecord(one) && isMessage(one))) {
    const parts = readParts(content, place);
    return isParseFailure(parts) ? parts : [{ role: "user", parts }];
  }
  const messages: ChatMessage[] = [];
  const first = Math.max(0, content.length - messagesMax);
  for (const [index, one] of content.slice(first).entries()) {
    const message = readMessage(one, `${place}[${first + index}]`);
    if (isParseFailure(message)) return message;
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
  // OpenAI's names for the same roles.
  ["developer", "system"],
  ["function", "tool"],
] as const);

function readMessage(value: unknown, place: string): ChatMessage | ParseFailure {
  if (!isRecord(value)) {
    const parts = readParts(value, place);
    return isParseFailure(parts) ? parts : { role: "user", parts };
  }
  const role = roles.get(value.role ?? "user");
  if (role === undefined) {
    return invalidData(`${place}.role is none of user, assistant, system, tool; use one of them.`);
  }
  const parts = readParts(role === "user" ? value.content : knownIn(value.content), `${place}.content`);
  return isParseFailure(parts) ? parts : { role, parts };
}

/** Other parts of earlier model messages, such as refusals or reasoning, are left out. They are no error. */
function knownIn(content: unknown): unknown {
  if (!Array.isArray(content)) return content;
  return content.filter((part) => !isRecord(part) || typeof part.type !== "string" || partReaders.has(part.type));
}

/** Reads the content of one message: a text, a part, or a list of both. It may be empty, as after a tool call. */
function readParts(content: unknown, place: string): Part[] | ParseFailure {
  if (content === undefined || content === null) return [];
  if (!Array.isArray(content)) {
    const part = readPart(content, place);
    return isParseFailure(part) ? part : [part];
  }
  if (content.length > partsMax) {
    const details = `${place} has ${content.length} parts, but at most ${partsMax} are taken; send fewer in one message.`;
    return invalidData(details);
  }
  const parts: Part[] = [];
  for (const [index, one] of content.entries()) {
    const part = readPart(one, `${place}[${index}]`);
    if (isParseFailure(part)) return part;
    parts.push(part);
  }
  return parts;
}

function readPart(value: unknown, place: string): Part | ParseFailure {
  if (typeof value === "string") return textPart(value, place);
  if (!isRecord(value)) {
    return invalidData(`${place} is neither a text nor an object with a type; send one of the two.`);
  }
  const type = value.type ?? "text";
  const read = typeof type === "string" ? partReaders.get(type) : undefined;
  if (read !== undefined) return read(value, place);
  const details = `${place}.type is none of text, image_url, input_audio, video_url; use one of them.`;
  return invalidData(details);
}

type PartReader = (value: Record<string, unknown>, place: string) => Part | ParseFailure;

const readText: PartReader = (value, place) => textPart(value.text ?? value.content, `${place}.text`);
const readImage: PartReader = (value, place) => urlPart("image_url", value.image_url ?? value.image, value, place);
const readVideo: PartReader = (value, place) => urlPart("video_url", value.video_url ?? value.video, value, place);
const readAudio: PartReader = (value, place) => {
  const audio = value.input_audio ?? value.audio;
  const { data, format = "wav" } = isRecord(audio) ? audio : value;
  if (typeof data !== "string" || data === "" || typeof format !== "string") {
    const details = `${place}.input_audio is not {data, format}, both texts; send the sound as base64 and its format.`;
    return invalidData(details);
  }
  return tooLong(data, mediaLengthMax, place) ?? { type: "input_audio", data, format: format.slice(0, 50) };
};

// The stock client sends `image` instead of `image_url`. The others are names of OpenAI's Responses interface.
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

function textPart(text: unknown, place: string): Part | ParseFailure {
  if (typeof text !== "string") return invalidData(`${place} is not a text; send a string.`);
  return tooLong(text, textLengthMax, place) ?? { type: "text", text };
}

function urlPart(
  type: "image_url" | "video_url",
  named: unknown,
  value: Record<string, unknown>,
  place: string,
): Part | ParseFailure {
  const url = isRecord(named) ? named.url : (named ?? value.url ?? value.content);
  if (typeof url !== "string" || url === "") {
    return invalidData(`${place}.${type}.url is not an address; send {"url": "https://..."}.`);
  }
  return tooLong(url, mediaLengthMax, place) ?? { type, url };
}

function tooLong(text: string, max: number, place: string): ParseFailure | undefined {
  if (text.length <= max) return undefined;
  const details = `${place} has ${text.length} characters, but at most ${max} are taken; send less at once.`;
  return invalidData(details);
}

/** The parts of the last user message, the only new one. */
export function lastOfUser(messages: readonly ChatMessage[]): readonly Part[] {
  return messages.findLast(({ role }) => role === "user")?.parts ?? [];
}

/** The messages before the last user message. */
export function earlierThanNow(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const last = messages.findLastIndex(({ role }) => role === "user");
  return messages.slice(0, Math.max(0, last));
}

/** Only the text parts. */
export function textOfParts(parts: readonly Part[]): string {
  return parts.map((part) => (part.type === "text" ? part.text : "")).join("");
}

export function isEmpty(parts: readonly Part[]): boolean {
  return parts.every((part) => part.type === "text" && part.text.trim() === "");
}
