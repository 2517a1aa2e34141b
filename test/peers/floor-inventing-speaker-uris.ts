// A floor that invents a speakerUri for each agent and keeps using it beside the right serviceUrl, whatever name the agent
// answers under. Seen in clients that number their agents, or that keep the names of a configuration file.
import { post, says, seat, type WireEvent } from "./foreign-floor.ts";

const invented = "urn:agent:7";
const other = { speakerUri: "urn:agent:8", serviceUrl: "https://other.example/" };

export function floorInventingSpeakerUris(agentUrl: string, { isListed = false } = {}) {
  const listed = [seat(invented, agentUrl, "Agent"), seat(other.speakerUri, other.serviceUrl, "Other")];
  const conversation = isListed ? { conversants: listed } : {};
  const send = async (event: object): Promise<WireEvent[]> => (await post(agentUrl, [event], { conversation })).events;
  return {
    ask: (text: string) => send(says(text, { speakerUri: invented, serviceUrl: agentUrl })),
    askByNameAlone: (text: string) => send(says(text, { speakerUri: invented })),
    /** An utterance to the other agent, of which all agents get a copy. */
    askOther: (text: string) => send(says(text, other)),
    /** Both are at one address; the list distinguishes them. */
    askNeighbour: async (text: string) => {
      const conversants = [...listed, seat("urn:agent:9", agentUrl, "Neighbour")];
      const to = { speakerUri: "urn:agent:9", serviceUrl: agentUrl };
      return (await post(agentUrl, [says(text, to)], { conversation: { conversants } })).events;
    },
  };
}
