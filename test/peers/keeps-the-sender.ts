// An agent that copies the request and puts its own events into it, but keeps the sender section: its utterances come
// under the name of the request's sender. Handlers that start from a copy of the request do this.
import { type Json, utterance } from "../support/envelopes.ts";
import { type Behaviour, eventsIn, textsIn } from "../support/http-agent.ts";

export const keepsTheSender: Behaviour = (heard, { speakerUri }) => {
  const openFloor = heard.body.openFloor as Json | undefined;
  if (openFloor === undefined) return { status: 400, body: '{"error":"openFloor expected"}' };
  const isInvited = eventsIn(heard).some(({ eventType }) => eventType === "invite");
  const words = isInvited ? ["I am here"] : textsIn(heard).map((text) => `You said ${text}`);
  const events = words.map((text) => utterance(speakerUri, text));
  return { body: JSON.stringify({ openFloor: { ...openFloor, events } }) };
};
