import { type Happening, NemoClient, type Step } from "@plenary/nemo";
import type { HeardUtterance } from "@plenary/sdk";
import type { Matter } from "../llm/matter.ts";
import { type Known, newKnown } from "../llm/memory.ts";
import type { Asking } from "./question.ts";
import type { Bridge } from "./settings.ts";

/** What it knows of one conversation. */
export type NemoState = Known & {
  client: NemoClient | undefined;
  /** The turn that is being read just now, or waits for a person. */
  talk: Talk | undefined;
  /** What others said meanwhile, by speaker: of each the newest, and the rest is in the history. */
  later: Map<string, Later>;
  /** By the id of each question that was put: what is told to who answers it too late. */
  questions: Map<string, string>;
  /** Turns that failed, one after the other. */
  failures: number;
};

/** One turn of the workflow. */
export type Talk = {
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
export type Waiting = { askedId: string; asking: Asking };

export type Later = { heard: HeardUtterance<NemoState>; matter: Matter };

export function newNemoState(): NemoState {
  return { ...newKnown(), client: undefined, talk: undefined, later: new Map(), questions: new Map(), failures: 0 };
}

/** The sockets of all conversations, so that they can be closed at last. */
export type Clients = Set<NemoClient>;

export function clientOf(state: NemoState, { bridge, clients }: { bridge: Bridge; clients: Clients }): NemoClient {
  if (state.client !== undefined) return state.client;
  const { url, headers, credential, dialler, clock, limits } = bridge;
  const client = new NemoClient({
    ...{ url, clock, newId: () => crypto.randomUUID() },
    dialSocket: (request) => dialler.dialSocket(request),
    ...(headers && { headers }),
    ...(credential && { credential }),
    ...(limits && { limits }),
  });
  state.client = client;
  clients.add(client);
  return client;
}

/** Nothing of the conversation goes on. */
export function part(state: NemoState, clients: Clients): void {
  abandon(state);
  if (state.client !== undefined) clients.delete(state.client);
  state.client?.close();
  state.client = undefined;
}

/** A hard stop: the workflow may go on, but nobody hears of it. */
export function abandon(state: NemoState): void {
  state.client?.stop();
  state.talk = undefined;
  state.later.clear();
}
