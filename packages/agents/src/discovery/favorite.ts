import type { Manifest } from "@plenary/protocol";
import type { Catalogue } from "./catalogue/catalogue.ts";

/** Of the agents that live beside it: a model knows a little of everything, and the guide at least the way. */
const favorites = ["llm", "guide"];

/** Whom to propose to somebody who says nothing of a task. Undefined when nobody is known. */
export function favoriteOf(
  catalogue: Catalogue,
  { favorite, neighbours = [] }: { favorite?: string; neighbours?: readonly Manifest[] },
): Manifest | undefined {
  // Anybody may tell that somebody else is there, too.
  if (favorite !== undefined) return catalogue.atService(favorite).find(({ source }) => source !== "told")?.manifest;
  const named = favorites.map((name) =>
    neighbours.find(({ identification }) => identification.serviceUrl.endsWith(`/agents/${name}`)),
  );
  return named.find((manifest) => manifest !== undefined);
}
