import { createHmac } from "node:crypto";
import { foldUri } from "@plenary/protocol";
import type { Self } from "./outbound.ts";

const uri = /^[a-z][a-z\d+.-]*:[^\s\p{Cc}]+$/iu;

/** How far anybody's name may be told from other text; what is behind the scheme is its own affair. */
export function isUri(text: string): boolean {
  return uri.test(text);
}

/** One name for a person or service of an issuer, by whichever way it proved itself. */
export function issuedUri(issuer: string, subject: string): string {
  return `${issuer}#${encodeURIComponent(subject)}`;
}

type Floor = Pick<Self, "speakerUri">;

const path = "/nemo/";

/** Of whoever has that secret. Everybody in a conversation sees the name, and nobody learns from it what proves it. */
export function guestUriOf({ speakerUri }: Floor, secret: string, key: string): string {
  const mark = createHmac("sha256", key).update(`nemo ${secret}`).digest("base64url").slice(0, 22);
  return `${speakerUri}${path}${mark}`;
}

/** Such a name is a person's, and of nobody who has a server. */
export function isGuestUri(floor: Floor, speakerUri: string): boolean {
  return foldUri(speakerUri).startsWith(foldUri(`${floor.speakerUri}${path}x`).slice(0, -1));
}
