import { isRecord } from "@plenary/protocol";
import type { Step } from "../features.ts";
import { escapeHtml } from "../format-text.ts";
import type { ChatMessage, Part } from "../messages/client-message.ts";
import { invalidData, isParseFailure, type ParseFailure, parseFailure } from "../messages/error-content.ts";
import { isEmpty, lastOfUser, readMessages } from "../messages/message-parts.ts";
import { nameIn, readExtension } from "../messages/parse-client-message.ts";
import type { ErrorContent } from "../messages/server-message.ts";

/** An HTTP request in the format of OpenAI or of the toolkit's `generate`. */
export type ChatRequest = {
  messages: readonly ChatMessage[];
  /** The parts of the last user message, the only new one. */
  parts: readonly Part[];
  isStream: boolean;
  /** The stream ends with a usage chunk. */
  wantsUsage: boolean;
  model?: string;
  userName?: string;
  to?: string;
  isPrivate: boolean;
  /** The names of ignored fields, which only a model can use. */
  ignored: readonly string[];
};

export type ChatRead = { ok: true; request: ChatRequest } | { ok: false; error: ErrorContent };

/** A model name may be an address. */
const modelLengthMax = 2_048;

/** Reads a value of the safe JSON parser. Never throws. */
export function parseChatRequest(value: unknown): ChatRead {
  const request = readRequest(value);
  return isParseFailure(request) ? { ok: false, error: request.error } : { ok: true, request };
}

function readRequest(value: unknown): ChatRequest | ParseFailure {
  const body = isRecord(value) ? value : { messages: value };
  const named = inputIn(body);
  const messages = readMessages(body[named], named);
  if (isParseFailure(messages)) return messages;
  const nothingSaid =
    "messages has no message of role user with text, and there is no input_message; send one of the two.";
  return requestOf(body, messages, { named, nothingSaid });
}

type RequestSource = { named: string; nothingSaid: string };

/** The request with these messages and the other fields of the body. */
export function requestOf(
  body: Record<string, unknown>,
  messages: readonly ChatMessage[],
  { named, nothingSaid }: RequestSource,
): ChatRequest | ParseFailure {
  const parts = lastOfUser(messages);
  if (isEmpty(parts)) return parseFailure("invalid_user_message_content", nothingSaid);
  const extension = readExtension(body);
  if (isParseFailure(extension)) return extension;
  if (typeof body.n === "number" && body.n > 1) {
    return invalidData("n is more than 1, and a floor gives one answer; leave it out, or send 1.");
  }
  const wantsUsage = isRecord(body.stream_options) && body.stream_options.include_usage === true;
  const userName = nameIn(body.user);
  const model = typeof body.model === "string" ? body.model.slice(0, modelLengthMax) : "";
  return {
    messages,
    parts,
    isStream: isTrue(body.stream),
    wantsUsage,
    ignored: ignoredIn(body, named),
    ...(model !== "" && { model }),
    ...(userName !== undefined && { userName }),
    ...extension,
  };
}

function isTrue(value: unknown): boolean {
  return value === true || value === "true";
}

/** Fields of OpenAI's two interfaces that tune a model or give it tools. */
const modelFields = [
  ...["tools", "tool_choice", "functions", "function_call", "parallel_tool_calls", "max_tool_calls"],
  ...["response_format", "text", "temperature", "top_p", "top_k", "max_tokens", "max_completion_tokens"],
  ...["max_output_tokens", "stop", "seed", "presence_penalty", "frequency_penalty", "logit_bias", "logprobs"],
  ...["top_logprobs", "reasoning", "reasoning_effort", "verbosity", "modalities", "audio", "prediction"],
  ...["web_search_options", "service_tier", "truncation", "include", "background", "context_management"],
];

/** The present ones with a value. The field that holds the message does not count. */
function ignoredIn(body: Record<string, unknown>, used: string): string[] {
  const isSaid = (value: unknown) => value !== undefined && value !== null && value !== false;
  return modelFields.filter((name) => name !== used && Object.hasOwn(body, name) && isSaid(body[name]));
}

const inputNames = ["messages", "input_message", "input", "value", "query", "question", "prompt", "text", "content"];

/** Workflows choose the name of their input. Without a usual name, the only text field is the input. */
function inputIn(body: Record<string, unknown>): string {
  const known = inputNames.find((name) => body[name] !== undefined && body[name] !== null);
  if (known !== undefined) return known;
  const texts = Object.keys(body).filter((name) => typeof body[name] === "string" && !otherNames.has(name));
  return texts.length === 1 && texts[0] !== undefined ? texts[0] : "messages";
}

const otherNames = new Set(["model", "user", "to", "private", "stream"]);

type Answer = { id: string; model: string; createdS: number };

/** The whole answer. A floor counts no tokens, so the usage is zero. */
export function chatCompletion({ id, model, createdS, text }: Answer & { text: string }) {
  return {
    id,
    object: "chat.completion",
    created: createdS,
    model,
    choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" }],
    usage,
  } as const;
}

const usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } as const;

/** The last chunk, if the client requested the usage. It has no choices. */
export function usageChunk({ id, model, createdS }: Answer) {
  return { id, object: "chat.completion.chunk", created: createdS, model, choices: [], usage } as const;
}

export type Chunk = Answer & { role?: "assistant"; delta?: string; finish?: "stop" };

/** One chunk of a streamed answer. */
export function chatChunk({ id, model, createdS, role, delta, finish }: Chunk) {
  const words = { ...(role !== undefined && { role }), ...(delta !== undefined && { content: delta }) };
  return {
    id,
    object: "chat.completion.chunk",
    created: createdS,
    model,
    choices: [{ index: 0, delta: words, finish_reason: finish ?? null }],
  } as const;
}

/** An SSE event: a chunk, `{value}` or an error. */
export function dataLine(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

/** A chunk of a `generate` stream. */
export function valueLine(text: string): string {
  return dataLine({ value: text });
}

/** A named SSE event. */
export function eventLine(event: string, value: object): string {
  return `event: ${event}\n${dataLine(value)}`;
}

/** The toolkit's own field beside `data`, which other clients ignore. */
export function stepLine({ id, parent = "root", name, payload }: Step): string {
  const step = { id, parent_id: parent, type: "markdown", name: escapeHtml(name), payload: escapeHtml(payload) };
  return `intermediate_data: ${JSON.stringify(step)}\n\n`;
}

/** A step in the format of the toolkit's `/full`: with its type, and with JSON as payload. */
export function typedStepLine(step: Step): string {
  const { id, parent = "root", name, payload } = step;
  const type = stepTypeOf(step);
  const known = { event_type: type, name, UUID: id, data: { payload } };
  const line = { id, parent_id: parent, type, name, payload: JSON.stringify(known) };
  return `intermediate_data: ${JSON.stringify(line)}\n\n`;
}

/** The toolkit's type of a step, derived from its name and payload. Other steps are `CUSTOM_END`. */
export function stepTypeOf({ name, payload }: Pick<Step, "name" | "payload">): string {
  if (name.startsWith("Function Start:")) return "FUNCTION_START";
  if (name.startsWith("Function Complete:")) return "FUNCTION_END";
  const end = payload.includes("**Output:**") ? "END" : "START";
  if (name.startsWith("Tool:")) return `TOOL_${end}`;
  return payload.startsWith("**Input:**") ? `LLM_${end}` : "CUSTOM_END";
}

export function traceLine(traceId: string): string {
  return `observability_trace: ${JSON.stringify({ observability_trace_id: traceId })}\n\n`;
}

export const doneLine = "data: [DONE]\n\n";
