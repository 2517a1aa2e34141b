import type { Feature, FloorEvent } from "@plenary/protocol";
import { type Client, RequestError } from "./client.ts";

export type OutgoingUtterance = {
  id: string;
  text: string;
  at: string;
  to?: string;
  isWhisper?: boolean;
  features?: Readonly<Record<string, Feature>>;
  language?: string;
};

export function utteranceOf(
  speakerUri: string,
  { id, text, at, to, isWhisper, features, language }: OutgoingUtterance,
): FloorEvent {
  const spoken: Feature = { mimeType: "text/plain", tokens: [{ value: text }], ...(language && { lang: language }) };
  return {
    eventType: "utterance",
    ...(to !== undefined && { to: { speakerUri: to, ...(isWhisper && { private: true }) } }),
    parameters: { dialogEvent: { id, speakerUri, span: { startTime: at }, features: { text: spoken, ...features } } },
  };
}

export function envelopeOf(conversation: string, speakerUri: string, events: readonly FloorEvent[]) {
  return {
    openFloor: { schema: { version: "1.1.0" }, conversation: { id: conversation }, sender: { speakerUri }, events },
  };
}

/** The server may refuse single events although it accepts their envelope. */
export async function sendEvents(client: Client, envelope: ReturnType<typeof envelopeOf>): Promise<void> {
  const { refused = [] } = await client.post<{ refused?: { problem: string }[] }>("/openfloor", envelope);
  if (refused[0] !== undefined) throw new RequestError(refused[0].problem, 422);
}
