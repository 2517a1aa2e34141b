import { timingSafeEqual } from "node:crypto";
import { Problem } from "../errors.ts";
import { type Clock, timeOf } from "../ports/clock.ts";
import {
  type Credential,
  type CredentialStore,
  hasEnded,
  isSecretOf,
  partsOf,
  type TokenParts,
} from "../ports/credentials.ts";
import { operator, type Principal } from "../ports/principal.ts";
import type { HeaderReader } from "./origin-check.ts";
import { cookieIn, originOf, sessionCookie } from "./session-cookie.ts";

/** Verifies tokens of another issuer: throws a problem when a token is invalid. */
export type TokenVerifier = { verify(token: string): Promise<Principal> };

export type Identity = {
  /**
   * The principal of a request with these headers; throws a problem without valid credentials. Without the method the
   * request counts as a write: for a write a cookie alone proves nothing, since any page can make a browser send it.
   */
  identify(headers: HeaderReader, method?: string): Promise<Principal>;
  /** Whether the credential is still valid; for streams and sockets that outlive the request. */
  isLive(principal: Principal): Promise<boolean>;
};

export type IdentityOptions = {
  /** The operator's token. */
  token: string;
  credentials: CredentialStore;
  /** Verifies tokens of the configured issuer. */
  tokens?: TokenVerifier;
  /** Accepts session cookies where people sign in. */
  sessions?: { publicUrl: string };
  clock: Clock;
};

export function createIdentity(options: IdentityOptions): Identity {
  const { credentials, clock, sessions } = options;
  const operatorToken = Buffer.from(options.token);
  return {
    async identify(headers, method = "POST") {
      const authorization = headers.get("authorization") ?? undefined;
      if (authorization !== undefined) {
        const given = /^Bearer +(\S+) *$/iu.exec(authorization)?.[1];
        if (given === undefined) throw unauthorized("the Authorization header is not of the form `Bearer TOKEN`");
        return isSame(operatorToken, given) ? operator : bearerPrincipal(given, options);
      }
      const cookie = sessions && cookieIn(headers, sessionCookie(sessions.publicUrl));
      if (sessions === undefined || cookie === undefined) throw unauthorized("the request has no bearer token");
      if (!isReading(headers, method) || isOfOtherPage(headers, sessions.publicUrl)) {
        assertOwnPage(headers, sessions.publicUrl);
      }
      return sessionPrincipal(cookie, options);
    },
    async isLive(principal) {
      if (principal.untilMs !== undefined && principal.untilMs <= clock.now()) return false;
      const [, id] = /^(?:key|guest|session|page):(.+)$/u.exec(principal.id) ?? [];
      if (id === undefined) return true;
      const found = await credentials.find(id);
      return found !== undefined && isValid(found, options);
    },
  };
}

// Constant time for equal lengths; the length of a token is not secret.
function isSame(mine: Buffer, given: string): boolean {
  const theirs = Buffer.from(given);
  return mine.length === theirs.length && timingSafeEqual(mine, theirs);
}

async function bearerPrincipal(given: string, options: IdentityOptions): Promise<Principal> {
  const parts = partsOf(given);
  if (parts?.kind === "link") {
    const fix = 'exchange it for a token of your own: POST /api/v1/guests with {"invite": ...}';
    throw unauthorized("an invite link is not a bearer token", fix);
  }
  if (parts?.kind === "session") throw unauthorized("a session is valid only in its cookie", "sign in at /login");
  if (parts !== undefined) return principalOf(await credentialOf(parts, options));
  if (given.split(".").length !== 3) throw unauthorized("the token is unknown");
  if (options.tokens === undefined) {
    throw unauthorized("this floor accepts no tokens of other issuers", "use a key: `plenary keys add --speaker URI`");
  }
  return options.tokens.verify(given);
}

async function sessionPrincipal(cookie: string, options: IdentityOptions): Promise<Principal> {
  const parts = partsOf(cookie);
  if (parts?.kind !== "session") throw unauthorized("the cookie is not a session of this floor", signIn);
  return principalOf(await credentialOf(parts, options));
}

const signIn = "sign in again at /login";

const kindTexts: Record<Credential["kind"], { word: string; fix: string }> = {
  key: { word: "key", fix: "ask the operator for a new key" },
  link: { word: "link", fix: "ask for a new link" },
  guest: { word: "guest token", fix: "ask for a new link" },
  session: { word: "session", fix: signIn },
  page: { word: "page token", fix: "open the link that the floor printed at its start again" },
};

/** Only the holder of the secret learns that the credential has ended; others learn that it is unknown. */
async function credentialOf({ kind, id, secret }: TokenParts, options: IdentityOptions): Promise<Credential> {
  const found = await options.credentials.find(id);
  const { word, fix } = kindTexts[kind];
  if (found?.kind !== kind || !isSecretOf(found, secret)) throw unauthorized(`this ${word} is unknown`, fix);
  if (!(await isValid(found, options))) throw unauthorized(`this ${word} has ended`, fix);
  return found;
}

async function isValid(credential: Credential, { credentials, clock }: IdentityOptions): Promise<boolean> {
  if (hasEnded(credential, timeOf(clock))) return false;
  if (credential.parent === undefined) return true;
  // Also ends a guest token that was issued while the link was being revoked.
  return (await credentials.find(credential.parent))?.revokedAt === undefined;
}

function principalOf(credential: Credential): Principal {
  const { kind, id, isPerson, speakers, scopes, conversation, expiresAt, label } = credential;
  return {
    id: `${kind}:${id}`,
    kind: kind === "guest" ? "guest" : isPerson ? "person" : "agent",
    speakers,
    scopes,
    ...(conversation !== undefined && { conversations: [conversation] }),
    ...(expiresAt !== undefined && { untilMs: Date.parse(expiresAt) }),
    ...(label !== undefined && { label }),
  };
}

/** A GET that opens a WebSocket is a write. */
function isReading(headers: HeaderReader, method: string): boolean {
  return (method === "GET" || method === "HEAD") && (headers.get("upgrade") ?? undefined) === undefined;
}

/**
 * Another page could not read the response, but a stream it opens would show the person as present. Browsers send one of
 * these headers; clients that are no browser send neither.
 */
function isOfOtherPage(headers: HeaderReader, publicUrl: string): boolean {
  const origin = headers.get("origin") ?? undefined;
  if (origin !== undefined && origin !== originOf(publicUrl)) return true;
  return /^(?:cross|same)-site$/u.test(headers.get("sec-fetch-site") ?? "");
}

/** Protects against cross-site request forgery. */
export function assertOwnPage(headers: HeaderReader, publicUrl: string): void {
  const origin = headers.get("origin") ?? undefined;
  if (origin === originOf(publicUrl)) return;
  const detail = origin === undefined ? "the request has no Origin header" : "the page belongs to another origin";
  const fix = "send it from a page of this floor, or with a bearer token instead of the cookie";
  throw new Problem("forbidden-origin", { detail, fix });
}

function unauthorized(detail: string, fix?: string): Problem {
  return new Problem("unauthorized", { detail, ...(fix !== undefined && { fix }) });
}
