// W3C Baggage as Plenary floors write it (D17): the depth of a turn, and the floors and agents that it passed.

export type TurnBaggage = { depth: number; floors: readonly string[] };

/** The same maximum as on a floor. */
export const depthMax = 16;

export function parseBaggage(baggage = ""): TurnBaggage {
  const depth = /(?:^|,)\s*plenary\.depth\s*=\s*(\d{1,6})\s*(?:[;,]|$)/u.exec(baggage)?.[1];
  const floors = /(?:^|,)\s*plenary\.floors\s*=\s*([^\s,;]{1,4096})/u.exec(baggage)?.[1] ?? "";
  return { depth: Number(depth ?? 0), floors: decoded(floors).split(" ").filter(isNamed) };
}

/** The baggage of the next hop. `speakerUri` is the agent that forwards the turn. */
export function nextBaggage({ depth, floors }: TurnBaggage, speakerUri: string): string {
  const visited = [...floors.filter((floor) => floor !== speakerUri), speakerUri].slice(-depthMax);
  return `plenary.depth=${depth + 1},plenary.floors=${encodeURIComponent(visited.join(" "))}`;
}

const isNamed = (floor: string) => floor !== "";

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Not written by a Plenary floor.
    return "";
  }
}
