// A floor that knows agents by their address alone and makes a speakerUri of it by writing "agent:" before the URL, or
// takes the URL itself. Seen in browser floors and small test clients: the person types an address, nothing else is known.
import { post, says, seat, type WireEvent } from "./foreign-floor.ts";

type Way = "agent-url" | "url";

export function floorNamingAgentsByUrl(agentUrl: string, way: Way) {
  const speakerUri = way === "agent-url" ? `agent:${agentUrl}` : agentUrl;
  const conversants = [
    seat(speakerUri, agentUrl, "Agent"),
    seat("tag:agents.example,2026:other", "https://other.example/", "Other"),
    seat("tag:people.example,2026:ann", "https://floor.example/at/ann", "Ann"),
  ];
  const send = async (event: object): Promise<WireEvent[]> =>
    (await post(agentUrl, [event], { conversation: { conversants } })).events;
  return {
    invite: () => send({ eventType: "invite", to: { serviceUrl: agentUrl, speakerUri } }),
    ask: (text: string) => send(says(text, { speakerUri })),
    whisper: (text: string) => send(says(text, { speakerUri, private: true })),
    uninvite: () => send({ eventType: "uninvite", to: { speakerUri } }),
  };
}
