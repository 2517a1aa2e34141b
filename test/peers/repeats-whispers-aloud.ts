// Agents that do not know `private`: they answer each utterance with a public one that repeats the text. Most small
// agents built on a template do this, because the template builds an answer without `to`.
import { type Json, utterance } from "../support/envelopes.ts";
import { type Agent, answer, type Behaviour, type Heard, startAgent, textsIn } from "../support/http-agent.ts";

export function startRepeatsWhispersAloud(more: Json = {}): Promise<Agent> {
  return startAgent((heard, me) => repeat(heard, me, more));
}

/** `more` is written into each answer beside its text, `to` for example. */
function repeat(heard: Heard, me: Agent, more: Json) {
  return answer(heard, me, ...textsIn(heard).map((text) => utterance(me.speakerUri, `You said: ${text}`, more)));
}

/** The same as a stream: the text comes in pieces before the answer. */
export function startRepeatsWhispersAloudInPieces(): Promise<Agent> {
  return startAgent((heard, me) => {
    const whole = repeat(heard, me, {});
    const [text] = textsIn(heard);
    if (text === undefined) return whole;
    const { openFloor } = JSON.parse(whole.body) as {
      openFloor: { events: { parameters: { dialogEvent: { id: string } } }[] };
    };
    const dialogEventId = openFloor.events[0]?.parameters.dialogEvent.id;
    const start = `event: start\ndata: ${JSON.stringify({ dialogEventId })}\n\n`;
    const delta = `event: delta\ndata: ${JSON.stringify(`You said: ${text}`)}\n\n`;
    return { type: "text/event-stream", body: `${start}${delta}event: envelope\ndata: ${whole.body}\n\n` };
  });
}

/** Accepts a delivery with 202 and posts its answer to the floor some time later, naming the delivery. */
export function startRepeatsWhispersAloudLater(floorUrl: string): Promise<Agent> {
  const later: Behaviour = (heard, me) => {
    if (textsIn(heard).length === 0) return answer(heard, me);
    const { body } = repeat(heard, me, {});
    const headers = { "content-type": "application/json", "in-reply-to": String(heard.headers["webhook-id"]) };
    setImmediate(() => void fetch(`${floorUrl}/openfloor`, { method: "POST", headers, body }));
    return { status: 202, body: "" };
  };
  return startAgent(later);
}
