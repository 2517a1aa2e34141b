import { hash, randomBytes, randomInt, timingSafeEqual } from "node:crypto";
import type { Scope } from "./principal.ts";

/**
 * What the floor knows of a secret it gave out: never the secret itself.
 * key: of an agent or a person, made by the operator. link: lets guests into one conversation. guest: what a link was
 * exchanged for. session: of a person who signed in, in a cookie. page: of the person a page was bound to, which was opened
 * with the operator's token; it is sent as a bearer token, and so is no session.
 */
export type Credential = {
  id: string;
  kind: "key" | "link" | "guest" | "session" | "page";
  /** SHA-256 of the secret. */
  hash: string;
  /** Empty in a link: each guest gets a name of its own. */
  speakers: readonly string[];
  scopes: readonly Scope[];
  isPerson: boolean;
  /** The only conversation it is good for. */
  conversation?: string;
  /** For those who list them. */
  label?: string;
  /** The link it came by: it ends with it. */
  parent?: string;
  usesLeft?: number;
  createdAt: string;
  expiresAt?: string;
  revokedAt?: string;
};

/** A secret shared with one agent, by which it knows our deliveries. The newest two of an address sign. */
export type SigningSecret = { id: string; serviceUrl: string; secret: string; createdAt: string; revokedAt?: string };

export type CredentialQuery = {
  kinds?: readonly Credential["kind"][];
  conversation?: string;
  /** By id, from the one after. */
  after?: string;
  limit: number;
};

/** Where credentials are kept. */
export interface CredentialStore {
  find(id: string): Promise<Credential | undefined>;
  add(credential: Credential): Promise<void>;
  /** One use less; false when none was left, or it has ended. */
  use(id: string, now: string): Promise<boolean>;
  /** The use came to nothing. */
  giveBack(id: string): Promise<void>;
  /** Ends it, and all that came of it. False when there is none of that id, or it had ended before. */
  revoke(id: string, now: string): Promise<boolean>;
  list(query: CredentialQuery): Promise<readonly Credential[]>;
  /** Whether a live key, session, page or guest token is a person's of this name, in whichever case, and whatever slashes end it. */
  isPerson(speakerUri: string, now: string): Promise<boolean>;
  addSecret(secret: SigningSecret): Promise<void>;
  /** False when there is none of that id, or it had ended before. */
  revokeSecret(id: string, now: string): Promise<boolean>;
  /** Live ones, newest first, at most two. */
  secretsFor(serviceUrl: string): Promise<readonly string[]>;
  listSecrets(): Promise<readonly SigningSecret[]>;
  /** Forgets what ended before this. */
  sweepCredentials(before: string): Promise<void>;
}

const prefixes = {
  key: "plenary",
  link: "plenaryi",
  guest: "plenaryg",
  session: "plenarys",
  page: "plenaryp",
} as const;
const kinds = Object.entries(prefixes) as [Credential["kind"], string][];

const idLength = 16;
const messages = "abcdefghijklmnopqrstuvwxyz0123456789";

/** The id is no secret and tells which one it is; the rest is 256 random bits. */
export function newCredentialToken(kind: Credential["kind"]): { id: string; token: string; hash: string } {
  const id = newCredentialId();
  const secret = randomBytes(32).toString("base64url");
  return { id, token: `${prefixes[kind]}_${id}_${secret}`, hash: hashOf(secret) };
}

export function newCredentialId(): string {
  return Array.from({ length: idLength }, () => messages[randomInt(messages.length)]).join("");
}

export type TokenParts = { kind: Credential["kind"]; id: string; secret: string };

/** Undefined when it is not one of ours. */
export function partsOf(token: string): TokenParts | undefined {
  const [, prefix, id, secret] = /^(plenary[igsp]?)_([a-z\d]{16})_([\w-]{43})$/u.exec(token) ?? [];
  const kind = kinds.find(([, word]) => word === prefix)?.[0];
  return kind === undefined || id === undefined || secret === undefined ? undefined : { kind, id, secret };
}

function hashOf(secret: string): string {
  return hash("sha256", secret, "base64url");
}

/** In the same time whatever the content is. */
export function isSecretOf({ hash: known }: Pick<Credential, "hash">, secret: string): boolean {
  const [mine, theirs] = [Buffer.from(known), Buffer.from(hashOf(secret))];
  return mine.length === theirs.length && timingSafeEqual(mine, theirs);
}

/** Neither revoked nor past its time nor used up. */
export function isLive(credential: Credential, now: string): boolean {
  return !hasEnded(credential, now) && credential.usesLeft !== 0;
}

/** A link that is used up has not ended: those who came by it stay. */
export function hasEnded({ revokedAt, expiresAt }: Pick<Credential, "revokedAt" | "expiresAt">, now: string): boolean {
  return revokedAt !== undefined || (expiresAt !== undefined && expiresAt <= now);
}

/** One spelling for what leads to the same place: secrets are found by it. */
export function addressOf(serviceUrl: string): string {
  return (URL.canParse(serviceUrl) ? new URL(serviceUrl).href : serviceUrl).replace(/\/$/u, "");
}
