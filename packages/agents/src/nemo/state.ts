import type { NemoClient, RunEvent, Step } from "@plenary/nemo";
import type { UtteranceInput } from "@plenary/sdk";
import type { AnswerRequest } from "../llm/answer-policy.ts";
import { type ConversationMemory, newMemory } from "../llm/history.ts";
import type { WorkflowPrompt } from "./prompts.ts";

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
export type Clients = Set<NemoClient>;

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

export function closeClient({ client }: Session, clients: Clients): void {
  if (client === undefined) return;
  clients.delete(client);
  client.close();
}
