// W3C Baggage, as floors of Plenary write it (D17): how far a turn has come, and whom it came over.

export type Trail = { depth: number; floors: readonly string[] };

/** As deep as a floor lets a turn go. */
export const depthMax = 16;

export function trailIn(baggage = ""): Trail {
  const depth = /(?:^|,)\s*plenary\.depth\s*=\s*(\d{1,6})\s*(?:[;,]|$)/u.exec(baggage)?.[1];
  const floors = /(?:^|,)\s*plenary\.floors\s*=\s*([^\s,;]{1,4096})/u.exec(baggage)?.[1] ?? "";
  return { depth: Number(depth ?? 0), floors: decoded(floors).split(" ").filter(isNamed) };
}

/** One step further, over whoever passes it on. */
export function onward({ depth, floors }: Trail, speakerUri: string): string {
  const visited = [...floors.filter((floor) => floor !== speakerUri), speakerUri].slice(-depthMax);
  return `plenary.depth=${depth + 1},plenary.floors=${encodeURIComponent(visited.join(" "))}`;
}

const isNamed = (floor: string) => floor !== "";

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Somebody else's idea of baggage.
    return "";
  }
}
