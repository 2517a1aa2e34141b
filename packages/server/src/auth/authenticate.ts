import { timingSafeEqual } from "node:crypto";
import { Problem } from "../errors.ts";
import type { Clock } from "../ports/clock.ts";
import { timeOf } from "../ports/clock.ts";
import {
  type Credential,
  type CredentialStore,
  hasEnded,
  isSecretOf,
  partsOf,
  type TokenParts,
} from "../ports/credentials.ts";
import { operator, type Principal } from "../ports/principal.ts";
import type { Heads } from "./origin-check.ts";
import { cookieIn, originOf, sessionCookie } from "./session-cookie.ts";

/** Tokens that somebody else gave out and we can check: throws the problem when one is not good. */
export type TokenVerifier = { verify(token: string): Promise<Principal> };

export type Identity = {
  /**
   * Who sent a request with these headers; throws the problem when nobody we know did. Without the method it is taken
   * for one that changes something: there a cookie alone proves nothing, since any page can make a browser send it.
   */
  identify(headers: Heads, method?: string): Promise<Principal>;
  /** Whether what it was known by is still good; for what stays open after the request. */
  isLive(principal: Principal): Promise<boolean>;
};

export type IdentityOptions = {
  /** The operator's. */
  token: string;
  credentials: CredentialStore;
  /** For tokens of an issuer that is configured. */
  tokens?: TokenVerifier;
  /** Where people sign in, so that cookies count. The address is known once the floor listens. */
  sessions?: { publicUrl: () => string };
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
        if (given === undefined) throw stranger("the Authorization header is not of the form `Bearer TOKEN`");
        return isSame(operatorToken, given) ? operator : bearer(given, options);
      }
      const cookie = sessions && cookieIn(headers, sessionCookie(sessions.publicUrl()));
      if (sessions === undefined || cookie === undefined) throw stranger("the request has no bearer token");
      if (!isReading(headers, method) || isOfOtherPage(headers, sessions.publicUrl())) {
        assertOwnPage(headers, sessions.publicUrl());
      }
      return signedIn(cookie, options);
    },
    async isLive(principal) {
      if (principal.untilMs !== undefined && principal.untilMs <= clock.now()) return false;
      const [, id] = /^(?:key|guest|session|page):(.+)$/u.exec(principal.id) ?? [];
      if (id === undefined) return true;
      const found = await credentials.find(id);
      return found !== undefined && isGood(found, options);
    },
  };
}

// In the same time whatever the content is; that tokens are of one length is no secret.
function isSame(mine: Buffer, given: string): boolean {
  const theirs = Buffer.from(given);
  return mine.length === theirs.length && timingSafeEqual(mine, theirs);
}

async function bearer(given: string, options: IdentityOptions): Promise<Principal> {
  const parts = partsOf(given);
  if (parts?.kind === "link") {
    const fix = 'exchange it for a token of your own: POST /api/v1/guests with {"invite": ...}';
    throw stranger("an invite link is not a bearer token", fix);
  }
  if (parts?.kind === "session") throw stranger("a session counts in its cookie only", "sign in at /login");
  if (parts !== undefined) return principalOf(await credentialOf(parts, options));
  if (given.split(".").length !== 3) throw stranger("the token is not known here");
  if (options.tokens === undefined) {
    throw stranger("this floor takes no tokens of other issuers", "use a key: `plenary keys add --speaker URI`");
  }
  return options.tokens.verify(given);
}

async function signedIn(cookie: string, options: IdentityOptions): Promise<Principal> {
  const parts = partsOf(cookie);
  if (parts?.kind !== "session") throw stranger("the cookie is no session of this floor", signIn);
  return principalOf(await credentialOf(parts, options));
}

const signIn = "sign in again at /login";

const words: Record<Credential["kind"], { word: string; fix: string }> = {
  key: { word: "key", fix: "ask the operator for a new key" },
  link: { word: "link", fix: "ask for a new link" },
  guest: { word: "guest's token", fix: "ask for a new link" },
  session: { word: "session", fix: signIn },
  page: { word: "page's token", fix: "open the link that the floor printed again" },
};

/** Who holds the secret may know that it has ended; who does not learns only that it is wrong. */
async function credentialOf({ kind, id, secret }: TokenParts, options: IdentityOptions): Promise<Credential> {
  const found = await options.credentials.find(id);
  const { word, fix } = words[kind];
  if (found?.kind !== kind || !isSecretOf(found, secret)) throw stranger(`this ${word} is not known here`, fix);
  if (!(await isGood(found, options))) throw stranger(`this ${word} has ended`, fix);
  return found;
}

async function isGood(credential: Credential, { credentials, clock }: IdentityOptions): Promise<boolean> {
  if (hasEnded(credential, timeOf(clock))) return false;
  if (credential.parent === undefined) return true;
  // Whoever came in while the link was being withdrawn is out again, too.
  return (await credentials.find(credential.parent))?.revokedAt === undefined;
}

function principalOf(credential: Credential): Principal {
  const { kind, id, isPerson, speakers, scopes, conversation, expiresAt, label } = credential;
  return {
    id: `${kind}:${id}`,
    kind: kind === "guest" ? "guest" : isPerson ? "person" : "agent",
    ...{ speakers, scopes },
    ...(conversation !== undefined && { conversations: [conversation] }),
    ...(expiresAt !== undefined && { untilMs: Date.parse(expiresAt) }),
    ...(label !== undefined && { label }),
  };
}

/** A socket is opened by a GET, and changes things all the same. */
function isReading(headers: Heads, method: string): boolean {
  return (method === "GET" || method === "HEAD") && (headers.get("upgrade") ?? undefined) === undefined;
}

/**
 * It could not read the answer, but a stream that it opens would show the person as present. Browsers say so by one of
 * these; what no page sent says neither.
 */
function isOfOtherPage(headers: Heads, publicUrl: string): boolean {
  const origin = headers.get("origin") ?? undefined;
  if (origin !== undefined && origin !== originOf(publicUrl)) return true;
  return /^(?:cross|same)-site$/u.test(headers.get("sec-fetch-site") ?? "");
}

/** Against requests that a page elsewhere makes a signed-in browser send. */
export function assertOwnPage(headers: Heads, publicUrl: string): void {
  const origin = headers.get("origin") ?? undefined;
  if (origin === originOf(publicUrl)) return;
  const detail = origin === undefined ? "the request does not say its page" : "the page is not of this floor";
  const fix = "send it from a page of this floor, or with a bearer token in place of the cookie";
  throw new Problem("forbidden-origin", { detail, fix });
}

function stranger(detail: string, fix?: string): Problem {
  return new Problem("unauthorized", { detail, ...(fix !== undefined && { fix }) });
}
