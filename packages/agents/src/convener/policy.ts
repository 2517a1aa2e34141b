import type { FloorEvent } from "@plenary/protocol";

/** A conversant, as the envelope lists it. */
export type Participant = { speakerUri: string; name: string; isPerson: boolean; serviceUrl?: string };

/** The state of the floor at one moment, as the convener knows it. */
export type FloorView = {
  /** The convener itself. */
  self: string;
  /** In the order of joining, without the convener. */
  conversants: readonly Participant[];
  granted: readonly string[];
  /** True when the view includes effects of the convener's own events that no envelope has confirmed yet. */
  isPredicted?: boolean;
  /** Absent when the floor names no owner. */
  owner?: string;
  /** Milliseconds since 1970. */
  nowMs: number;
};

/** Input of a policy. Plain data, so that the same inputs lead to the same rulings. */
export type PolicyInput =
  /** The agent has just become the convener. */
  | { kind: "appointed" }
  /** The floor asks for a ruling. Returning the event approves it, returning other events replaces it, returning none drops or holds it. */
  | { kind: "delegated"; event: FloorEvent; sender: string }
  /** The event has taken effect already. */
  | { kind: "observed"; event: FloorEvent; sender: string }
  /** The time of `wakeAtMs` has come. */
  | { kind: "timer" };

export type Ruling<State> = {
  state: State;
  events: readonly FloorEvent[];
  /** When to send the next `timer` input; absent: never. */
  wakeAtMs?: number;
};

/** An event from before the convener was appointed or restarted. */
export type PastEvent = { atMs: number; sender: string; event: FloorEvent };

/** The rules of one convener. Pure: a policy has no memory but its state and no clock but `nowMs` of the view. */
export type ConvenerPolicy<State> = {
  /** `queue`: hosted as `/agents/convener-queue`. */
  name: string;
  conversationalName: string;
  synopsis: string;
  newState: () => State;
  /** Rebuilds the state from past events, oldest first. Absent: the policy needs no past. */
  restore?: (past: readonly PastEvent[], view: FloorView) => State;
  rule: (state: State, input: PolicyInput, view: FloorView) => Ruling<State>;
};
