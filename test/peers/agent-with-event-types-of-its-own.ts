// An agent of a vendor that adds event types of its own beside the standard ones, such as a typing indicator, and that is
// sloppy in other places: its dialog events and its manifest leave the speakerUri out, because the sender section names it.
import { type Agent, answer, type Behaviour, eventsIn, startAgent, textsIn } from "../support/http-agent.ts";

const typing = { eventType: "typingIndicator", parameters: { seconds: 2 } };

function nameless(text: string): object {
  const features = { text: { mimeType: "text/plain", tokens: [{ value: text }] } };
  return { eventType: "utterance", parameters: { dialogEvent: { id: `x-${text}`, features } } };
}

const behaviour: Behaviour = (heard, agent) => {
  if (eventsIn(heard).some(({ eventType }) => eventType === "getManifests")) {
    const identification = {
      serviceUrl: agent.url,
      organization: "Example",
      conversationalName: "Typist",
      synopsis: "Types.",
    };
    const servicingManifests = [{ identification, capabilities: [] }];
    return answer(heard, agent, typing, { eventType: "publishManifests", parameters: { servicingManifests } });
  }
  const words = textsIn(heard).map((text) => nameless(`I heard ${text}`));
  return answer(heard, agent, typing, ...words, typing);
};

export function startAgentWithEventTypesOfItsOwn(): Promise<Agent> {
  return startAgent(behaviour);
}
