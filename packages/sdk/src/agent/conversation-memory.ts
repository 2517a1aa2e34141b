import type { DialogEvent, To } from "@plenary/protocol";
import { BoundedMap } from "../bounded-map.ts";
import type { Delegation } from "./handlers.ts";
import type { Pending } from "./interaction.ts";
import { Voices } from "./speakers.ts";

/** A delegation of which nobody knows yet whether the other one comes. */
export type PendingDelegation = Pick<Delegation, "to" | "afterwards" | "farewell" | "otherwise"> & {
  /** Whom the one who delegates was talking with. */
  asker: { to?: To };
};

/** What the agent knows of one conversation. */
export type Memory<State> = {
  state: State;
  hasFloor: boolean;
  /** Uninvited, or gone by itself: silent until the next invite (spec 2.1). */
  hasLeft: boolean;
  /** The speakerUri of the invite when it is not ours: some floors go on calling us by it. */
  alias: string | undefined;
  /** It has accepted an invite that expects it to convene (1.1.1). */
  isExpectedToConvene: boolean;
  voices: Voices;
  /** The open question to each speaker. */
  asked: BoundedMap<Pending>;
  /** The last that everyone may have heard, in words. */
  recent: readonly DialogEvent[];
  /** Who was invited to take over, by address, and has not been heard of yet. */
  delegations: BoundedMap<PendingDelegation>;
  /** Ends the answers being composed now. */
  running: Set<(why: string) => void>;
};

const questionsMax = 16;
const delegationsMax = 16;

export function createMemory<State>(newState: () => State): Memory<State> {
  return {
    state: newState(),
    hasFloor: true,
    hasLeft: false,
    alias: undefined,
    isExpectedToConvene: false,
    voices: new Voices(),
    asked: new BoundedMap(questionsMax),
    recent: [],
    delegations: new BoundedMap(delegationsMax),
    running: new Set(),
  };
}

/** Nothing is kept of a conversation one has left but the fact. */
export function forget<State>(memory: Memory<State>, newState: () => State): void {
  Object.assign(memory, { ...createMemory(newState), hasLeft: true, running: memory.running });
}

/** All answers in the making but the caller's own. */
export function stopOthers(memory: Memory<unknown>, mine: (why: string) => void, why: string): void {
  for (const stop of memory.running) if (stop !== mine) stop(why);
}
