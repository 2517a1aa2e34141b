import type { DialogEvent } from "@plenary/protocol";
import { type SearchParameters, searchFeature } from "@plenary/sdk";

export type TaskOptions = SearchParameters & {
  languages: readonly string[];
  layers: readonly string[];
  visited: readonly string[];
};

const textMax = 4_000;
const visitedMax = 500;
const uriMax = 2_048;
const listMax = 16;
const wordMax = 80;

export function taskText(text: string): string {
  return text.trim().slice(0, textMax);
}

/** Input from strangers: invalid parts are ignored. */
export function taskOptionsIn(tasks: readonly DialogEvent[]): TaskOptions {
  const searches = tasks.map(searchIn).filter((one) => one !== undefined);
  const listed = (name: "visited" | "languages" | "layers", max: number, lengthMax: number) =>
    searches.flatMap((one) => textsIn(one[name], lengthMax)).slice(0, max);
  const depths = searches.map(({ depthLeft }) => depthLeft).filter((depth) => typeof depth === "number");
  const spoken = tasks.flatMap(({ features }) => textsIn([features.text?.lang], wordMax));
  return {
    visited: listed("visited", visitedMax, uriMax),
    languages: [...new Set([...listed("languages", listMax, wordMax), ...spoken])].slice(0, listMax),
    layers: listed("layers", listMax, wordMax),
    ...(depths.length > 0 && { depthLeft: Math.min(...depths) }),
    ...(searches.some(({ isExplained }) => isExplained === true) && { isExplained: true }),
  };
}

function searchIn({ features }: DialogEvent): Record<string, unknown> | undefined {
  const feature = features[searchFeature.name];
  if (feature?.mimeType !== searchFeature.mimeType) return undefined;
  const value = feature.tokens[0]?.value;
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
}

function textsIn(value: unknown, lengthMax: number): string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  return list.filter((one): one is string => typeof one === "string" && one !== "" && one.length <= lengthMax);
}
