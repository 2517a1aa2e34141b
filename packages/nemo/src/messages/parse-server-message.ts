import { isRecord, readJson } from "@plenary/protocol";
import { type Step, stepOf } from "../features.ts";
import { wordsOf } from "../format-text.ts";
import { troubleIn } from "./error-content.ts";
import { readPrompt, type ServerPrompt } from "./prompt.ts";
import type { ErrorContent } from "./server-message.ts";

/** What somebody else's server says, as far as it can be understood. */
export type ServerSaid = Origin & Said;

/** Empty when the server did not say. */
type Origin = { conversationId: string; parentId: string; threadId: string };

type Said =
  | { kind: "delta"; text: string }
  /** The turn is over. Some put their last words here. */
  | { kind: "complete"; text: string; isFailed: boolean }
  /** The same id again is the same step, further on. */
  | { kind: "step"; step: Step }
  /** One at a time; the reply names nothing but its text. */
  | { kind: "prompt"; prompt: ServerPrompt }
  | { kind: "notification"; text: string }
  /** Where consent is given. No reply is awaited. */
  | { kind: "oauth"; url: string; text: string }
  | { kind: "error"; error: ErrorContent }
  | { kind: "trace"; traceId: string }
  | { kind: "auth"; userId: string }
  | { kind: "auth"; error: ErrorContent }
  | { kind: "unknown" };

const idLengthMax = 500;

/** Undefined when it is no JSON object. Never throws. */
export function parseServerMessage(text: string): ServerSaid | undefined {
  const json = readJson(text);
  if (!json.ok || !isRecord(json.value)) return undefined;
  const { value } = json;
  return {
    conversationId: idOf(value.conversation_id),
    parentId: idOf(value.parent_id),
    threadId: idOf(value.thread_id),
    ...readSaid(value),
  };
}

function readSaid(value: Record<string, unknown>): Said {
  const { content } = value;
  switch (value.type) {
    case "system_response_message":
      return readResponse(content, value.status);
    case "system_intermediate_message":
      return readStep(value);
    case "system_interaction_message":
      return readInteraction(content);
    case "error_message":
      return { kind: "error", error: troubleIn(content ?? value.error) };
    case "observability_trace_message": {
      const traceId = isRecord(content) ? idOf(content.observability_trace_id) : idOf(content);
      return traceId === "" ? { kind: "unknown" } : { kind: "trace", traceId };
    }
    case "auth_response_message":
      if (value.status === "success") return { kind: "auth", userId: idOf(value.user_id) };
      return { kind: "auth", error: troubleIn(value.payload) };
    // A failed login before any message is answered with the bare error.
    case undefined:
    case null:
      return typeof value.code === "string" ? { kind: "error", error: troubleIn(value) } : { kind: "unknown" };
    default:
      return { kind: "unknown" };
  }
}

function readResponse(content: unknown, status: unknown): Said {
  const text = responseText(content);
  const isFailed = status === "failed" || status === "error";
  const isOver = isFailed || status === "complete" || status === "completed";
  return isOver ? { kind: "complete", text, isFailed } : { kind: "delta", text };
}

/** `{text}`, or an answer of a workflow that does not chat: `{output}` or `{value}`. */
function responseText(content: unknown): string {
  if (!isRecord(content)) return wordsOf(content);
  return wordsOf(content.text ?? content.output ?? content.value);
}

function readStep(value: Record<string, unknown>): Said {
  const { content } = value;
  const { name, payload } = isRecord(content) ? content : { name: undefined, payload: content };
  const words = wordsOf(name);
  const parent = idOf(value.parent_id);
  const isNested = parent !== "root" && parent !== "default";
  const step = { id: idOf(value.id), name: words, payload, ...(isNested && { parent }) };
  const [read] = stepOf(step, words || "step");
  return read === undefined ? { kind: "unknown" } : { kind: "step", step: read };
}

function readInteraction(content: unknown): Said {
  if (!isRecord(content)) return { kind: "unknown" };
  const text = wordsOf(content.text);
  if (content.input_type === "notification") return { kind: "notification", text };
  if (content.input_type === "oauth_consent") {
    const url = wordsOf(content.oauth_url) || wordsOf(content.redirect_url) || text;
    return { kind: "oauth", url, text: text === url ? "" : text };
  }
  return { kind: "prompt", prompt: readPrompt(content) };
}

function idOf(value: unknown): string {
  const id = typeof value === "number" ? String(value) : value;
  return typeof id === "string" && id.length <= idLengthMax ? id : "";
}
