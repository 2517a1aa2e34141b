import { type Dialect, encodeEnvelope, envelope, isRecord } from "@plenary/protocol";
import type { Letter, Self } from "../ports/outbound.ts";
import { baggageOf } from "./baggage.ts";

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
