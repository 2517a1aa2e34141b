import { isRecord } from "@plenary/protocol";
import { invalidData, isParseFailure, type ParseFailure } from "../messages/error-content.ts";
import { readMessages } from "../messages/message-parts.ts";
import type { ErrorContent } from "../messages/server-message.ts";
import { type ChatRequest, eventLine, requestOf } from "./chat-completions.ts";

/** A request of OpenAI's Responses interface. */
export type ResponsesRequest = ChatRequest & {
  /** The response that this request continues. */
  previousId?: string;
  /** The conversation stays open for the next request. */
  isStored: boolean;
  instructions?: string;
};

export type ResponsesRead = { ok: true; request: ResponsesRequest } | { ok: false; error: ErrorContent };

/** Reads a value of the safe JSON parser. Never throws. */
export function parseResponsesRequest(value: unknown): ResponsesRead {
  const request = readRequest(value);
  return isParseFailure(request) ? { ok: false, error: request.error } : { ok: true, request };
}

const nothingSaid = "input has no message of role user with text; send a text, or a list of messages.";

function readRequest(value: unknown): ResponsesRequest | ParseFailure {
  const body = isRecord(value) ? value : {};
  const { input, instructions, previous_response_id: previous, store } = body;
  const items = Array.isArray(input) ? itemsIn(input) : input;
  if (isParseFailure(items)) return items;
  const messages = readMessages(items, "input");
  if (isParseFailure(messages)) return messages;
  if (previous !== undefined && previous !== null && typeof previous !== "string") {
    return invalidData("previous_response_id is not a text; send the id of a response, or leave it out.");
  }
  const system = typeof instructions === "string" && instructions !== "" ? instructions : undefined;
  const first =
    system === undefined ? [] : [{ role: "system" as const, parts: [{ type: "text" as const, text: system }] }];
  const request = requestOf(body, [...first, ...messages], { named: "input", nothingSaid });
  if (isParseFailure(request)) return request;
  return {
    ...request,
    isStored: store !== false,
    ...(typeof previous === "string" && { previousId: previous }),
    ...(system !== undefined && { instructions: system }),
  };
}

function itemsIn(input: readonly unknown[]): unknown[] | ParseFailure {
  const items = input.map((item, index) => withoutFiles(item, `input[${index}]`));
  return items.find(isParseFailure) ?? items.filter(isMessage);
}

/** Tool calls, tool outputs and reasoning are not messages. */
function isMessage(item: unknown): boolean {
  return typeof item === "string" || (isRecord(item) && (item.role !== undefined || item.type === "message"));
}

export type ResponseHead = {
  id: string;
  messageId: string;
  model: string;
  createdS: number;
  isStored: boolean;
  previousId?: string;
  instructions?: string;
};

type ResponseState =
  | { status: "in_progress" }
  | { status: "completed"; text: string }
  | { status: "failed"; error: { code: string; message: string } };

/** The response object in this state. A floor counts no tokens, so the usage is zero. */
export function responseObject(head: ResponseHead, state: ResponseState) {
  const { id, model, createdS, isStored, previousId = null, instructions = null } = head;
  return {
    id,
    object: "response",
    created_at: createdS,
    status: state.status,
    background: false,
    error: state.status === "failed" ? state.error : null,
    incomplete_details: null,
    instructions,
    max_output_tokens: null,
    model,
    output: state.status === "completed" ? [messageItem(head, "completed", state.text)] : [],
    parallel_tool_calls: false,
    previous_response_id: previousId,
    reasoning: { effort: null, summary: null },
    store: isStored,
    temperature: null,
    text: { format: { type: "text" } },
    tool_choice: "none",
    tools: [],
    top_p: null,
    truncation: "disabled",
    metadata: {},
    usage: state.status === "completed" ? usage : null,
  };
}

const usage = {
  input_tokens: 0,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 0,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 0,
};

function textPart(text: string) {
  return { type: "output_text", text, annotations: [], logprobs: [] };
}

