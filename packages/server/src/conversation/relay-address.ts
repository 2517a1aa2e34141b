import { isUri } from "../ports/speaker-uri.ts";
import type { Binding } from "../ports/store.ts";

/** The speaker behind one of our own relay addresses. */
export function speakerAt(floorUrl: string, serviceUrl: string): string | undefined {
  const start = `${floorUrl}/at/`;
  return serviceUrl.startsWith(start) ? speakerIn(serviceUrl.slice(start.length)) : undefined;
}

/** Undefined unless it is what we would write. */
export function speakerIn(encoded: string): string | undefined {
  const speakerUri = Buffer.from(encoded, "base64url").toString();
  const isOurs = encoded !== "" && Buffer.from(speakerUri).toString("base64url") === encoded.replace(/=+$/u, "");
  return isOurs && isUri(speakerUri) ? speakerUri : undefined;
}

/** Whether this floor itself relays to that speaker there. Elsewhere anybody may have a path that looks like ours. */
export function isOurRelay(floorUrl: string, { speakerUri, serviceUrl }: Binding): boolean {
  return speakerAt(floorUrl, serviceUrl) === speakerUri;
}
