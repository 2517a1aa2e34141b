import type { Envelope, FloorEvent, Manifest } from "@plenary/protocol";

/** An event of a conversation that the agent is entitled to read. */
export type HistoryEntry = {
  /** RFC 3339. */
  at: string;
  /** The sender's speakerUri. */
  sender: string;
  /** The sender's conversational name, where it is known. */
  name?: string;
  event: FloorEvent;
  /** The speakerUris of everyone else known to be entitled to the event. Absent: not known. */
  audience?: readonly string[];
};

/**
 * Reads the events of a conversation that a speaker is entitled to, oldest first, from the log of the floor. Unlike the
 * agent's own memory, the log survives a restart, and erased events are gone from it. A person who joined without an
 * invite appears with an acceptInvite.
 */
export type ReadHistory = (conversationId: string, speakerUri: string) => Promise<readonly HistoryEntry[]>;

/** An agent that the floor knows. Times are RFC 3339. */
export type AgentSummary = {
  serviceUrl: string;
  health: "answering" | "silent" | "failing";
  /** The time of the last request to it. */
  askedAt: string;
  /** The last valid manifest. */
  manifest?: Manifest;
  manifestAt?: string;
  /** The agent runs in the process of the floor. */
  isHosted?: true;
  /** A caller who may host added the agent. Other agents are known because they took part in a conversation. */
  isAdded?: true;
};

/** A stored manifest under its key. `known` is text that only the catalogue writes and reads. */
export type StoredManifest = { key: string; known: string };

/** Stores the manifests of a catalogue, apart from the logs of the conversations. */
export interface CatalogueStore {
  manifests(): Promise<readonly StoredManifest[]>;
  /** Atomic. A new value replaces the stored one of the same key. A key in both lists is kept. */
  keepManifests(change: { kept: readonly StoredManifest[]; forgotten: readonly string[] }): Promise<void>;
}

/** What a floor gives to the agents in its own process. Other agents work without it. */
export type AgentHost = {
  /** The floor's own speakerUri. Only the floor can send as it: a request under this name is made for a caller who may host. */
  floorUri: () => string;
  readHistory: ReadHistory;
  /**
   * Sends an envelope as the agent, without a request, in a conversation of this floor. The floor applies the same rules
   * as to every envelope. Rejects when the floor refuses all events.
   */
  send: (envelope: Envelope) => Promise<void>;
  /** The agents that this floor knows. */
  knownAgents: () => readonly AgentSummary[];
  catalogue: CatalogueStore;
};
