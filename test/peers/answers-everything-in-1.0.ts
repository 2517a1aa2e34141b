// A 1.0 agent that was ported from 0.9: it copies the conversation section, answers every request with an utterance, and writes
// its manifest as 0.9 has it: one manifest in publishManifest, at a serviceEndpoint, without a speakerUri.
import { utterance } from "../support/envelopes.ts";
import { type Agent, answer, type Behaviour, eventsIn, startAgent, textsIn } from "../support/http-agent.ts";

const behaviour: Behaviour = (heard, { speakerUri, url }) => {
  const types = eventsIn(heard).map(({ eventType }) => eventType);
  const about = { organization: "Example", conversationalName: "Athena", synopsis: "Knows books." };
  const manifest = { identification: { serviceEndpoint: url, ...about }, capabilities: { keyphrases: ["books"] } };
  const published = { eventType: "publishManifest", parameters: { manifest } };
  const words = textsIn(heard)[0] ?? (types.includes("invite") ? "I am Athena" : "I am not sure how to respond");
  const events = [...(types.includes("getManifests") ? [published] : []), utterance(speakerUri, words)];
  const { body } = answer(heard, { speakerUri, url }, ...events);
  return { body: body.replace('"1.1.0"', '"1.0.0"') };
};

export function startAnswersEverythingIn10(): Promise<Agent> {
  return startAgent(behaviour);
}
