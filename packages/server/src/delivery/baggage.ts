import type { FloorIdentity, OutboundMessage } from "../ports/outbound.ts";

/** W3C Baggage: the depth of the turn, and the floors it passed (D17). */
export function baggageOf({ depth, floors }: OutboundMessage, self: FloorIdentity): string {
  const visited = [...floors.filter((floor) => floor !== self.speakerUri), self.speakerUri];
  return `plenary.depth=${depth},plenary.floors=${encodeURIComponent(visited.join(" "))}`;
}

/** The earlier hops of an envelope, from W3C Baggage (D17). */
export function trailIn(baggage: string | undefined): { depth?: number; floors?: string[] } {
  if (baggage === undefined) return {};
  const depth = depthIn(baggage);
  return { ...(depth !== undefined && { depth }), floors: floorsIn(baggage) };
}

/** The number of earlier hops on other floors. */
function depthIn(baggage: string): number | undefined {
  const found = /(?:^|,)\s*plenary\.depth\s*=\s*(\d{1,6})\s*(?:[;,]|$)/u.exec(baggage);
  return found === null ? undefined : Number(found[1]);
}

/** The floors of those hops, in order. */
function floorsIn(baggage: string): string[] {
  const found = /(?:^|,)\s*plenary\.floors\s*=\s*([^\s,;]{1,4096})/u.exec(baggage);
  try {
    return decodeURIComponent(found?.[1] ?? "")
      .split(" ")
      .filter((floor) => floor !== "");
  } catch {
    // Not the encoding that Plenary uses.
    return [];
  }
}
