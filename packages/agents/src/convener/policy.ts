import type { FloorEvent } from "@plenary/protocol";

/** Somebody at the floor, as an envelope tells it. */
export type Present = { speakerUri: string; name: string; isPerson: boolean; serviceUrl?: string };

/** The floor as the convener sees it at one moment. */
export type Sight = {
  /** The convener itself. */
  self: string;
  /** In the order in which they came, the convener not among them. */
  conversants: readonly Present[];
  granted: readonly string[];
  /** What the convener has done since the envelope was written is in it; else it is as the floor tells it. */
  isAmended?: boolean;
  /** Absent where the floor names nobody. */
  owner?: string;
  /** Milliseconds since 1970. */
  nowMs: number;
};

/** What a convener hears. Plain data, so that the same matters lead to the same rulings. */
export type Matter =
  /** It has the chair from now on. */
  | { kind: "seated" }
  /** The floor wants to know: returned, the event is approved; anything else takes its place; nothing drops or holds it. */
  | { kind: "asked"; event: FloorEvent; sender: string }
  /** It has happened. */
  | { kind: "told"; event: FloorEvent; sender: string }
  /** The time that it wished to be woken at has come. */
  | { kind: "time" };

export type Ruling<State> = {
  state: State;
  events: readonly FloorEvent[];
  /** It wishes to be woken then; absent, at no time. */
  wakeAtMs?: number;
};

/** What happened before the convener was there to hear it, or before it was restarted. */
export type Past = { atMs: number; sender: string; event: FloorEvent };

/** A way to chair. Pure: it keeps nothing but its state and knows no clock but the one in its sight. */
export type Chair<State> = {
  /** `queue`: hosted as `/agents/convener-queue`. */
  name: string;
  conversationalName: string;
  synopsis: string;
  newState: () => State;
  /** What can be known again of a conversation; oldest first. Absent: nothing of the past matters. */
  remember?: (past: readonly Past[], sight: Sight) => State;
  rule: (state: State, matter: Matter, sight: Sight) => Ruling<State>;
};
