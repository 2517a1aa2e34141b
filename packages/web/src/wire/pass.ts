import { type Client, createClient, FloorProblem } from "./client.ts";
import { browserShelf, type Shelf, tabShelf } from "./keeping.ts";
import type { Me } from "./types.ts";

/** By what this page is somebody. Without a token it is the browser's cookie. */
export type Pass = {
  speakerUri: string;
  name?: string;
  token?: string;
  /** A guest is in one conversation and nowhere else. */
  conversation?: string;
};

const key = "pass";

/** Of this tab first, so that two tabs may be two people; else the last one of this browser. */
export function keptPass(): Pass | undefined {
  const mine = read(tabShelf);
  if (mine !== undefined) return mine;
  const last = read(browserShelf);
  // From now on it is this tab's, whoever else comes by another.
  if (last !== undefined) tabShelf.put(key, last);
  return last;
}

export function keepPass(pass: Pass): void {
  tabShelf.put(key, pass);
  // A host who tries a guest's link stays the host in other tabs.
  const last = read(browserShelf);
  const isHosts = last !== undefined && last.conversation === undefined;
  if (pass.conversation === undefined || !isHosts) browserShelf.put(key, pass);
}

/** This tab is nobody's, and no new tab is the one that it was. */
export function dropPass(pass: Pass): void {
  tabShelf.remove(key);
  if (read(browserShelf)?.token === pass.token) browserShelf.remove(key);
}

function read(shelf: Shelf): Pass | undefined {
  const pass = shelf.read(key);
  return isPass(pass) ? pass : undefined;
}

function isPass(value: unknown): value is Pass {
  return typeof value === "object" && value !== null && "speakerUri" in value && typeof value.speakerUri === "string";
}

/** What stands behind the # of a link, which no server gets to see. */
export type Secret = { token: string } | { invite: string };

export function secretIn(hash: string): Secret | undefined {
  const fields = new URLSearchParams(hash.replace(/^#/u, ""));
  const [token, invite] = [fields.get("token"), fields.get("invite")];
  if (token) return { token };
  return invite ? { invite } : undefined;
}

/** The operator's link makes this page one person (D33): the operator's token itself is not kept. */
export async function passOfOperator(token: string): Promise<Pass> {
  const made = await createClient(token).post<Required<Pick<Pass, "token" | "speakerUri">>>("/api/v1/sessions", {
    name: "Host",
  });
  return { token: made.token, speakerUri: made.speakerUri, name: "Host" };
}

export async function passOfGuest(invite: string, name: string): Promise<Pass> {
  const made = await createClient(undefined).post<Pass & { token: string }>("/api/v1/guests", { invite, name });
  return { token: made.token, speakerUri: made.speakerUri, conversation: made.conversation ?? "", name };
}

/** Whoever signed in with the floor's issuer is known by a cookie. */
export async function passOfCookie(): Promise<Pass | undefined> {
  try {
    const { speakers, label } = await createClient(undefined).get<Me>("/api/v1/me");
    const [speakerUri] = speakers === "anyone" ? [] : speakers;
    return speakerUri === undefined ? undefined : { speakerUri, ...(label !== undefined && { name: label }) };
  } catch (error) {
    if (error instanceof FloorProblem && error.isShutOut) return undefined;
    throw error;
  }
}

/** `onEnd` is told when the floor does not know the pass any more. */
export function clientOf({ token }: Pass, onEnd: (problem: FloorProblem) => void): Client {
  return createClient(token, onEnd);
}
