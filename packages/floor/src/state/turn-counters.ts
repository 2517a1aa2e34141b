import type { EventEntry } from "../entry.ts";
import { type NextFloor, type Quota, type TurnState, turnState } from "../floor.ts";
import { closeDeliveries } from "./open-deliveries.ts";

// The turn counters of a floor. No rules here: every fact is in the entry.

/** A new turn drops the counters of turns that are over: not paused, not awaited, and not the last turn of any conversant. */
export function forgetOldTurns(next: NextFloor, turn: string): void {
  if (next.turns.length === 0 || turnState(next, turn) !== undefined) return;
  const used = new Set([...next.open, ...next.parked].map((one) => one.turn));
  for (const { last } of next.conversants) if (last !== undefined) used.add(last.turn);
  next.turns = next.turns.filter((one) => one.isPaused || used.has(one.turn));
}

export function countAgents(next: NextFloor, { turn, said }: EventEntry): void {
  const before = turnState(next, turn) ?? newTurn(turn);
  replace(next, {
    turn,
    agentEvents: before.agentEvents + 1,
    said: said === undefined ? before.said : [...before.said, said],
    isPaused: before.isPaused,
    ...(before.floors && { floors: before.floors }),
    ...(before.spent && { spent: before.spent }),
  });
}

export function spend(next: NextFloor, turn: string, speakerUri: string, quota: Quota): void {
  const before = turnState(next, turn) ?? newTurn(turn);
  const { spent = [] } = before;
  const own = spent.find((one) => one.speakerUri === speakerUri) ?? {
    speakerUri,
    invites: 0,
    uninvites: 0,
    manifests: 0,
  };
  const others = spent.filter((one) => one.speakerUri !== speakerUri);
  replace(next, { ...before, spent: [...others, { ...own, [quota]: own[quota] + 1 }] });
}

function replace(next: NextFloor, state: TurnState): void {
  next.turns = [...next.turns.filter((one) => one.turn !== state.turn), state];
}

export function noteFloors(next: NextFloor, turn: string, floors: readonly string[]): void {
  const before = turnState(next, turn) ?? newTurn(turn);
  replace(next, { ...before, floors });
}

function newTurn(turn: string): TurnState {
  return { turn, agentEvents: 0, said: [], isPaused: false };
}

export function pause(next: NextFloor, turn: string, aborts: readonly string[]): void {
  closeDeliveries(next, aborts);
  const before = turnState(next, turn) ?? newTurn(turn);
  replace(next, { ...before, isPaused: true });
}

/** Resets the paused turns, also as the last turn of a conversant. */
export function resume(next: NextFloor): void {
  const paused = next.turns.filter((one) => one.isPaused).map((one) => one.turn);
  next.turns = next.turns.filter((one) => !one.isPaused);
  next.conversants = next.conversants.map((one) => {
    if (one.last === undefined || !paused.includes(one.last.turn)) return one;
    const { last: _, ...rest } = one;
    return rest;
  });
}
