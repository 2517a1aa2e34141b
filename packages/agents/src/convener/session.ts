import type { Conversation, FloorEvent } from "@plenary/protocol";
import { afterDeeds, type Insight, sightOf } from "./floor-view.ts";
import type { Chair, Matter, Past, Sight } from "./policy.ts";

/** A floor takes no more of one answer. */
export const eventsMax = 32;

/** One conversation, seen from a chair: what it makes of what it hears, in its order. It is told what time it is. */
export class Sitting<State> {
  readonly #chair: Chair<State>;
  #state: State;
  #isSeated = false;
  /** The floor as it was last told, with what the convener has done since. */
  #sight: Sight | undefined;
  #conversation: Conversation | undefined;
  #wakeAtMs: number | undefined;

  constructor(chair: Chair<State>) {
    this.#chair = chair;
    this.#state = chair.newState();
  }

  get state(): State {
    return this.#state;
  }

  get isSeated(): boolean {
    return this.#isSeated;
  }

  /** It has the chair, by the newest envelope. */
  get hasSight(): boolean {
    return this.#sight !== undefined;
  }

  /** When it wishes to be woken. */
  get wakeAtMs(): number | undefined {
    return this.#wakeAtMs;
  }

  /** What an envelope shows of the floor. Undefined without the chair: then nothing is left to do or to know. */
  look(conversation: Conversation, { chair, isPerson }: Insight, nowMs: number): Sight | undefined {
    if (chair === undefined) {
      this.rise();
      return undefined;
    }
    // The next event of an envelope tells no more of the floor than the one before.
    const seen = this.#conversation === conversation ? this.#sight : undefined;
    const sight = seen === undefined ? sightOf(conversation, { self: chair, nowMs, isPerson }) : { ...seen, nowMs };
    this.#sight = sight;
    this.#conversation = conversation;
    return sight;
  }

  rise(): void {
    this.#state = this.#chair.newState();
    this.#isSeated = false;
    this.#sight = undefined;
    this.#conversation = undefined;
    this.#wakeAtMs = undefined;
  }

  /** Before it takes the chair. */
  remember(past: readonly Past[]): void {
    const { remember } = this.#chair;
    if (this.#isSeated || this.#sight === undefined || remember === undefined) return;
    this.#state = remember(past, this.#sight);
  }

  /** Takes the chair, or does what was due before something new is ruled on. */
  catchUp(nowMs: number): readonly FloorEvent[] {
    const isDue = this.#wakeAtMs !== undefined && this.#wakeAtMs <= nowMs;
    const wasSeated = this.#isSeated;
    this.#isSeated = true;
    if (!wasSeated) return this.take({ kind: "seated" }, nowMs);
    return isDue ? this.take({ kind: "time" }, nowMs) : [];
  }

  take(matter: Matter, nowMs: number, rule: Chair<State>["rule"] = this.#chair.rule): readonly FloorEvent[] {
    if (this.#sight === undefined) return [];
    const { state, events, wakeAtMs } = rule(this.#state, matter, { ...this.#sight, nowMs });
    this.#state = state;
    this.#sight = afterDeeds(this.#sight, events);
    this.#wakeAtMs = wakeAtMs;
    return events;
  }
}
