import type { Happening, NemoClient, Step } from "@plenary/nemo";
import type { HeardUtterance } from "@plenary/sdk";
import type { AnswerRequest } from "../llm/answer-policy.ts";
import { type ConversationMemory, newMemory } from "../llm/history.ts";
import type { WorkflowPrompt } from "./prompts.ts";

/** What it knows of one conversation. */
export type NemoState = ConversationMemory & {
  /** By the person that the workflow works for, the one that was used last at the end. */
  sessions: Map<string, Session>;
  /** By the id of each question that was put: what is told to who answers it too late. */
  questions: Map<string, string>;
  /** Turns that failed, one after the other. */
  failures: number;
};

/** One person before the workflow: a socket of their own, and one turn at a time. Where sessions are shared, everybody. */
export type Session = {
  client: NemoClient | undefined;
  /** The turn that is being read just now, or waits for a person. */
  run: WorkflowRun | undefined;
  /** What was said meanwhile, by speaker: of each the newest, and the rest is in the history. */
  queued: Map<string, QueuedUtterance>;
};

/** One turn of the workflow. */
export type WorkflowRun = {
  session: Session;
  /** Who caused it, and alone is asked and told of errors. */
  asker: string;
  /** To an agent no errors are told: it would answer them. */
  isByAgent: boolean;
  happenings: AsyncIterator<Happening>;
  /** Asked for, and not there yet. */
  next: Promise<IteratorResult<Happening>> | undefined;
  waiting: PendingPrompt | undefined;
  /** Its question was answered with words that were no choice: those that come next are about something else. */
  hadUnrelatedText: boolean;
  /** Its question was not answered in time, so nobody is told of its errors any more. */
  isExpired: boolean;
  /** Not yet told with any words. */
  steps: Step[];
  trace: string | undefined;
};

/** What the asker was asked, in the dialog event `askedId`. */
type PendingPrompt = { askedId: string; prompt: WorkflowPrompt };

/** A turn that waits for its asker. */
export type WaitingRun = WorkflowRun & { waiting: PendingPrompt };

export type QueuedUtterance = { heard: HeardUtterance<NemoState>; request: AnswerRequest; session: Session };

export function newNemoState(): NemoState {
  return { ...newMemory(), sessions: new Map(), questions: new Map(), failures: 0 };
}

export function isWaiting(talk: WorkflowRun | undefined): talk is WaitingRun {
  return talk?.waiting !== undefined;
}

/** A question that nobody answers keeps nothing busy once the workflow is done with it. */
export function isBusy({ client, run, queued }: Session): boolean {
  const isOver = isWaiting(run) && client?.isRunning() !== true;
  return (run !== undefined && !isOver) || queued.size > 0;
}

/** The sockets of all conversations, so that they can be closed at last. */
export type Clients = Set<NemoClient>;

/** Nothing of the conversation goes on. */
export function closeSessions(state: NemoState, clients: Clients): void {
  stopRuns(state);
  for (const session of state.sessions.values()) closeClient(session, clients);
  state.sessions.clear();
}

/** A hard stop: the workflow may go on, but nobody hears of it. */
export function stopRuns({ sessions }: NemoState): void {
  for (const session of sessions.values()) {
    session.client?.stop();
    session.run = undefined;
    session.queued.clear();
  }
}

export function closeClient({ client }: Session, clients: Clients): void {
  if (client === undefined) return;
  clients.delete(client);
  client.close();
}
