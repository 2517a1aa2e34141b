import { isUri } from "./speaker-uri.ts";
import type { Binding } from "./store.ts";

/** The speaker of a relay address of this floor; undefined for other addresses. */
export function speakerAt(floorUrl: string, serviceUrl: string): string | undefined {
  const start = `${floorUrl}/at/`;
  return serviceUrl.startsWith(start) ? speakerIn(serviceUrl.slice(start.length)) : undefined;
}

/** Undefined unless it is the exact encoding of this floor. */
export function speakerIn(encoded: string): string | undefined {
  const speakerUri = Buffer.from(encoded, "base64url").toString();
  const isOurs = encoded !== "" && Buffer.from(speakerUri).toString("base64url") === encoded.replace(/=+$/u, "");
  return isOurs && isUri(speakerUri) ? speakerUri : undefined;
}

/** Whether this is the relay address of that speaker at this floor. Other hosts may use the same path. */
export function isOurRelay(floorUrl: string, { speakerUri, serviceUrl }: Binding): boolean {
  return speakerAt(floorUrl, serviceUrl) === speakerUri;
}
