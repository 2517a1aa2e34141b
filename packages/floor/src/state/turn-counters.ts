import type { EventEntry } from "../entry.ts";
import { type Next, type Quota, type TurnState, turnState } from "../floor.ts";
import { settle } from "./open-deliveries.ts";

// What a floor knows of its turns. As with every move, no rule is known here: what counts, and as what, is in the entry.

/** With a new turn the counts of those that nobody works on, or could go on with, are forgotten. */
export function forgetOldTurns(next: Next, turn: string): void {
  if (next.turns.length === 0 || turnState(next, turn) !== undefined) return;
  const used = new Set([...next.open, ...next.parked].map((one) => one.turn));
  for (const { last } of next.conversants) if (last !== undefined) used.add(last.turn);
  next.turns = next.turns.filter((one) => one.isPaused || used.has(one.turn));
}

export function countAgents(next: Next, { turn, said }: EventEntry): void {
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

export function spend(next: Next, turn: string, speakerUri: string, quota: Quota): void {
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

function replace(next: Next, state: TurnState): void {
  next.turns = [...next.turns.filter((one) => one.turn !== state.turn), state];
}

export function noteFloors(next: Next, turn: string, floors: readonly string[]): void {
  const before = turnState(next, turn) ?? newTurn(turn);
  replace(next, { ...before, floors });
}

function newTurn(turn: string): TurnState {
  return { turn, agentEvents: 0, said: [], isPaused: false };
}

export function pause(next: Next, turn: string, aborts: readonly string[]): void {
  settle(next, aborts);
  const before = turnState(next, turn) ?? newTurn(turn);
  replace(next, { ...before, isPaused: true });
}

/** The counts start anew, also for who spoke last in a turn that was paused. */
export function resume(next: Next): void {
  const paused = next.turns.filter((one) => one.isPaused).map((one) => one.turn);
  next.turns = next.turns.filter((one) => !one.isPaused);
  next.conversants = next.conversants.map((one) => {
    if (one.last === undefined || !paused.includes(one.last.turn)) return one;
    const { last: _, ...rest } = one;
    return rest;
  });
}
