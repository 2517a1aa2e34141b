import { timingSafeEqual } from "node:crypto";
import { Problem } from "./errors.ts";

/** `host`: may create conversations and use the host interface (D26). */
type Scope = "host";

/** Whoever stands behind a request, as far as authorisation cares. */
export type Principal = {
  /** The operator is the trust root and may speak for anyone; entries say so (D33). */
  speakers: "anyone" | readonly string[];
  scopes: readonly Scope[];
  via?: "operator";
  /** Proves itself by the delivery it answers, and may do nothing else (D22). */
  isRecipient?: true;
};

/** An agent without a credential that answers a delivery later than in its response. */
export const recipient: Principal = { speakers: "anyone", scopes: [], isRecipient: true };

const operator: Principal = { speakers: "anyone", scopes: ["host"], via: "operator" };

/** Whose names for requests are kept apart from everybody else's. A recipient is known by what it was sent, no more. */
export function callerOf({ via, isRecipient, speakers }: Principal, inReplyTo = ""): string {
  if (via !== undefined) return via;
  return isRecipient === true ? `recipient ${inReplyTo}` : `speakers ${JSON.stringify(speakers)}`;
}

export function mayHost(principal: Principal): boolean {
  return principal.scopes.includes("host");
}

/** The sender rule: a caller speaks as whom its credential is bound to, and as nobody else. */
export function assertSpeaker(principal: Principal, speakerUri: string): void {
  if (principal.speakers === "anyone" || principal.speakers.includes(speakerUri)) return;
  throw new Problem("forbidden-speaker", { detail: `this credential is not bound to ${speakerUri}` });
}

export type Door = {
  token: string;
  /** Names beside those of loopback under which this floor may be addressed. */
  allowHosts: readonly string[];
  /** Origins, beside our own, whose pages may talk to this floor. */
  allowOrigins: readonly string[];
};

/** Headers, of whatever kind of request. */
export type Heads = { get(name: string): string | null | undefined };

const loopbackNames = ["localhost", "127.0.0.1", "[::1]"];

/** A web page elsewhere, or a name that was made to lead here, gets nothing (DNS rebinding, cross-site requests). */
export function assertPlace(headers: Heads, door: Door): void {
  const host = headers.get("host") ?? "";
  const name = loopbackHost.test(host) ? "localhost" : hostnameOf(host);
  if (name === undefined || ![...loopbackNames, ...door.allowHosts].includes(name)) {
    throw new Problem("forbidden-host", { detail: `the request was addressed to ${JSON.stringify(host)}` });
  }
  const origin = headers.get("origin");
  if (origin === null || origin === undefined || door.allowOrigins.includes(origin)) return;
  if (origin === `http://${host}` || origin === `https://${host}`) return;
  throw new Problem("forbidden-origin", { detail: `the page is from ${JSON.stringify(origin)}` });
}

const loopbackHost = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/u;

function hostnameOf(host: string): string | undefined {
  if (!/^[\w.:[\]-]+$/u.test(host)) return undefined;
  const url = `http://${host}`;
  return URL.canParse(url) ? new URL(url).hostname : undefined;
}

/** Whoever answers a delivery later, without a credential, is known by what it names (D22). */
export function principalAtDoor(headers: Heads, door: Door): Principal {
  const isBare = (headers.get("authorization") ?? undefined) === undefined;
  const isAnswer = isBare && (headers.get("in-reply-to") ?? undefined) !== undefined;
  return isAnswer ? recipient : authenticate(headers, door);
}

export function authenticate(headers: Heads, door: Door): Principal {
  const given = /^Bearer +(\S+) *$/iu.exec(headers.get("authorization") ?? "")?.[1];
  if (given !== undefined && isSameSecret(given, door.token)) return operator;
  const detail = given === undefined ? "the request has no bearer token" : "the token is not the one of this floor";
  throw new Problem("unauthorized", { detail });
}

// In the same time whatever the content is; that tokens are of one length is no secret.
function isSameSecret(given: string, secret: string): boolean {
  const [mine, theirs] = [Buffer.from(secret), Buffer.from(given)];
  return mine.length === theirs.length && timingSafeEqual(mine, theirs);
}

export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(?:\.\d{1,3}){3}$/u.test(host);
}
