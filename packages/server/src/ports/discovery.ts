import type { RouteAnswer } from "@plenary/api";
import type { ScoredManifest } from "@plenary/protocol";
import type { Dialler } from "./dialler.ts";
import type { FloorIdentity } from "./outbound.ts";

/** A search: any of the languages (BCP 47), all of the layers. */
type DiscoveryNeed = {
  text: string;
  languages?: readonly string[];
  layers?: readonly string[];
  scope?: "external" | "all";
};

type Answer = RouteAnswer<"POST /api/v1/discover">;
type Found = Answer["found"][number];

export type DiscoveryAnswer = {
  /** Best first, with score and reasons. */
  found: readonly { kind: "servicing" | "discovery"; manifest: ScoredManifest; reasons?: Found["reasons"] }[];
  /** One report for each discovery agent that was asked. */
  asked: Answer["asked"];
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
