// An agent that takes a request of another version for an empty one, starts a conversation of its own and answers without events:
// agents that read `ovon` and fall back to defaults where a key is missing do this.
import type { Json } from "../support/envelopes.ts";
import { type Behaviour, textsIn } from "../support/http-agent.ts";

export function opensItsOwnConversation({ understands0_9 = true } = {}): Behaviour {
  return (heard, { url, speakerUri }) => {
    const request = heard.body.ovon as (Json & { events: { eventType: string }[] }) | undefined;
    const said = textsIn(heard);
    if (request === undefined || !understands0_9) {
      const events = said.map((text) => utteranceOf(speakerUri, `Yes, ${text}`));
      const root = heard.body.ovon === undefined ? "openFloor" : "ovon";
      return { body: JSON.stringify(envelopeOf(root, { id: "conv-of-my-own" }, { speakerUri, url }, events)) };
    }
    const isInvited = request.events.some(({ eventType }) => eventType === "invite");
    const words = isInvited ? ["Hello, I speak 0.9"] : said.map((text) => `Yes, ${text}`);
    const events = words.map((text) => utteranceOf(speakerUri, text));
    return { body: JSON.stringify(envelopeOf("ovon", request.conversation as Json, { speakerUri, url }, events)) };
  };
}

function envelopeOf(root: "ovon" | "openFloor", conversation: Json, { speakerUri, url }: Self, events: Json[]): Json {
  const isOvon = root === "ovon";
  const sender = isOvon ? { from: url } : { speakerUri, serviceUrl: url };
  const { id } = conversation;
  return { [root]: { schema: { version: isOvon ? "0.9.3" : "1.1.0" }, conversation: { id }, sender, events } };
}

type Self = { speakerUri: string; url: string };

function utteranceOf(speakerUri: string, text: string): Json {
  const features = { text: { mimeType: "text/plain", tokens: [{ value: text }] } };
  const dialogEvent = { id: `d-${text}`, speakerId: speakerUri, speakerUri, features };
  return { eventType: "utterance", parameters: { dialogEvent } };
}
