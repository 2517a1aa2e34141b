import { randomBytes } from "node:crypto";
import { isUri } from "@plenary/api";
import type { Credential } from "@plenary/nemo";
import type { Context } from "hono";
import { isLocal } from "../auth/client-address.ts";
import type { HeaderReader } from "../auth/origin-check.ts";
import { cookieIn, originOf, sessionCookie } from "../auth/session-cookie.ts";
import type { AccessContext, DeliveringContext, FloorContext } from "../context.ts";
import { Problem } from "../errors.ts";
import type { Principal } from "../ports/principal.ts";
import { guestUriOf } from "../ports/speaker-uri.ts";
import { addressIn, type Env } from "../routing/guards.ts";
import { boundTo, type Tickets } from "../streams/websocket/tickets.ts";
import type { NemoPerson } from "./participant.ts";
import { type NemoQuery, readNemoQuery } from "./query.ts";

type Caller = {
  headers: HeaderReader;
  address: string;
  session?: string | undefined;
  speaker?: string | undefined;
  ticket?: string | undefined;
  /** For clients that must send a key: where the floor admits guests, an unknown key identifies a guest. */
  takesAnyKey?: boolean;
};

export type NemoIdentity = ReturnType<typeof createNemoIdentity>;

type Ports = Pick<
  FloorContext & DeliveringContext & AccessContext,
  "access" | "originPolicy" | "url" | "self" | "deliverySecret" | "oidc" | "isOnLoopback"
>;

/** Identifies the person at a NeMo client. Credentials are not passed on from here. */
export function createNemoIdentity(server: Ports, tickets: Tickets) {
  const { access } = server;
  const named = (principal: Principal, caller: Pick<Caller, "session" | "speaker">): NemoPerson => {
    const speakerUri = speakerFor(server, principal, caller);
    return { principal: boundTo(speakerUri, principal), speakerUri };
  };
  const byToken = async (token: string, caller: Omit<Caller, "headers">) => {
    const headers = { get: (name: string) => (name === "authorization" ? `Bearer ${token}` : undefined) };
    return named(await access.admit(headers, caller.address), caller);
  };
  const guestKeys = createGuestKeys(server, byToken);
  return {
    /** By the request; undefined when it has no credential and the floor admits no guests here. Throws the problem. */
    async personOf(caller: Caller): Promise<NemoPerson | undefined> {
      const { headers, address, ticket, takesAnyKey = false } = caller;
      const token = tokenIn(headers);
      if (token !== undefined) return takesAnyKey ? guestKeys(token, caller) : byToken(token, caller);
      if (ticket !== undefined) {
        access.admitAnyone(address);
        return named(tickets.redeem(ticket), caller);
      }
      if (isSignedIn(server, headers)) return named(await access.admit(headers, address), caller);
      access.admitAnyone(address);
      return isLocal(server, caller) ? guestOf(server, caller.session) : undefined;
    },
    /** By a credential that the client sent after it connected. Throws the problem. */
    personBy: (credential: Credential, caller: Omit<Caller, "headers">) =>
      byToken(credential.method === "basic" ? credential.password : credential.token, caller),
    /** The guest with this session, for a caller without a credential. */
    guestOf: (session: string) => guestOf(server, session),
  };
}

/** Tokens of this floor and JWTs: a wrong or expired one is refused. */
const issuedForm = /^plenary|^eyJ[\w-]*\.[\w-]+\.[\w-]*$/u;
const guestKeysMax = 1_000;

/** The first use of an unknown key counts as a wrong credential. This limits guessing. */
function createGuestKeys(server: Ports, byToken: (token: string, caller: Caller) => Promise<NemoPerson>) {
  const known = new Set<string>();
  return async (token: string, caller: Caller): Promise<NemoPerson> => {
    if (token === "" || issuedForm.test(token) || !isLocal(server, caller)) return byToken(token, caller);
    // A session cannot contain a colon.
    const guest = guestOf(server, `key:${token}`);
    if (known.has(guest.speakerUri)) {
      server.access.admitAnyone(caller.address);
      return guest;
    }
    try {
      return await byToken(token, caller);
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== "unauthorized") throw error;
      known.add(guest.speakerUri);
      const [oldest] = known;
      if (known.size > guestKeysMax && oldest !== undefined) known.delete(oldest);
      return guest;
    }
  };
}

/**
 * The toolkit's clients send a token in any of these headers. With `Basic`, the password is the token. OpenAI clients
 * without a key send `Bearer` without a token.
 */
