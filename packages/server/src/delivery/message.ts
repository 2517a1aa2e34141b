import { type Dialect, encodeEnvelope, envelope, isRecord } from "@plenary/protocol";
import type { Letter, Self } from "../ports/outbound.ts";
import { baggageOf } from "./baggage.ts";

/** The body of a delivery; undefined when this dialect cannot express any of its events. */
export async function bodyOf(letter: Letter, dialect: Dialect): Promise<string | undefined> {
  const { envelope: whole } = letter;
  const { document } = encodeEnvelope(whole, dialect, dialect === "1.1" ? {} : await letter.background());
  const content = document.openFloor ?? document.ovon;
  const isMute = isRecord(content) && Array.isArray(content.events) && content.events.length === 0;
  return isMute && whole.events.length > 0 ? undefined : JSON.stringify(document);
}

/** The empty answer of a recipient. */
export function silence(letter: Letter) {
  const sender = { speakerUri: letter.to.speakerUri };
  return envelope({ conversation: { id: letter.conversationId }, sender, events: [] });
}

/** The id and trace of one attempt. */
export type AttemptName = { id: string; traceparent: string };

export function headersOf(letter: Letter, self: Self, { id, traceparent }: AttemptName): Record<string, string> {
  return {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "accept-encoding": "identity",
    "webhook-id": id,
    // Our extension: without it a convener cannot tell a forwarded utterance from one it must decide about (D7).
    "plenary-delegated": letter.isDelegation ? "1" : "0",
    traceparent,
    baggage: baggageOf(letter, self),
  };
}
