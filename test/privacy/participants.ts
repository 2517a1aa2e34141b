// The participants: people with keys, and agents that are plain HTTP servers, one of which often fails.

import { utterance } from "../support/envelopes.ts";
import {
  type Agent,
  answer,
  type Behaviour,
  eventsIn,
  type Heard,
  startAgent,
  textsIn,
} from "../support/http-agent.ts";
import type { Canary } from "./canary.ts";

type Random = (below: number) => number;

const person = (name: string) => `tag:people.example,2026:${name}`;
export const ann = person("ann");
export const bob = person("bob");
export const cid = person("cid");
/** Joins late, leaves and joins again. */
export const dora = person("dora");
/** Was there at the beginning only. */
export const finn = person("finn");
export const outsider = person("outsider");
export const people = [ann, bob, cid, dora, finn, outsider];

export type Participants = { trusty: Agent; chatty: Agent; broken: Agent; convener: Agent; agents: readonly Agent[] };

export async function startParticipants(canary: Canary, random: Random): Promise<Participants> {
  const name = (one: string) => `tag:agents.example,2026:${one}`;
  const trusty = await startAgent(modern(confidant(canary, random)), name("trusty"));
  const chatty = await startAgent(modern(indiscreet(confidant(canary, random, 2), random)), name("chatty"));
  const broken = await startAgent(modern(outOfOrder(confidant(canary, random), random)), name("broken"));
  const convener = await startAgent(modern(curator(random)), name("convener"));
  return { trusty, chatty, broken, convener, agents: [trusty, chatty, broken, convener] };
}

/** Knows 1.x only: after a failure the floor tries older dialects. */
function modern(behaviour: Behaviour): Behaviour {
  return (heard, me) => (heard.body.openFloor === undefined ? { status: 400, body: "what?" } : behaviour(heard, me));
}

function senderOf({ body }: Heard): string {
  return (body.openFloor as { sender: { speakerUri: string } }).sender.speakerUri;
}

/** Answers a whisper with a whisper, streamed or whole, and sometimes speaks in public. */
function confidant(canary: Canary, random: Random, talkative = 8): Behaviour {
  return (heard, me) => {
    const speakerUri = senderOf(heard);
    const isSecret = eventsIn(heard).some(({ eventType, to }) => eventType === "utterance" && to?.private === true);
    if (!isSecret || random(2) === 0) {
      const isLoud = eventsIn(heard).some(({ eventType }) => eventType === "utterance") && random(talkative) === 0;
      return answer(heard, me, ...(isLoud ? [utterance(me.speakerUri, `I see ${random(1_000)}`)] : []));
    }
    const to = { speakerUri, private: true };
    const token = canary.token(me.speakerUri, speakerUri);
    const said = utterance(me.speakerUri, `${token} between us`, { to }) as Said;
    const whole = answer(heard, me, said);
    if (random(2) === 0) return whole;
    const { id: dialogEventId } = said.parameters.dialogEvent;
    const start = `event: start\ndata: ${JSON.stringify({ dialogEventId, to })}\n\n`;
    const delta = `event: delta\ndata: ${JSON.stringify(`${token} between`)}\n\n`;
    const step = { id: "1", title: `${token} on the way`, detail: token, state: "running" };
    const done = `event: step\ndata: ${JSON.stringify({ step })}\n\n`;
    return { type: "text/event-stream", body: `${start}${done}${delta}event: envelope\ndata: ${whole.body}\n\n` };
  };
}

/** Sometimes repeats whispers in public, but not in the conversation with the spec policy. */
function indiscreet(otherwise: Behaviour, random: Random): Behaviour {
  return (heard, me) => {
    const { conversation } = heard.body.openFloor as { conversation: { id: string } };
    const isSecret = eventsIn(heard).some(({ eventType, to }) => eventType === "utterance" && to?.private === true);
    if (!isSecret || conversation.id === "strict" || random(2) === 0) return otherwise(heard, me);
    const to = random(2) === 0 ? {} : { to: { speakerUri: bob } };
    return answer(heard, me, ...textsIn(heard).map((text) => utterance(me.speakerUri, `aloud: ${text}`, to)));
  };
}

type Said = { parameters: { dialogEvent: { id: string } } };

function outOfOrder(otherwise: Behaviour, random: Random): Behaviour {
  return (heard, me) => {
    const isSpoken = eventsIn(heard).some(({ eventType }) => eventType === "utterance");
    const mood = isSpoken ? random(8) : 7;
    if (mood < 3) return { status: 500, body: "out of order" };
    if (mood === 3) return { status: 503, body: "later", headers: { "retry-after": "0" } };
    if (mood === 4) return { body: "this is no envelope" };
    return otherwise(heard, me);
  };
}

/** Returns a delegated event, or drops it. */
function curator(random: Random): Behaviour {
  return (heard, me) => {
    const { conversation } = heard.body.openFloor as { conversation: { floorGranted?: string[] } };
    const sender = senderOf(heard);
    const isGranted = conversation.floorGranted?.includes(sender) === true;
    const events = eventsIn(heard);
    if (events.some(({ eventType }) => eventType === "requestFloor")) {
      return answer(heard, me, { eventType: "grantFloor", to: { speakerUri: sender } });
    }
    const isMine = events.some(({ to }) => to?.private === true);
    return answer(heard, me, ...(isGranted || isMine || random(2) === 0 ? [] : events));
  };
}
