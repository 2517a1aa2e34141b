import type { Manifest } from "@plenary/protocol";

/** An agent this floor has met or was told of. */
export type KnownAgent = {
  serviceUrl: string;
  manifest?: Manifest;
  health: "answering" | "silent";
  /** RFC 3339. */
  askedAt: string;
  /** It lives in this process. */
  isHosted?: true;
};

export type AgentList = {
  note(agent: KnownAgent): void;
  all(): readonly KnownAgent[];
};

const agentsMax = 1_000;

/** The agents this floor knows. Kept in memory: it fills again as agents are invited. */
export function createAgentList(): AgentList {
  const agents = new Map<string, KnownAgent>();
  return {
    note(agent) {
      const before = agents.get(agent.serviceUrl);
      agents.delete(agent.serviceUrl);
      agents.set(agent.serviceUrl, { ...before, ...agent });
      if (agents.size <= agentsMax) return;
      // Those that live here are few, and nobody tells of them again.
      const oldest = [...agents.values()].find(({ isHosted }) => isHosted !== true);
      if (oldest !== undefined) agents.delete(oldest.serviceUrl);
    },
    all: () => [...agents.values()],
  };
}
