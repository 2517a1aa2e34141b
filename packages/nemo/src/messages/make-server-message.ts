import type { Step } from "../features.ts";
import { escapeHtml } from "../format-text.ts";
import type {
  AuthResponseMessage,
  ErrorContent,
  ErrorMessage,
  ObservabilityTraceMessage,
  PromptContent,
  Status,
  SystemInteractionMessage,
  SystemIntermediateMessage,
  SystemResponseMessage,
} from "./server-message.ts";

/** `stock`: status words and times as the toolkit and its client use them. `page`: as on the published page. */
export type Profile = "stock" | "page";

/** The ids and the time of a message. `parentId` is the user message that it belongs to. */
export type Stamp = {
  profile: Profile;
  conversationId: string;
  parentId: string;
  /** Unix time. */
  nowMs: number;
  newId: () => string;
};

/** A delta: clients append it to the text. */
export function responseMessage(text: string, stamp: Stamp): SystemResponseMessage {
  return framed("system_response_message", { text }, stamp);
}

/**
 * The JSON of `responseMessage` before the text, to be reused for all deltas of one answer. The toolkit gives all of them the
 * same id.
 */
export function responseHead({ conversationId, parentId, newId }: Omit<Stamp, "nowMs" | "profile">): string {
  const ids = `"parent_id":${JSON.stringify(parentId)},"conversation_id":${JSON.stringify(conversationId)}`;
  const own = `"id":${JSON.stringify(newId())},"thread_id":"default"`;
  return `{"type":"system_response_message",${own},${ids},"content":{"text":`;
}

/** The JSON after the text. */
export function responseTail({ profile, nowMs }: Pick<Stamp, "profile" | "nowMs">): string {
  return `},"status":"in_progress","timestamp":"${timestampOf({ profile, nowMs })}"}`;
}

/** The last message of a run. */
export function completeMessage(stamp: Stamp, isFailed = false): SystemResponseMessage {
  const status = stamp.profile === "stock" ? "complete" : isFailed ? "failed" : "completed";
  return framed("system_response_message", { text: null }, stamp, status);
}

/**
 * In the toolkit and its client `parent_id` names the enclosing step. On the page `parent_id` is the user message, and
 * `intermediate_parent_id` the enclosing step.
 */
export function intermediateMessage(step: Step, stamp: Stamp): SystemIntermediateMessage {
  const isStock = stamp.profile === "stock";
  return {
    type: "system_intermediate_message",
    id: step.id,
    thread_id: "default",
    parent_id: isStock ? (step.parent ?? "root") : stamp.parentId,
    intermediate_parent_id: isStock ? "default" : (step.parent ?? "default"),
    ...(isStock && { update_message_id: "default" }),
    conversation_id: stamp.conversationId,
    content: { name: escapeHtml(step.name), payload: escapeHtml(step.payload) },
    status: "in_progress",
    timestamp: timestampOf(stamp),
  };
}

export function interactionMessage(content: PromptContent, stamp: Stamp): SystemInteractionMessage {
  return framed("system_interaction_message", content, stamp);
}

/** The stock client shows an error only beside a text, so send a text too. */
export function errorMessage(error: ErrorContent, stamp: Stamp): ErrorMessage {
  return framed("error_message", error, stamp);
}

/** The stock client accepts a trace only directly after the last message of the run. */
export function traceMessage(traceId: string, stamp: Stamp): ObservabilityTraceMessage {
  return {
    type: "observability_trace_message",
    id: stamp.newId(),
    parent_id: stamp.parentId,
    conversation_id: stamp.conversationId,
    content: { observability_trace_id: traceId },
    timestamp: timestampOf(stamp),
  };
}

export function authResponse(
  outcome: { userId: string } | { error: ErrorContent },
  stamp: Pick<Stamp, "profile" | "nowMs">,
): AuthResponseMessage {
  const isKnown = "userId" in outcome;
  return {
    type: "auth_response_message",
    status: isKnown ? "success" : "error",
    user_id: isKnown ? outcome.userId : null,
    payload: isKnown ? null : outcome.error,
    timestamp: timestampOf(stamp),
  };
}

function framed<Type extends string, Content>(
  type: Type,
  content: Content,
  stamp: Stamp,
  status: Status = "in_progress",
) {
  return {
    type,
    id: stamp.newId(),
    thread_id: "default",
    parent_id: stamp.parentId,
    conversation_id: stamp.conversationId,
    content,
    status,
    timestamp: timestampOf(stamp),
  };
}

function timestampOf({ profile, nowMs }: Pick<Stamp, "profile" | "nowMs">): string {
  const iso = isoOf(nowMs);
  return profile === "page" ? iso : `${iso.slice(0, 10)} ${iso.slice(11, 23)}000+00:00`;
}

let last = { nowMs: Number.NaN, iso: "" };

/** Cached, because many messages have the same millisecond. */
function isoOf(nowMs: number): string {
  if (nowMs !== last.nowMs) last = { nowMs, iso: new Date(nowMs).toISOString() };
  return last.iso;
}
