import { hash, randomBytes, randomInt, timingSafeEqual } from "node:crypto";
import type { Scope } from "./principal.ts";

/**
 * A credential that the floor issued, without its secret.
 * key: of an agent or a person, made by the operator. link: an invitation link for guests of one conversation. guest:
 * issued in exchange for a link. session: of a person who signed in, in a cookie. page: of the person that a page opened
 * with the operator's token is bound to; sent as a bearer token, not as a cookie.
 */
export type Credential = {
  id: string;
  kind: "key" | "link" | "guest" | "session" | "page";
  /** SHA-256 of the secret. */
  hash: string;
  /** Empty in a link: each guest gets its own speakerUri. */
  speakers: readonly string[];
  scopes: readonly Scope[];
  isPerson: boolean;
  /** The only conversation that it gives access to. */
  conversation?: string;
  /** Shown in lists. */
  label?: string;
  /** Id of the link that it was issued for; revoking the link revokes it. */
  parent?: string;
  usesLeft?: number;
  createdAt: string;
  expiresAt?: string;
  revokedAt?: string;
};

/** A secret shared with one agent, to sign our deliveries to it. The newest two of an address are used. */
export type SigningSecret = { id: string; serviceUrl: string; secret: string; createdAt: string; revokedAt?: string };

export type CredentialQuery = {
  kinds?: readonly Credential["kind"][];
  conversation?: string;
  /** By id, from the one after. */
  after?: string;
  limit: number;
};

export interface CredentialStore {
  find(id: string): Promise<Credential | undefined>;
  add(credential: Credential): Promise<void>;
  /** Counts one use; false when none was left, or the credential has ended. */
  use(id: string, now: string): Promise<boolean>;
  /** Takes back one use. */
  giveBack(id: string): Promise<void>;
  /** Ends it and all credentials issued for it. False when the id is unknown, or it had ended before. */
  revoke(id: string, now: string): Promise<boolean>;
  list(query: CredentialQuery): Promise<readonly Credential[]>;
  /** Whether a live key, session, page or guest credential of a person has this speakerUri, ignoring case and trailing slashes. */
  isPerson(speakerUri: string, now: string): Promise<boolean>;
  addSecret(secret: SigningSecret): Promise<void>;
  /** False when the id is unknown, or it had ended before. */
  revokeSecret(id: string, now: string): Promise<boolean>;
  /** Live secrets, newest first, at most two. */
  secretsFor(serviceUrl: string): Promise<readonly string[]>;
  listSecrets(): Promise<readonly SigningSecret[]>;
  /** Deletes credentials and secrets that ended before this time. */
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
const idAlphabet = "abcdefghijklmnopqrstuvwxyz0123456789";

/** The id in the token is public; the secret has 256 random bits. */
export function newCredentialToken(kind: Credential["kind"]): { id: string; token: string; hash: string } {
  const id = newCredentialId();
  const secret = randomBytes(32).toString("base64url");
  return { id, token: `${prefixes[kind]}_${id}_${secret}`, hash: hashOf(secret) };
}

export function newCredentialId(): string {
  return Array.from({ length: idLength }, () => idAlphabet[randomInt(idAlphabet.length)]).join("");
}

export type TokenParts = { kind: Credential["kind"]; id: string; secret: string };

/** Undefined when the token does not have our format. */
export function partsOf(token: string): TokenParts | undefined {
  const [, prefix, id, secret] = /^(plenary[igsp]?)_([a-z\d]{16})_([\w-]{43})$/u.exec(token) ?? [];
  const kind = kinds.find(([, word]) => word === prefix)?.[0];
  return kind === undefined || id === undefined || secret === undefined ? undefined : { kind, id, secret };
}

function hashOf(secret: string): string {
  return hash("sha256", secret, "base64url");
}

/** Compares in constant time. */
export function isSecretOf({ hash: known }: Pick<Credential, "hash">, secret: string): boolean {
  const [mine, theirs] = [Buffer.from(known), Buffer.from(hashOf(secret))];
  return mine.length === theirs.length && timingSafeEqual(mine, theirs);
}

/** Neither revoked nor expired nor used up. */
export function isLive(credential: Credential, now: string): boolean {
  return !hasEnded(credential, now) && credential.usesLeft !== 0;
}

/** Revoked or expired. A link that is used up has not ended: its guests stay. */
export function hasEnded({ revokedAt, expiresAt }: Pick<Credential, "revokedAt" | "expiresAt">, now: string): boolean {
  return revokedAt !== undefined || (expiresAt !== undefined && expiresAt <= now);
}

/** The normalized address; secrets are looked up by it. */
export function addressOf(serviceUrl: string): string {
  return (URL.canParse(serviceUrl) ? new URL(serviceUrl).href : serviceUrl).replace(/\/$/u, "");
}
