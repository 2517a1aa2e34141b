// A 0.9 agent whose program starts its answer as a copy of the request and writes its own part under `ovon`. A request with
// another root comes back complete beside that part: PHP agents of the 0.9 family do this.
import type { Json } from "../support/envelopes.ts";
import { type Behaviour, textsIn } from "../support/http-agent.ts";

export const copiesTheRequest: Behaviour = (heard, { url, speakerUri }) => {
  const answer = structuredClone(heard.body);
  const own = (answer.ovon ?? {}) as Json;
  answer.ovon = { ...own, sender: { from: url } };
  if (own.events === undefined) return { body: JSON.stringify(answer) };
  const said = textsIn(heard).map((text) => `You said ${text}`);
  const events = (own.events as { eventType: string }[]).some(({ eventType }) => eventType === "invite")
    ? [spoken(speakerUri, "Hello from 0.9")]
    : said.map((text) => spoken(speakerUri, text));
  answer.ovon = { ...(answer.ovon as Json), events };
  return { body: JSON.stringify(answer) };
};

function spoken(speakerId: string, text: string): Json {
  const features = { text: { mimeType: "text/plain", tokens: [{ value: text }] } };
  return { eventType: "utterance", parameters: { dialogEvent: { speakerId, features } } };
}
