import type { Envelope, Manifest } from "@plenary/protocol";
import type { Recall } from "./recall.ts";

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
