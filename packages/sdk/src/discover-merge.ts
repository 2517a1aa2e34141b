import { foldUri } from "@plenary/protocol";
import type { Answered } from "./discover-ask.ts";
import type { Found } from "./recommendation.ts";

/** Adds what one agent recommends. Whom several recommend is there once, by the best word for it. */
export function merge(found: Map<string, Found>, answer: Answered & { ok: true }, via: string | undefined): void {
  for (const kind of ["servicing", "discovery"] as const) {
    for (const { manifest, reasons } of answer[kind]) {
      const told = via === undefined ? reasons : { words: [], ...reasons, via: reasons?.via ?? via };
      const one: Found = { kind, manifest, ...(told && { reasons: told }) };
      const { speakerUri, serviceUrl } = manifest.identification;
      const key = JSON.stringify([kind, foldUri(speakerUri), foldUri(serviceUrl)]);
      const known = found.get(key);
      found.set(key, known === undefined ? one : better(known, one));
    }
  }
}

/** Where both are alike, whoever was told first. Reasons are not lost with the one that had them. */
function better(known: Found, other: Found): Found {
  const [one, rest] = scoreOf(other) > scoreOf(known) ? [other, known] : [known, other];
  const reasons = one.reasons ?? rest.reasons;
  return { ...one, ...(reasons && { reasons }) };
}

export function ranked(found: ReadonlyMap<string, Found>): Found[] {
  return [...found.values()].sort((one, other) => scoreOf(other) - scoreOf(one));
}

/** Whoever has no score comes after the worst that has one, and whoever only knows others after all. */
function scoreOf({ kind, manifest }: Found): number {
  return (manifest.score ?? -1) - (kind === "discovery" ? 3 : 0);
}
