// Whom a workflow works for: the toolkit knows a user by the cookie of the upgrade, so each person has a socket of their own.
import { createHmac } from "node:crypto";
import { NemoClient } from "@plenary/nemo";
import { foldUri, isSameUri } from "@plenary/protocol";
import type { HeardUtterance } from "@plenary/sdk";
import type { NemoContext } from "./run-until-pause.ts";
import type { NemoConfig } from "./settings.ts";
import { closeClient, isBusy, isWaiting, type NemoState, type Session, type WaitingRun } from "./state.ts";

/** Sockets of one conversation that may be open at a time. */
const socketsMax = 16;
/** People of one conversation whose place in the workflow is remembered. */
const sessionsMax = 256;

/**
 * The session of whoever speaks. What comes with an invite belongs to the one who invites: who names others there could
 * have made it up. Undefined when there are too many others at work.
 */
export function sessionOf(
  { isWithInvite, sender, speakerUri, state }: HeardUtterance<NemoState>,
  self: NemoContext,
): Session | undefined {
  return sessionFor(isWithInvite ? sender.speakerUri : speakerUri, state, self);
}

export function sessionFor(speakerUri: string, { sessions }: NemoState, self: NemoContext): Session | undefined {
  const key = self.bridge.isSessionShared ? "" : foldUri(speakerUri);
  const known = sessions.get(key);
  const atWork = [...sessions.values()].filter((one) => one !== known && isBusy(one));
  if (atWork.length >= socketsMax) return undefined;
  const session = known ?? { client: undefined, run: undefined, queued: new Map() };
  sessions.delete(key);
  sessions.set(key, session);
  session.client ??= newClient(speakerUri, self);
  closeIdle(sessions, session, self);
  return session;
}

/** The question that somebody is asked: in their own session, or in that of whoever brought their words here. */
export function waitingRunOf(
  speakerUri: string,
  session: Session | undefined,
  { sessions }: NemoState,
): WaitingRun | undefined {
  return [session, ...sessions.values()]
    .map((one) => one?.run)
    .filter(isWaiting)
    .find(({ asker }) => isSameUri(asker, speakerUri));
}

/** Those unused for longest hang up; they are opened again when they are needed. */
function closeIdle(sessions: Map<string, Session>, current: Session, { clients }: NemoContext): void {
  const idle = [...sessions].filter(([, session]) => session !== current && !isBusy(session));
  for (const [, { client }] of idle.slice(0, Math.max(0, sessions.size - socketsMax))) client?.close();
  for (const [key, session] of idle.slice(0, Math.max(0, sessions.size - sessionsMax))) {
    closeClient(session, clients);
    sessions.delete(key);
  }
}

function newClient(speakerUri: string, { bridge, clients }: NemoContext): NemoClient {
  const { url, credential, dialler, clock, limits } = bridge;
  const headers = { ...bridge.headers, ...sessionHeader(speakerUri, bridge) };
  const client = new NemoClient({
    ...{ url, clock, limits, isShared: bridge.isSessionShared, newId: () => crypto.randomUUID() },
    dialSocket: (request) => dialler.dialSocket(request),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(credential && { credential }),
  });
  clients.add(client);
  return client;
}

/** A keyed hash: the same for a person at this server for ever, and nobody can tell or make up whose it is. */
function sessionHeader(speakerUri: string, { isSessionShared, sessionKey, url }: NemoConfig): { cookie?: string } {
  if (isSessionShared) return {};
  const person = JSON.stringify([url, foldUri(speakerUri)]);
  return { cookie: `nat-session=${createHmac("sha256", sessionKey).update(person).digest("base64url")}` };
}
