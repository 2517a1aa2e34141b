import { isRecord, readJson } from "@plenary/protocol";
import { type Step, stepOf } from "../features.ts";
import { toText } from "../format-text.ts";
import { readErrorContent } from "./error-content.ts";
import { readPrompt, type ServerPrompt } from "./prompt.ts";
import type { ErrorContent } from "./server-message.ts";

/** A parsed message of a server. */
export type ParsedServerMessage = MessageIds & ServerContent;

/** Empty strings for missing ids. */
type MessageIds = { conversationId: string; parentId: string; threadId: string };

type ServerContent =
  | { kind: "delta"; text: string }
  /** The end of the run. Some servers send the last text here. */
  | { kind: "complete"; text: string; isFailed: boolean }
  /** A repeated id updates the step. */
  | { kind: "step"; step: Step }
  /** One at a time. The reply contains only its text. */
  | { kind: "prompt"; prompt: ServerPrompt }
  | { kind: "notification"; text: string }
  /** The page for consent. The server expects no reply. */
  | { kind: "oauth"; url: string; text: string }
  | { kind: "error"; error: ErrorContent }
  | { kind: "trace"; traceId: string }
  | { kind: "auth"; userId: string }
  | { kind: "auth"; error: ErrorContent }
  | { kind: "unknown" };

const idLengthMax = 500;

/** Undefined when the text is not a JSON object. Never throws. */
export function parseServerMessage(text: string): ParsedServerMessage | undefined {
  const json = readJson(text);
  if (!json.ok || !isRecord(json.value)) return undefined;
  const { value } = json;
  return {
    conversationId: idOf(value.conversation_id),
    parentId: idOf(value.parent_id),
    threadId: idOf(value.thread_id),
    ...readContent(value),
  };
}

function readContent(value: Record<string, unknown>): ServerContent {
  const { content } = value;
  switch (value.type) {
    case "system_response_message":
      return readResponse(content, value.status);
    case "system_intermediate_message":
      return readStep(value);
    case "system_interaction_message":
      return readInteraction(content);
    case "error_message":
      return { kind: "error", error: readErrorContent(content ?? value.error) };
    case "observability_trace_message": {
      const traceId = isRecord(content) ? idOf(content.observability_trace_id) : idOf(content);
      return traceId === "" ? { kind: "unknown" } : { kind: "trace", traceId };
    }
    case "auth_response_message":
      if (value.status === "success") return { kind: "auth", userId: idOf(value.user_id) };
      return { kind: "auth", error: readErrorContent(value.payload) };
    // A failed login before the first message gets a bare error.
    case undefined:
    case null:
      return typeof value.code === "string" ? { kind: "error", error: readErrorContent(value) } : { kind: "unknown" };
    default:
      return { kind: "unknown" };
  }
}

function readResponse(content: unknown, status: unknown): ServerContent {
  const text = responseText(content);
  const isFailed = status === "failed" || status === "error";
  const isOver = isFailed || status === "complete" || status === "completed";
  return isOver ? { kind: "complete", text, isFailed } : { kind: "delta", text };
}

/** `{text}`, or an answer of a workflow that does not chat: `{output}` or `{value}`. */
function responseText(content: unknown): string {
  if (!isRecord(content)) return toText(content);
  return toText(content.text ?? content.output ?? content.value);
}

function readStep(value: Record<string, unknown>): ServerContent {
  const { content } = value;
  const { name, payload } = isRecord(content) ? content : { name: undefined, payload: content };
  const words = toText(name);
  const parent = idOf(value.parent_id);
  const isNested = parent !== "root" && parent !== "default";
  const step = { id: idOf(value.id), name: words, payload, ...(isNested && { parent }) };
  const [read] = stepOf(step, words || "step");
  return read === undefined ? { kind: "unknown" } : { kind: "step", step: read };
}

function readInteraction(content: unknown): ServerContent {
  if (!isRecord(content)) return { kind: "unknown" };
  const text = toText(content.text);
  if (content.input_type === "notification") return { kind: "notification", text };
  if (content.input_type === "oauth_consent") {
    const url = toText(content.oauth_url) || toText(content.redirect_url) || text;
    return { kind: "oauth", url, text: text === url ? "" : text };
  }
  return { kind: "prompt", prompt: readPrompt(content) };
}

function idOf(value: unknown): string {
  const id = typeof value === "number" ? String(value) : value;
  return typeof id === "string" && id.length <= idLengthMax ? id : "";
}
