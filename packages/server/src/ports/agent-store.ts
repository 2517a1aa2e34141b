/** An agent by its address. `known` is opaque text of the agent registry. */
export type StoredAgent = { serviceUrl: string; known: string };

/** Not part of the logs of conversations. Lost records can be learned again. */
export interface AgentStore {
  agents(): Promise<readonly StoredAgent[]>;
  /** Atomic. A newer record of an address replaces the older one. */
  keepAgents(change: { kept: readonly StoredAgent[]; forgotten: readonly string[] }): Promise<void>;
}
