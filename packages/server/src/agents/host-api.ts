import { encodeEnvelope } from "@plenary/protocol";
import type { AgentSummary } from "@plenary/sdk";
import type { Receiver } from "../conversation/receive.ts";
import type { FloorIdentity } from "../ports/outbound.ts";
import type { Principal } from "../ports/principal.ts";
import type { FloorStore } from "../ports/store.ts";
import type { HostApi } from "./hosted.ts";
import { createLogMemory } from "./log-memory.ts";
import type { AgentRegistry } from "./registry.ts";
import type { KnownAgent } from "./view.ts";

type HostApiSources = {
  self: () => FloorIdentity;
  store: FloorStore;
  receiver: () => Receiver;
  agents: () => Pick<AgentRegistry, "all" | "isAdded">;
};

/** The functions of this floor that its hosted agents may use. */
export function createHostApi({ self, store, receiver, agents }: HostApiSources): HostApi {
  return {
    floorUri: () => self().speakerUri,
    readHistory: createLogMemory(store),
    async send(envelope, speakerUri) {
      const text = JSON.stringify(encodeEnvelope(envelope, "1.1", {}).document);
      await receiver().envelope(text, { principal: principalOfHosted(speakerUri) });
    },
    knownAgents: () => {
      const list = agents();
      return list
        .all()
        .map((agent) => ({ ...summaryOf(agent), ...(list.isAdded(agent.serviceUrl) && { isAdded: true }) }));
    },
    catalogue: {
      manifests: () => store.manifests(),
      keepManifests: (change) => store.keepManifests(change),
    },
  };
}

/** A hosted agent needs no credential, and may speak only as itself. */
function principalOfHosted(speakerUri: string): Principal {
  return { id: `hosted ${speakerUri}`, kind: "agent", speakers: [speakerUri], scopes: [] };
}

function summaryOf(agent: KnownAgent): AgentSummary {
  const { serviceUrl, health, askedAt, manifest, manifestAt, isHosted } = agent;
  return {
    serviceUrl,
    health,
    askedAt,
    ...(manifest && { manifest }),
    ...(manifestAt && { manifestAt }),
    ...(isHosted && { isHosted }),
  };
}
