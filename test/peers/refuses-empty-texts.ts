// An agent whose library checks each conversant it is sent: an empty organization, conversationalName, synopsis, speakerUri
// or serviceUrl is answered with 400, before the agent itself sees the envelope. Several public agent libraries do this.
import { utterance } from "../support/envelopes.ts";
import { type Agent, answer, type Behaviour, emptyTextsIn, eventsIn, startAgent } from "../support/http-agent.ts";

const strict: Behaviour = (heard, agent) => {
  const empty = emptyTextsIn(heard.body);
  if (empty.length > 0)
    return { status: 400, body: JSON.stringify({ error: `must not be empty: ${empty.join(", ")}` }) };
  const types = eventsIn(heard).map(({ eventType }) => eventType);
  if (types.includes("invite")) return answer(heard, agent, { eventType: "acceptInvite" });
  return answer(heard, agent, ...(types.includes("utterance") ? [utterance(agent.speakerUri, "I read you.")] : []));
};

export function startStrictAgent(): Promise<Agent> {
  return startAgent(strict);
}
