import type { ScoredManifest } from "@plenary/protocol";
import type { Dialler } from "./dialler.ts";
import type { FloorIdentity } from "./outbound.ts";

/** A search: any of the languages (BCP 47), all of the layers. */
export type DiscoveryNeed = {
  text: string;
  languages?: readonly string[];
  layers?: readonly string[];
  scope?: "external" | "all";
};

export type DiscoveryAnswer = {
  /** Best first, with score and reasons. */
  found: readonly { kind: "servicing" | "discovery"; manifest: ScoredManifest; reasons?: object }[];
  /** One report for each discovery agent that was asked. */
  asked: readonly object[];
  /** Discovery agents that were recommended and not asked. */
  unasked: number;
};

/** Queries discovery agents. An agent's failure is in the result and does not stop the others. */
export interface Discovery {
  discover(
    need: DiscoveryNeed,
    means: { ask: readonly string[]; dialler: Dialler; sender: FloorIdentity; signal: AbortSignal },
  ): Promise<DiscoveryAnswer>;
}
