import type { ScoredManifest } from "@plenary/protocol";
import type { Dialler } from "./dialler.ts";
import type { FloorIdentity } from "./outbound.ts";

/** What somebody needs; languages by BCP 47, of which any will do, and layers, of which all are wanted. */
export type DiscoveryNeed = {
  text: string;
  languages?: readonly string[];
  layers?: readonly string[];
  scope?: "external" | "all";
};

/** The best first, each by its manifest, its score and why it was recommended; and how asking went, agent by agent. */
export type DiscoveryAnswer = {
  found: readonly { kind: "servicing" | "discovery"; manifest: ScoredManifest; reasons?: object }[];
  asked: readonly object[];
  /** Discovery agents that were recommended and not asked. */
  unasked: number;
};

/** Asks discovery agents who can help. What one of them does wrong is in the result, and does not stop the others. */
export interface Discovery {
  discover(
    need: DiscoveryNeed,
    means: { ask: readonly string[]; dialler: Dialler; sender: FloorIdentity; signal: AbortSignal },
  ): Promise<DiscoveryAnswer>;
}
