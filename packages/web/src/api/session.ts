import { browserStorage, type KeyValueStore, tabStorage } from "../state/storage.ts";
import { type Client, createClient, RequestError } from "./client.ts";
import type { CurrentUser } from "./types.ts";

/** By what this page is somebody. Without a token it is the browser's cookie. */
export type Session = {
  speakerUri: string;
  name?: string;
  token?: string;
  /** A guest is in one conversation and nowhere else. */
  conversation?: string;
};

const key = "pass";

/** Of this tab first, so that two tabs may be two people; else the last one of this browser. */
export function storedSession(): Session | undefined {
  const mine = read(tabStorage);
  if (mine !== undefined) return mine;
  const last = read(browserStorage);
  // From now on it is this tab's, whoever else comes by another.
  if (last !== undefined) tabStorage.put(key, last);
  return last;
}

export function storeSession(session: Session): void {
  tabStorage.put(key, session);
  // A host who tries a guest's link stays the host in other tabs.
  const last = read(browserStorage);
  const isHosts = last !== undefined && last.conversation === undefined;
  if (session.conversation === undefined || !isHosts) browserStorage.put(key, session);
}

/** This tab is nobody's, and no new tab is the one that it was. */
export function dropSession(session: Session): void {
  tabStorage.remove(key);
  if (read(browserStorage)?.token === session.token) browserStorage.remove(key);
}

function read(shelf: KeyValueStore): Session | undefined {
  const session = shelf.read(key);
  return isSession(session) ? session : undefined;
}

function isSession(value: unknown): value is Session {
  return typeof value === "object" && value !== null && "speakerUri" in value && typeof value.speakerUri === "string";
}

/** What stands behind the # of a link, which no server gets to see. */
export type LinkSecret = { token: string } | { invite: string };

export function secretIn(hash: string): LinkSecret | undefined {
  const fields = new URLSearchParams(hash.replace(/^#/u, ""));
  const [token, invite] = [fields.get("token"), fields.get("invite")];
  if (token) return { token };
  return invite ? { invite } : undefined;
}

/** The operator's link makes this page one person (D33): the operator's token itself is not kept. */
export async function operatorSession(token: string): Promise<Session> {
  const made = await createClient(token).post<Required<Pick<Session, "token" | "speakerUri">>>("/api/v1/sessions", {
    name: "Host",
  });
  return { token: made.token, speakerUri: made.speakerUri, name: "Host" };
}

export async function guestSession(invite: string, name: string): Promise<Session> {
  const made = await createClient(undefined).post<Session & { token: string }>("/api/v1/guests", { invite, name });
  return { token: made.token, speakerUri: made.speakerUri, conversation: made.conversation ?? "", name };
}

/** Whoever signed in with the floor's issuer is known by a cookie. */
export async function cookieSession(): Promise<Session | undefined> {
  try {
    const { speakers, label } = await createClient(undefined).get<CurrentUser>("/api/v1/me");
    const [speakerUri] = speakers === "anyone" ? [] : speakers;
    return speakerUri === undefined ? undefined : { speakerUri, ...(label !== undefined && { name: label }) };
  } catch (error) {
    if (error instanceof RequestError && error.isDenied) return undefined;
    throw error;
  }
}

/** `onEnd` is told when the floor does not know the pass any more. */
export function clientOf({ token }: Session, onEnd: (problem: RequestError) => void): Client {
  return createClient(token, onEnd);
}
