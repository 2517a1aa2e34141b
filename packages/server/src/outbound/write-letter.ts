import { createHmac, timingSafeEqual } from "node:crypto";
import { type Dialect, encodeEnvelope, envelope, isRecord } from "@plenary/protocol";
import type { Letter, Self } from "../ports.ts";

/** The bytes of a delivery; undefined when this dialect has no words for any of it. */
export async function bodyOf(letter: Letter, dialect: Dialect): Promise<string | undefined> {
  const { envelope: whole } = letter;
  const { document } = encodeEnvelope(whole, dialect, dialect === "1.1" ? {} : await letter.background());
  const content = document.openFloor ?? document.ovon;
  const isMute = isRecord(content) && Array.isArray(content.events) && content.events.length === 0;
  return isMute && whole.events.length > 0 ? undefined : JSON.stringify(document);
}

/** What a conversant says that has nothing to say. */
export function silence(letter: Letter) {
  const sender = { speakerUri: letter.to.speakerUri };
  return envelope({ conversation: { id: letter.conversationId }, sender, events: [] });
}

/** How one attempt names itself. */
export type AttemptName = { id: string; traceparent: string };

export function headersOf(letter: Letter, self: Self, { id, traceparent }: AttemptName): Record<string, string> {
  return {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "accept-encoding": "identity",
    "webhook-id": id,
    // Our extension: an utterance that is merely passed on looks to a convener like one it is asked about (D7).
    "plenary-delegated": letter.isDelegation ? "1" : "0",
    traceparent,
    baggage: baggageOf(letter, self),
  };
}

/** W3C Baggage: how far the turn has come, and over which floors (D17). */
export function baggageOf({ depth, floors }: Letter, self: Self): string {
  const visited = [...floors.filter((floor) => floor !== self.speakerUri), self.speakerUri];
  return `plenary.depth=${depth},plenary.floors=${encodeURIComponent(visited.join(" "))}`;
}

type Delivered = { conversationId: string; delivery: string };

/**
 * Delivery ids count within one conversation; agents may tell repetitions apart over all of them. Only the recipient
 * learns this one, so it also lets an agent without a credential answer later, as itself (D22).
 */
export function webhookId({ conversationId, delivery }: Delivered, deliverySecret: string): string {
  const text = JSON.stringify([conversationId, delivery]);
  return `${createHmac("sha256", deliverySecret).update(text).digest("base64url")}:${delivery}`;
}

/** The delivery that `In-Reply-To` names, with or without what we put before it. */
export function deliveryIn(inReplyTo: string): string {
  return inReplyTo.slice(inReplyTo.lastIndexOf(":") + 1).trim();
}

export function isWebhookId(inReplyTo: string, delivered: Delivered, deliverySecret: string): boolean {
  const [given, right] = [inReplyTo.trim(), webhookId(delivered, deliverySecret)].map((id) => Buffer.from(id));
  return given !== undefined && right !== undefined && given.length === right.length && timingSafeEqual(given, right);
}

/** What W3C Baggage says of the way behind an envelope (D17). */
export function trailIn(baggage: string | undefined): { depth?: number; floors?: string[] } {
  if (baggage === undefined) return {};
  const depth = depthIn(baggage);
  return { ...(depth !== undefined && { depth }), floors: floorsIn(baggage) };
}

/** How many hops on other floors are behind a request. */
function depthIn(baggage: string): number | undefined {
  const found = /(?:^|,)\s*plenary\.depth\s*=\s*(\d{1,6})\s*(?:[;,]|$)/u.exec(baggage);
  return found === null ? undefined : Number(found[1]);
}

/** The floors those hops were made on, in order. */
function floorsIn(baggage: string): string[] {
  const found = /(?:^|,)\s*plenary\.floors\s*=\s*([^\s,;]{1,4096})/u.exec(baggage);
  try {
    return decodeURIComponent(found?.[1] ?? "")
      .split(" ")
      .filter((floor) => floor !== "");
  } catch {
    // Somebody else's idea of baggage.
    return [];
  }
}
