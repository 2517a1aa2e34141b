// An agent that accepts an invite without an utterance and stays silent until it is sent `grantFloor`, whatever `floorGranted`
// lists. The newest public agents do this: they take the invite for a seat, and grantFloor for the permission to speak.
import { utterance } from "../support/envelopes.ts";
import { type Agent, answer, type Behaviour, eventsIn, startAgent, textsIn } from "../support/http-agent.ts";

/** `grantsNeeded` is 2 for an agent that forgets the first grant, as after a restart. */
export function startSilentAgent({ grantsNeeded = 1 } = {}): Promise<Agent> {
  let grants = 0;
  const behaviour: Behaviour = (heard, agent) => {
    const types = eventsIn(heard)
      .filter(({ to }) => to === undefined || to.speakerUri === agent.speakerUri || to.serviceUrl === agent.url)
      .map(({ eventType }) => eventType);
    if (types.includes("invite")) return answer(heard, agent, { eventType: "acceptInvite" });
    grants += types.filter((type) => type === "grantFloor").length;
    const said =
      grants >= grantsNeeded ? textsIn(heard).map((text) => utterance(agent.speakerUri, `granted: ${text}`)) : [];
    return answer(heard, agent, ...(types.includes("utterance") ? said : []));
  };
  return startAgent(behaviour);
}