function tokenIn(headers: HeaderReader): string | undefined {
  const authorization = headers.get("authorization")?.replace(/^Bearer\s*$/iu, "") || undefined;
  if (authorization === undefined) return headers.get("x-api-key") ?? undefined;
  const [, scheme = "", given = ""] = /^(Bearer|Basic) +(\S+) *$/iu.exec(authorization) ?? [];
  return scheme.toLowerCase() === "basic" ? passwordIn(given) : given;
}

function passwordIn(basic: string): string {
  const pair = Buffer.from(basic, "base64").toString();
  return pair.slice(pair.indexOf(":") + 1);
}

/** A browser sends the cookie to every port of this host, so it counts for the floor's own page only. */
function isSignedIn({ oidc, url }: Ports, headers: HeaderReader): boolean {
  if (oidc === undefined || headers.get("origin") !== originOf(url)) return false;
  return cookieIn(headers, sessionCookie(url)) !== undefined;
}

const uriMax = 2_048;

function speakerFor(
  server: Ports,
  { kind, speakers }: Principal,
  { session, speaker }: Pick<Caller, "session" | "speaker">,
): string {
  if (kind === "agent") {
    const fix = "use the credential of a person: `plenary keys add --person --speaker URI`";
    throw new Problem("forbidden", { detail: "a NeMo client is a person, and this credential is an agent's", fix });
  }
  const isSpeaker = (uri: string) => uri.length <= uriMax && isUri(uri);
  if (speaker !== undefined && !isSpeaker(speaker)) {
    throw new Problem("bad-request", { detail: "`speaker` is the URI of the one who speaks" });
  }
  // Without `speaker`, the operator is one person, or one for each session.
  if (speakers === "anyone") return speaker ?? guestUri(server, `operator ${session ?? ""}`);
  const [first, other] = speakers;
  const meant = speaker ?? (other === undefined ? first : undefined);
  if (meant !== undefined && speakers.includes(meant)) return meant;
  const detail = speaker === undefined ? "this credential speaks for several" : "this credential is not bound to it";
  throw new Problem(speaker === undefined ? "bad-request" : "forbidden-speaker", {
    detail,
    fix: "say which one with ?speaker=URI",
  });
}

/** The session identifies this guest. Without one, it is a new guest for each connection. */
function guestOf(server: Ports, session = randomBytes(16).toString("base64url")): NemoPerson {
  const speakerUri = guestUri(server, `session ${session}`);
  const principal: Principal = { id: speakerUri, kind: "person", speakers: [speakerUri], scopes: ["host"] };
  return { speakerUri, principal, isUnproven: true };
}

function guestUri({ self, deliverySecret }: Ports, secret: string): string {
  return guestUriOf(self, secret, deliverySecret);
}

/** The person of a request, and the query of its client. */
export type HttpCaller = {
  person: NemoPerson;
  /** Further requests of this caller are of the same person. */
  isNamed: boolean;
  /** Identified by a credential, a key or a session; the id of a conversation is not enough. */
  isProven: boolean;
  query: NemoQuery;
  /** The same person; an unproven caller is the guest of this conversation. */
  personAt(conversationId: string): NemoPerson;
};

export type CallerOf = (c: Context<Env>) => Promise<HttpCaller>;

/** Throws the problem: the floor needs a credential, and the request has none. */
export function createCallerOf(identity: NemoIdentity): CallerOf {
  return async (c) => {
    const { headers, url } = c.req.raw;
    const query = readNemoQuery(new URL(url).searchParams, headers);
    const { speaker } = query;
    const session = query.session ?? sessionIn(headers);
    const person = await identity.personOf({ headers, address: addressIn(c), takesAnyKey: true, session, speaker });
    if (person === undefined) throw new Problem("unauthorized");
    // Requests that wait for a turn have their own limit.
    c.env?.onWait?.();
    // A guest without a session or a key is a new person for each request.
    const isGuest = person.principal.id === person.speakerUri && tokenIn(headers) === undefined;
    const isProven = query.session !== undefined || !isGuest;
    const personAt = (id: string) => (isProven ? person : identity.guestOf(guestOfConversation(id)));
    return { person, isNamed: session !== undefined || isProven, isProven, query, personAt };
  };
}

/** A local caller without a credential is the guest of the conversation that it names. No other session has this form. */
function sessionIn(headers: Headers): string | undefined {
  const conversationId = headers.get("conversation-id");
  return tokenIn(headers) !== undefined || conversationId === null ? undefined : guestOfConversation(conversationId);
}

function guestOfConversation(id: string): string {
  return `conversation:${id}`;
}
