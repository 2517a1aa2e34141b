import type { DialogEvent, To } from "@plenary/protocol";
import { BoundedMap } from "../bounded-map.ts";
import type { Delegation } from "./handlers.ts";
import type { Pending } from "./interaction.ts";
import { ObservedSpeakers } from "./speakers.ts";

/** A delegation whose invite is not answered yet. */
export type PendingDelegation = Pick<Delegation, "to" | "afterwards" | "farewell" | "otherwise"> & {
  /** The conversant that this agent was talking with. */
  asker: { to?: To };
};

/** What the agent remembers of one conversation. */
export type ConversationMemory<State> = {
  state: State;
  hasFloor: boolean;
  /** Uninvited, or left by itself: silent until the next invite (spec 2.1). */
  hasLeft: boolean;
  /** The speakerUri of the invite when it is not ours. Some floors keep addressing us by it. */
  alias: string | undefined;
  /** The agent accepted an invite that expects it to convene (1.1.1). */
  isExpectedToConvene: boolean;
  speakers: ObservedSpeakers;
  /** The open question to each speaker (D31). */
  asked: BoundedMap<Pending>;
  /** The last public utterances with text. */
  recent: readonly DialogEvent[];
  /** Delegations without an answer, by serviceUrl. */
  delegations: BoundedMap<PendingDelegation>;
  /** Stops the answers that are being composed. */
  running: Set<(why: string) => void>;
};

const questionsMax = 16;
const delegationsMax = 16;

export function createConversationMemory<State>(newState: () => State): ConversationMemory<State> {
  return {
    state: newState(),
    hasFloor: true,
    hasLeft: false,
    alias: undefined,
    isExpectedToConvene: false,
    speakers: new ObservedSpeakers(),
    asked: new BoundedMap(questionsMax),
    recent: [],
    delegations: new BoundedMap(delegationsMax),
    running: new Set(),
  };
}

/** Of a conversation that the agent left, only that fact is kept. */
export function clearMemory<State>(memory: ConversationMemory<State>, newState: () => State): void {
  Object.assign(memory, { ...createConversationMemory(newState), hasLeft: true, running: memory.running });
}

/** Stops all running answers except the caller's own. */
export function stopOtherAnswers(memory: ConversationMemory<unknown>, mine: (why: string) => void, why: string): void {
  for (const stop of memory.running) if (stop !== mine) stop(why);
}
