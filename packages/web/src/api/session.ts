import { type Floor, FloorProblem, resume } from "@plenary/client";
import { recordOf } from "@plenary/protocol";
import { browserStorage, tabStorage } from "../state/storage.ts";
import { visitorClient } from "./floor.ts";

/** The identity of this page. Without a token, the browser's cookie is the credential. */
export type Session = {
  speakerUri: string;
  name?: string;
  token?: string;
  /** Only a guest has it: the one conversation that the guest may enter. */
  conversation?: string;
};

const key = "pass";

/** This tab's session first, so that two tabs can be two people; else the last one of this browser. */
export function storedSession(): Session | undefined {
  const mine = read(tabStorage);
  if (mine !== undefined) return mine;
  const last = read(browserStorage);
  // The tab keeps this session even if another tab signs in as someone else.
  if (last !== undefined) tabStorage.put(key, last);
  return last;
}

export function storeSession(session: Session): void {
  tabStorage.put(key, session);
  // A host who opens a guest link stays the host in other tabs.
  const last = read(browserStorage);
  const isHosts = last !== undefined && last.conversation === undefined;
  if (session.conversation === undefined || !isHosts) browserStorage.put(key, session);
}

/** Signs this tab out. New tabs do not take this session either. */
export function dropSession(session: Session): void {
  tabStorage.remove(key);
  if (read(browserStorage)?.token === session.token) browserStorage.remove(key);
}

function read(shelf: typeof tabStorage): Session | undefined {
  const session = recordOf(shelf.read(key));
  return typeof session.speakerUri === "string" ? (session as Session) : undefined;
}

/** The fragment of a link. Browsers do not send it to servers. */
type LinkSecret = { token: string } | { invite: string };

export function secretIn(hash: string): LinkSecret | undefined {
  const fields = new URLSearchParams(hash.replace(/^#/u, ""));
  const [token, invite] = [fields.get("token"), fields.get("invite")];
  if (token) return { token };
  return invite ? { invite } : undefined;
}

/** Exchanges the operator's token for a session of one person (D33). The token itself is not stored. */
export async function operatorSession(token: string): Promise<Session> {
  const name = "Host";
  const made = await visitorClient(token).call("POST /api/v1/sessions", { body: { name } });
  return { token: made.token, speakerUri: made.speakerUri, name };
}

export async function guestSession(invite: string, name: string): Promise<Session> {
  const { token, speakerUri, conversation } = await visitorClient().call("POST /api/v1/guests", {
    body: { invite, name },
  });
  return { token, speakerUri, conversation, name };
}

/** The session of a person who signed in with the server's OpenID provider. */
export async function cookieSession(): Promise<Session | undefined> {
  try {
    const { speakers, label } = await visitorClient().call("GET /api/v1/me");
    const [speakerUri] = speakers === "anyone" ? [] : speakers;
    return speakerUri === undefined ? undefined : { speakerUri, ...(label !== undefined && { name: label }) };
  } catch (error) {
    if (error instanceof FloorProblem && error.isDenied) return undefined;
    throw error;
  }
}

/** The floor of this page for a person. */
export function floorOf(session: Session, onUnauthorized: (problem: FloorProblem) => void): Floor {
  const { speakerUri, name, token, conversation } = session;
  const isGuest = conversation !== undefined;
  return resume({
    url: location.origin,
    ...(token !== undefined && { token }),
    me: {
      speakerUri,
      name,
      kind: isGuest ? "guest" : "session",
      canHost: !isGuest,
      conversations: isGuest ? [conversation] : undefined,
    },
    storage: lazySessionStorage,
    // A person who waits repeats a command; utterances are repeated by the outbox.
    limits: { persistMs: 0, socketSilenceMs: 15_000 },
    onUnauthorized,
  });
}

/** Where storage is forbidden, its getter throws. */
const lazySessionStorage = {
  getItem: (key: string) => sessionStorage.getItem(key),
  setItem: (key: string, value: string) => sessionStorage.setItem(key, value),
  removeItem: (key: string) => sessionStorage.removeItem(key),
};
