// An ordinary agent that was made convener. It accepts, and answers delegated events as it answers all events: with
// nothing, or with an utterance about something else. It never returns an event.
import { utterance } from "../support/envelopes.ts";
import { type Agent, answer, startAgent } from "../support/http-agent.ts";

export function startOrdinaryAgent(words?: string): Promise<Agent> {
  return startAgent((heard, me) => {
    const isAsked = heard.headers["plenary-delegated"] === "1";
    return answer(heard, me, ...(isAsked && words !== undefined ? [utterance(me.speakerUri, words)] : []));
  });
}
