// The toolkit identifies a user by the cookie of the socket's upgrade request, so each person gets a socket of their own.
import { createHmac } from "node:crypto";
import { NemoClient } from "@plenary/nemo";
import { foldUri, isSameUri } from "@plenary/protocol";
import type { UtteranceInput } from "@plenary/sdk";
import type { NemoContext } from "./run-until-pause.ts";
import type { NemoConfig } from "./settings.ts";
import { closeClient, isBusy, isWaiting, type NemoState, type Session, type WaitingRun } from "./state.ts";

/** Open sockets per conversation. */
const socketsMax = 16;
/** Remembered people per conversation. */
const sessionsMax = 256;

/**
 * The session of the speaker. An utterance that comes with an invite belongs to the inviter, because an invite could name
 * any speaker. Undefined when too many other sessions are busy.
 */
export function sessionOf(
  { isWithInvite, sender, speakerUri, state }: UtteranceInput<NemoState>,
  agent: NemoContext,
): Session | undefined {
  return sessionFor(isWithInvite ? sender.speakerUri : speakerUri, state, agent);
}

export function sessionFor(speakerUri: string, { sessions }: NemoState, agent: NemoContext): Session | undefined {
  const key = agent.config.isSessionShared ? "" : foldUri(speakerUri);
  const known = sessions.get(key);
  const atWork = [...sessions.values()].filter((one) => one !== known && isBusy(one));
  if (atWork.length >= socketsMax) return undefined;
  const session = known ?? { client: undefined, run: undefined, queued: new Map() };
  sessions.delete(key);
  sessions.set(key, session);
  session.client ??= newClient(speakerUri, agent);
  closeIdle(sessions, session, agent);
  return session;
}

/** The run that waits for this speaker: in their own session, or in that of the inviter who passed on their utterance. */
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

/** Closes the sockets that were unused for longest; they are opened again on demand. */
function closeIdle(sessions: Map<string, Session>, current: Session, { clients }: NemoContext): void {
  const idle = [...sessions].filter(([, session]) => session !== current && !isBusy(session));
  for (const [, { client }] of idle.slice(0, Math.max(0, sessions.size - socketsMax))) client?.close();
  for (const [key, session] of idle.slice(0, Math.max(0, sessions.size - sessionsMax))) {
    closeClient(session, clients);
    sessions.delete(key);
  }
}

function newClient(speakerUri: string, { config, clients }: NemoContext): NemoClient {
  const { url, credential, dialler, clock, limits } = config;
  const headers = { ...config.headers, ...sessionHeader(speakerUri, config) };
  const client = new NemoClient({
    url,
    clock,
    limits,
    isShared: config.isSessionShared,
    newId: () => crypto.randomUUID(),
    dialSocket: (request) => dialler.dialSocket(request),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(credential && { credential }),
  });
  clients.add(client);
  return client;
}

/** A keyed hash: always the same for a person at this server, and it cannot be guessed or traced back. */
function sessionHeader(speakerUri: string, { isSessionShared, sessionKey, url }: NemoConfig): { cookie?: string } {
  if (isSessionShared) return {};
  const person = JSON.stringify([url, foldUri(speakerUri)]);
  return { cookie: `nat-session=${createHmac("sha256", sessionKey).update(person).digest("base64url")}` };
}
