import { nameOf } from "@plenary/transcript";
import type { ConversationView, KnownAgent } from "../api/types.ts";

export type Candidate = { serviceUrl: string; name: string; synopsis: string; isHere: boolean; agent: KnownAgent };

/**
 * Agents whose name, address or synopsis contains all words. Hosted and connected ones first, then those that answer,
 * conveners last.
 */
export function candidatesOf(agents: readonly KnownAgent[], view: ConversationView, query: string): Candidate[] {
  const words = query.toLowerCase().split(/\s+/u).filter(Boolean);
  const here = new Set(
    view.conversants.flatMap(({ identification: { speakerUri, serviceUrl } }) => [speakerUri, serviceUrl]),
  );
  const candidates = agents.map((agent) => {
    const { serviceUrl, manifest } = agent;
    const identification = manifest?.identification;
    const speakerUri = identification?.speakerUri ?? serviceUrl;
    const isHere = here.has(serviceUrl) || here.has(speakerUri);
    return {
      serviceUrl,
      agent,
      isHere,
      name: identification ? nameOf(speakerUri, identification) : hostOf(serviceUrl),
      synopsis: identification?.synopsis ?? "",
    };
  });
  const found = candidates.filter(({ name, synopsis, serviceUrl }) => {
    const text = `${name} ${synopsis} ${serviceUrl}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  return found.sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name));
}

/** Name for an agent without a manifest. */
function hostOf(serviceUrl: string): string {
  return URL.canParse(serviceUrl) ? new URL(serviceUrl).host : serviceUrl;
}

/** Conveners are rarely invited as speakers. */
function rank({ agent }: Candidate): number {
  if (agent.manifest?.identification.openFloorRoles?.convener === true) return 4;
  return (agent.isHosted || agent.isConnected ? 0 : 2) + (agent.health === "answering" ? 0 : 1);
}