function messageItem({ messageId: id }: ResponseHead, status: "in_progress" | "completed", text?: string) {
  return { id, type: "message", status, role: "assistant", content: text === undefined ? [] : [textPart(text)] };
}

/** The numbered events of one response, as lines of a stream. */
export function createResponseEvents(head: ResponseHead) {
  let number = -1;
  const line = (type: string, fields: object) => {
    number += 1;
    return eventLine(type, { type, sequence_number: number, ...fields });
  };
  const item = { output_index: 0 };
  const part = { ...item, item_id: head.messageId, content_index: 0 };
  return {
    begun: () => {
      const response = responseObject(head, { status: "in_progress" });
      return [
        line("response.created", { response }),
        line("response.in_progress", { response }),
        line("response.output_item.added", { ...item, item: messageItem(head, "in_progress") }),
        line("response.content_part.added", { ...part, part: textPart("") }),
      ].join("");
    },
    delta: (delta: string) => line("response.output_text.delta", { ...part, delta, logprobs: [] }),
    completed: (text: string) =>
      [
        line("response.output_text.done", { ...part, text, logprobs: [] }),
        line("response.content_part.done", { ...part, part: textPart(text) }),
        line("response.output_item.done", { ...item, item: messageItem(head, "completed", text) }),
        line("response.completed", { response: responseObject(head, { status: "completed", text }) }),
      ].join(""),
    failed: (error: { code: string; message: string }) =>
      line("response.failed", { response: responseObject(head, { status: "failed", error }) }),
  };
}

/**
 * Turns an `input_file` of OpenAI into a part that a floor can carry: text, image, audio or video. A file with an address
 * becomes a text with that address. Other parts stay unchanged.
 */
function withoutFile(part: unknown, place: string): unknown | ParseFailure {
  if (!isRecord(part) || part.type !== "input_file") return part;
  const { file_data: data, file_url: url, filename } = part;
  const name = typeof filename === "string" ? filename.slice(0, nameMax) : "file";
  if (typeof url === "string" && url !== "") return { type: "input_text", text: `[${name}: ${url}]` };
  if (typeof data !== "string" || data === "") {
    return invalidData(`${place} has no file_data and no file_url, and no files are kept here; send one of the two.`);
  }
  const [, type = "", base64 = ""] = dataUrl.exec(data) ?? [];
  const kind = type.toLowerCase().split("/")[0];
  if (kind === "image") return { type: "input_image", image_url: data };
  if (kind === "video") return { type: "input_video", video_url: data };
  if (kind === "audio")
    return { type: "input_audio", input_audio: { data: base64, format: type.slice("audio/".length) } };
  const text = kind === "text" || type === "application/json" ? textIn(base64) : undefined;
  if (text !== undefined) return { type: "input_text", text: `${name}:\n\n${text}` };
  const details = `${place}.file_data is neither text in UTF-8 nor an image, a sound or a video as data:TYPE;base64,...; send one of them, or file_url.`;
  return invalidData(details);
}

const nameMax = 200;
const dataUrl = /^data:([a-z]+\/[\w.+-]{1,60})(?:;[^;,]{0,100})*;base64,([\w+/=-]*)$/isu;
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Undefined when it is not UTF-8. */
function textIn(base64: string): string | undefined {
  let [bits, count, escaped] = [0, 0, ""];
  for (const digit of base64.replaceAll("-", "+").replaceAll("_", "/").replaceAll("=", "")) {
    bits = ((bits << 6) | alphabet.indexOf(digit)) & 0xffff;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    escaped += `%${((bits >> count) & 0xff).toString(16).padStart(2, "0")}`;
  }
  try {
    return decodeURIComponent(escaped);
  } catch {
    return undefined;
  }
}

/** Applies `withoutFile` to all parts of a message. */
function withoutFiles(item: unknown, place: string): unknown | ParseFailure {
  if (!isRecord(item) || !Array.isArray(item.content)) return item;
  const content = item.content.map((part, index) => withoutFile(part, `${place}.content[${index}]`));
  return content.find(isParseFailure) ?? { ...item, content };
}
