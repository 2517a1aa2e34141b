import { createHmac, timingSafeEqual } from "node:crypto";

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
