import { hash } from "node:crypto";
import type { FloorStore } from "../ports/store.ts";

const digits = 12;

/**
 * What tells the agents that live here from those of other floors: a part of their names, made from the floor's own (D39).
 * Undefined for a store that held conversations before: who is seated there goes on under the old name.
 */
export async function keepHostedMark(
  store: Pick<FloorStore, "keep" | "count">,
  floorUri: string,
): Promise<string | undefined> {
  const kind = await store.keep("hostedAgentNames", (await store.count()) === 0 ? "unique" : "plain");
  return kind === "unique" ? hash("sha256", floorUri, "hex").slice(0, digits) : undefined;
}
