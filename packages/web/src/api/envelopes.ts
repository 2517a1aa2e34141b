import type { Feature } from "@plenary/protocol";
import type { FloorEvent } from "./types.ts";

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
