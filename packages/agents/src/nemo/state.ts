import type { Happening, NemoClient, Step } from "@plenary/nemo";
import type { HeardUtterance } from "@plenary/sdk";
import type { Matter } from "../llm/matter.ts";
import { type Known, newKnown } from "../llm/memory.ts";
import type { Asking } from "./question.ts";

/** What it knows of one conversation. */
export type NemoState = Known & {
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
  talk: Talk | undefined;
  /** What was said meanwhile, by speaker: of each the newest, and the rest is in the history. */
  later: Map<string, Later>;
};

/** One turn of the workflow. */
export type Talk = {
  session: Session;
  /** Who caused it, and alone is asked and told of errors. */
  asker: string;
  /** To an agent no errors are told: it would answer them. */
  isByAgent: boolean;
  happenings: AsyncIterator<Happening>;
  /** Asked for, and not there yet. */
  next: Promise<IteratorResult<Happening>> | undefined;
  waiting: Waiting | undefined;
  /** Its question was answered with words that were no choice: those that come next are about something else. */
  hasStrayed: boolean;
  /** Its question was not answered in time, so nobody is told of its errors any more. */
  isLapsed: boolean;
  /** Not yet told with any words. */
  steps: Step[];
  trace: string | undefined;
};

/** What the asker was asked, in the dialog event `askedId`. */
type Waiting = { askedId: string; asking: Asking };

/** A turn that waits for its asker. */
export type Asked = Talk & { waiting: Waiting };

export type Later = { heard: HeardUtterance<NemoState>; matter: Matter; session: Session };

export function newNemoState(): NemoState {
  return { ...newKnown(), sessions: new Map(), questions: new Map(), failures: 0 };
}

export function isAsked(talk: Talk | undefined): talk is Asked {
  return talk?.waiting !== undefined;
}

/** A question that nobody answers keeps nothing busy once the workflow is done with it. */
export function isBusy({ client, talk, later }: Session): boolean {
  const isOver = isAsked(talk) && client?.isRunning() !== true;
  return (talk !== undefined && !isOver) || later.size > 0;
}

/** The sockets of all conversations, so that they can be closed at last. */
export type Clients = Set<NemoClient>;

/** Nothing of the conversation goes on. */
export function part(state: NemoState, clients: Clients): void {
  abandon(state);
  for (const session of state.sessions.values()) hangUp(session, clients);
  state.sessions.clear();
}

/** A hard stop: the workflow may go on, but nobody hears of it. */
export function abandon({ sessions }: NemoState): void {
  for (const session of sessions.values()) {
    session.client?.stop();
    session.talk = undefined;
    session.later.clear();
  }
}

export function hangUp({ client }: Session, clients: Clients): void {
  if (client === undefined) return;
  clients.delete(client);
  client.close();
}
