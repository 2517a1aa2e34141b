import { type Dialect, type Envelope, encodeEnvelope, envelope, type FloorEvent, isRecord } from "@plenary/protocol";
import type { DeliveryLimits } from "../limits.ts";
import type { MaybePromise } from "../ports/maybe-promise.ts";
import type { DialectContext, FloorIdentity, OutboundMessage } from "../ports/outbound.ts";

/** The body of a delivery; undefined when this dialect cannot express any of its events. */
export function bodyOf(message: OutboundMessage, dialect: Dialect): MaybePromise<string | undefined> {
  const { envelope: whole } = message;
  if (dialect !== "1.1") return message.background().then((background) => written(whole, dialect, background));
  const [first] = whole.events;
  if (first === undefined) return written(whole, dialect);
  const kept = last.get(first);
  if (kept !== undefined && isSame(whole, kept.envelope)) return kept.body;
  const body = written(whole, dialect);
  // Replaced, not added to: an event may live long, for example in a store in memory.
  last = new WeakMap([[first, { envelope: whole, body }]]);
  return body;
}

type WrittenBody = { envelope: Envelope; body: string | undefined };

/**
 * Recipients of one decision get their deliveries one after the other, so its body is written once. The last body, by its
 * first event: it is not kept after its events, which may be erased.
 */
let last = new WeakMap<FloorEvent, WrittenBody>();

/** By identity: a recipient with a view of its own has other events. */
function isSame({ schema, conversation, sender, events }: Envelope, other: Envelope): boolean {
  if (conversation !== other.conversation || sender !== other.sender) return false;
  if (schema.version !== other.schema.version || events.length !== other.events.length) return false;
  return events.every((event, index) => event === other.events[index]);
}

function written(whole: Envelope, dialect: Dialect, background: Partial<DialectContext> = {}): string | undefined {
  const { document } = encodeEnvelope(whole, dialect, background);
  const content = document.openFloor ?? document.ovon;
  const isEmpty = isRecord(content) && Array.isArray(content.events) && content.events.length === 0;
  return isEmpty && whole.events.length > 0 ? undefined : JSON.stringify(document);
}

/** The empty answer of a recipient. */
export function emptyAnswer(message: OutboundMessage) {
  const sender = { speakerUri: message.to.speakerUri };
  return envelope({ conversation: { id: message.conversationId }, sender, events: [] });
}

/** The id and trace of one attempt. */
type AttemptName = { id: string; traceparent: string };

export function headersOf(
  message: OutboundMessage,
  self: FloorIdentity,
  { id, traceparent }: AttemptName,
): Record<string, string> {
  return {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "accept-encoding": "identity",
    "webhook-id": id,
    // Our extension: without it a convener cannot distinguish a forwarded utterance from one it must decide about (D7).
    "plenary-delegated": message.isDelegation ? "1" : "0",
    traceparent,
    baggage: baggageOf(message, self),
  };
}

/** W3C Baggage: the depth of the turn, and the floors it passed (D17). */
export function baggageOf({ depth, floors }: OutboundMessage, self: FloorIdentity): string {
  const visited = [...floors.filter((floor) => floor !== self.speakerUri), self.speakerUri];
  return `plenary.depth=${depth},plenary.floors=${encodeURIComponent(visited.join(" "))}`;
}

/** The earlier hops of an envelope, from W3C Baggage (D17). */
export function trailIn(baggage: string | undefined): { depth?: number; floors?: string[] } {
  if (baggage === undefined) return {};
  const depth = depthIn(baggage);
  return { ...(depth !== undefined && { depth }), floors: floorsIn(baggage) };
}

/** The number of earlier hops on other floors. */
function depthIn(baggage: string): number | undefined {
  const found = /(?:^|,)\s*plenary\.depth\s*=\s*(\d{1,6})\s*(?:[;,]|$)/u.exec(baggage);
  return found === null ? undefined : Number(found[1]);
}

/** The floors of those hops, in order. */
function floorsIn(baggage: string): string[] {
  const found = /(?:^|,)\s*plenary\.floors\s*=\s*([^\s,;]{1,4096})/u.exec(baggage);
  try {
    return decodeURIComponent(found?.[1] ?? "")
      .split(" ")
      .filter((floor) => floor !== "");
  } catch {
    // Not the encoding that Plenary uses.
    return [];
  }
}

/** The timeouts of one answer: between two chunks, in total, and in total for a stream. */
export function waitFor(
  { isInvite, agentTimeoutMs }: { isInvite: boolean; agentTimeoutMs?: number | undefined },
  { silenceMs, inviteAnswerMs, answerMs, streamMs }: DeliveryLimits,
): { silenceMs: number; answerMs: number; streamMs: number } {
  const patience = agentTimeoutMs ?? silenceMs;
  const wholeMs = Math.max(patience, isInvite ? inviteAnswerMs : answerMs);
  return { silenceMs: patience, answerMs: wholeMs, streamMs: isInvite ? wholeMs : Math.max(wholeMs, streamMs) };
}
