import { createHmac } from "node:crypto";
import { isUri } from "@plenary/api";
import { foldUri } from "@plenary/protocol";
import type { Binding } from "./lookups.ts";
import type { FloorIdentity } from "./outbound.ts";

/** The speakerUri of a subject of an issuer, the same for every kind of proof. */
export function issuedUri(issuer: string, subject: string): string {
  return `${issuer}#${encodeURIComponent(subject)}`;
}

type Floor = Pick<FloorIdentity, "speakerUri">;

const path = "/nemo/";

/** The speakerUri of the guest with this secret. All conversants see it; the secret cannot be derived from it. */
export function guestUriOf({ speakerUri }: Floor, secret: string, key: string): string {
  const mark = createHmac("sha256", key).update(`nemo ${secret}`).digest("base64url").slice(0, 22);
  return `${speakerUri}${path}${mark}`;
}

/** A guest URI belongs to a person, never to an agent with a server. */
export function isGuestUri(floor: Floor, speakerUri: string): boolean {
  return foldUri(speakerUri).startsWith(foldUri(`${floor.speakerUri}${path}x`).slice(0, -1));
}

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
