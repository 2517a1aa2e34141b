// The toolkit identifies a user by the cookie of the socket's upgrade request, so each person gets a socket of their own.
import { createHmac } from "node:crypto";
import { NemoClient, type RunEvent, type Step } from "@plenary/nemo";
import { foldUri, isSameUri } from "@plenary/protocol";
import type { UtteranceInput } from "@plenary/sdk";
import type { AnswerRequest } from "../llm/answer-policy.ts";
import { type ConversationMemory, newMemory } from "../llm/history.ts";
import type { WorkflowPrompt } from "./prompts.ts";
import type { NemoConfig } from "./settings.ts";

/** The agent's state of one conversation. */
export type NemoState = ConversationMemory & {
  /** By person, the one used last at the end. */
  sessions: Map<string, Session>;
  /** By the id of each question: the text for a person who answers too late. */
  questions: Map<string, string>;
  /** Failed runs in a row. */
  failures: number;
};

/** One person's session: a socket of their own, and one run at a time. With `sharedSession` all people share one. */
export type Session = {
  client: NemoClient | undefined;
  /** The run that streams now, or waits for a person. */
  run: WorkflowRun | undefined;
  /** Utterances that wait for the run to end: the newest of each speaker. */
  queued: Map<string, QueuedUtterance>;
};

/** One run of the workflow: the answer to one utterance, with pauses for questions to the asker. */
export type WorkflowRun = {
  session: Session;
  /** The speaker who caused the run, and who alone gets its questions and errors. */
  asker: string;
  /** An agent gets no errors, because it would answer them. */
  isByAgent: boolean;
  happenings: AsyncIterator<RunEvent>;
  /** The next event, requested but not there yet. */
  next: Promise<IteratorResult<RunEvent>> | undefined;
  waiting: PendingPrompt | undefined;
  /** The asker answered with text that is no choice. The next such text is a new question. */
  hadUnrelatedText: boolean;
  /** A question got no answer in time, so errors of the run are no longer reported. */
  isExpired: boolean;
  /** Steps that no answer has shown yet. */
  steps: Step[];
  trace: string | undefined;
};

/** `askedId`: the dialog event of the question. */
type PendingPrompt = { askedId: string; prompt: WorkflowPrompt };

/** A run that waits for its asker. */
export type WaitingRun = WorkflowRun & { waiting: PendingPrompt };

export type QueuedUtterance = { heard: UtteranceInput<NemoState>; request: AnswerRequest; session: Session };

export function newNemoState(): NemoState {
  return { ...newMemory(), sessions: new Map(), questions: new Map(), failures: 0 };
}

export function isWaiting(talk: WorkflowRun | undefined): talk is WaitingRun {
  return talk?.waiting !== undefined;
}

/** A run that waits for an answer does not keep the session busy once the workflow has ended. */
export function isBusy({ client, run, queued }: Session): boolean {
  const isOver = isWaiting(run) && client?.isRunning() !== true;
  return (run !== undefined && !isOver) || queued.size > 0;
}

/** The sockets of all conversations, to close them at the end. */
type Clients = Set<NemoClient>;

export type NemoContext = { config: NemoConfig; clients: Clients };

/** Stops all runs of the conversation and closes its sockets. */
export function closeSessions(state: NemoState, clients: Clients): void {
  stopRuns(state);
  for (const session of state.sessions.values()) closeClient(session, clients);
  state.sessions.clear();
}

/** The workflow may continue, but its output is ignored. */
export function stopRuns({ sessions }: NemoState): void {
  for (const session of sessions.values()) {
    session.client?.stop();
    session.run = undefined;
    session.queued.clear();
  }
}

function closeClient({ client }: Session, clients: Clients): void {
  if (client === undefined) return;
  clients.delete(client);
  client.close();
}

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
