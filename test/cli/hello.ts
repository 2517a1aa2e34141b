// The utterance that the tests of the command send to a floor.
import { envelopeOf } from "../support/envelopes.ts";

export const ann = "tag:ann.example,2025:1";

export const envelope = (conversationId: string, events: object[]) =>
  JSON.stringify(envelopeOf(conversationId, ann, events));

export const hello = {
  eventType: "utterance",
  parameters: {
    dialogEvent: {
      id: "de:1",
      speakerUri: ann,
      span: { startTime: "2025-01-31T10:05:00Z" },
      features: { text: { mimeType: "text/plain", tokens: [{ value: "hello" }] } },
    },
  },
};

export function say(url: string, token: string, events: object[], headers: Record<string, string> = {}) {
  return fetch(`${url}/openfloor`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
    body: envelope("c1", events),
  });
}
