import type { Envelope, FloorEvent, Manifest } from "@plenary/protocol";

/** One event of a conversation, as the agent was entitled to hear it. */
export type Remembered = {
  /** RFC 3339. */
  at: string;
  /** Its speakerUri. */
  sender: string;
  /** What the sender is called, where that is known. */
  name?: string;
  event: FloorEvent;
  /** Who else is known to be entitled to it, by speakerUri. Nobody can tell where it is absent. */
  audience?: readonly string[];
};

/**
 * What an agent was entitled to hear in a conversation, oldest first, from whoever keeps the log. It outlives a restart,
 * and forgets what was erased; what the agent keeps itself does neither. A person who was seated without an invite is
 * remembered as one who accepted.
 */
export type Recall = (conversationId: string, speakerUri: string) => Promise<readonly Remembered[]>;

/** An agent of whoever hosts this one, as far as it is known there. Times are RFC 3339. */
export type Acquaintance = {
  serviceUrl: string;
  health: "answering" | "silent" | "failing";
  /** When it was last asked something. */
  askedAt: string;
  /** The last good one. */
  manifest?: Manifest;
  manifestAt?: string;
  /** It lives at that floor. */
  isHosted?: true;
  /** Somebody who may host asked for it to be known; others are known because they were talked to. */
  isAdded?: true;
};

/** One manifest that is kept, by whatever tells it from others. As text: only the catalogue writes and reads it. */
export type KeptManifest = { key: string; known: string };

/** Where a catalogue of manifests is kept, beside the conversations and no part of their logs. */
export interface CatalogueStore {
  manifests(): Promise<readonly KeptManifest[]>;
  /** All of it or nothing. Of a key that is kept already the newest is kept; what is in both lists is kept. */
  keepManifests(change: { kept: readonly KeptManifest[]; forgotten: readonly string[] }): Promise<void>;
}

/** What a floor lends to the agents that live in its process. An agent anywhere else does without. */
export type AgentHost = {
  /** As whom the floor itself speaks: nobody else may, so what is asked under that name is asked for whoever may host. */
  floorUri: () => string;
  recall: Recall;
  /**
   * Says something that nobody asked for, in a conversation of this floor and as the agent itself. It is judged like
   * anybody's envelope; rejects when the floor refuses all of it.
   */
  send: (envelope: Envelope) => Promise<void>;
  /** The agents that this floor knows. */
  acquaintances: () => readonly Acquaintance[];
  catalogue: CatalogueStore;
};
