import { encodeEnvelope } from "@plenary/protocol";
import type { Acquaintance } from "@plenary/sdk";
import type { Receiver } from "../conversation/receive.ts";
import type { Self } from "../ports/outbound.ts";
import type { Principal } from "../ports/principal.ts";
import type { FloorStore } from "../ports/store.ts";
import type { Lent } from "./hosted.ts";
import { createRecall } from "./log-memory.ts";
import type { AgentList } from "./registry.ts";
import type { KnownAgent } from "./view.ts";

type Lender = {
  self: () => Self;
  store: FloorStore;
  receiver: () => Receiver;
  agents: () => Pick<AgentList, "all" | "isAdded">;
};

/** What agents of this process may use of the floor they live at. */
export function lentBy({ self, store, receiver, agents }: Lender): Lent {
  return {
    floorUri: () => self().speakerUri,
    recall: createRecall(store),
    async send(envelope, speakerUri) {
      const text = JSON.stringify(encodeEnvelope(envelope, "1.1", {}).document);
      await receiver().envelope(text, { principal: hostedAs(speakerUri) });
    },
    acquaintances: () => {
      const list = agents();
      return list
        .all()
        .map((agent) => ({ ...acquaintanceOf(agent), ...(list.isAdded(agent.serviceUrl) && { isAdded: true }) }));
    },
    catalogue: {
      manifests: () => store.manifests(),
      keepManifests: (change) => store.keepManifests(change),
    },
  };
}

/** An agent of this process needs no credential to be itself, and may be nobody else. */
function hostedAs(speakerUri: string): Principal {
  return { id: `hosted ${speakerUri}`, kind: "agent", speakers: [speakerUri], scopes: [] };
}

function acquaintanceOf(agent: KnownAgent): Acquaintance {
  const { serviceUrl, health, askedAt, manifest, manifestAt, isHosted } = agent;
  return {
    ...{ serviceUrl, health, askedAt },
    ...(manifest && { manifest }),
    ...(manifestAt && { manifestAt }),
    ...(isHosted && { isHosted }),
  };
}
