import { type Dialect, encodeEnvelope, envelope, isRecord } from "@plenary/protocol";
import type { FloorIdentity, OutboundMessage } from "../ports/outbound.ts";
import { baggageOf } from "./baggage.ts";

/** The body of a delivery; undefined when this dialect cannot express any of its events. */
export async function bodyOf(message: OutboundMessage, dialect: Dialect): Promise<string | undefined> {
  const { envelope: whole } = message;
  const { document } = encodeEnvelope(whole, dialect, dialect === "1.1" ? {} : await message.background());
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
export type AttemptName = { id: string; traceparent: string };

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
