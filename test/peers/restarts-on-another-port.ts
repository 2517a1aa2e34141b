// An agent under development: its name is in its source, its port is any free one at its start. Most sample
// agents do this. It answers every utterance with its own address, so that a test sees which process spoke.
import { utterance } from "../support/envelopes.ts";
import { type Agent, answer, type Behaviour, eventsIn, startAgent } from "../support/http-agent.ts";

export const clock = "tag:clock.example,2026:clock";

const saysWhereItIs: Behaviour = (heard, me) => {
  const isAsked = eventsIn(heard).some(({ eventType }) => eventType === "utterance");
  return answer(heard, me, ...(isAsked ? [utterance(me.speakerUri, `from ${me.url}`)] : []));
};

export function startOnAPort(speakerUri = clock): Promise<Agent> {
  return startAgent(saysWhereItIs, speakerUri);
}

/** The old process ends, and a new one has the same name at another port. */
export async function restart(agent: Agent): Promise<Agent> {
  await agent.close();
  return startOnAPort(agent.speakerUri);
}

/** The same server under another name of this machine. */
export function atHost(agent: Agent, host: string): { url: string } {
  return { url: agent.url.replace("127.0.0.1", host) };
}
