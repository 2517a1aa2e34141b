import type { Conversation, FloorEvent } from "@plenary/protocol";
import { afterEvents, type ConvenerContext, floorViewOf } from "./floor-view.ts";
import type { ConvenerPolicy, FloorView, PastEvent, PolicyInput } from "./policy.ts";

/** A floor accepts at most this many events in one answer. */
export const eventsMax = 32;

/** Runs a policy in one conversation: keeps its state and its view of the floor. The caller passes the time. */
export class ConvenerSession<State> {
  readonly #policy: ConvenerPolicy<State>;
  #state: State;
  #isAppointed = false;
  /** The floor as of the newest envelope, with the effects of the convener's events since then. */
  #view: FloorView | undefined;
  #conversation: Conversation | undefined;
  #wakeAtMs: number | undefined;

  constructor(policy: ConvenerPolicy<State>) {
    this.#policy = policy;
    this.#state = policy.newState();
  }

  get state(): State {
    return this.#state;
  }

  /** True once the policy has received `appointed`. */
  get isAppointed(): boolean {
    return this.#isAppointed;
  }

  /** True when the newest envelope names this agent as the convener. */
  get isConvener(): boolean {
    return this.#view !== undefined;
  }

  get wakeAtMs(): number | undefined {
    return this.#wakeAtMs;
  }

  /** Updates the view from an envelope. Without the convener role it resets the session and returns undefined. */
  observe(
    conversation: Conversation,
    { convenerUri, isPerson }: ConvenerContext,
    nowMs: number,
  ): FloorView | undefined {
    if (convenerUri === undefined) {
      this.reset();
      return undefined;
    }
    // All events of an envelope share one conversation object: keep the predicted view between them.
    const current = this.#conversation === conversation ? this.#view : undefined;
    const view =
      current === undefined ? floorViewOf(conversation, { self: convenerUri, nowMs, isPerson }) : { ...current, nowMs };
    this.#view = view;
    this.#conversation = conversation;
    return view;
  }

  reset(): void {
    this.#state = this.#policy.newState();
    this.#isAppointed = false;
    this.#view = undefined;
    this.#conversation = undefined;
    this.#wakeAtMs = undefined;
  }

  /** Does nothing after `appointed`: by then the state is newer than the past. */
  restore(past: readonly PastEvent[]): void {
    const { restore } = this.#policy;
    if (this.#isAppointed || this.#view === undefined || restore === undefined) return;
    this.#state = restore(past, this.#view);
  }

  /** Sends `appointed` once, or a timer that is due, before the next input. */
  catchUp(nowMs: number): readonly FloorEvent[] {
    const isDue = this.#wakeAtMs !== undefined && this.#wakeAtMs <= nowMs;
    const wasAppointed = this.#isAppointed;
    this.#isAppointed = true;
    if (!wasAppointed) return this.handle({ kind: "appointed" }, nowMs);
    return isDue ? this.handle({ kind: "timer" }, nowMs) : [];
  }

  handle(
    input: PolicyInput,
    nowMs: number,
    rule: ConvenerPolicy<State>["rule"] = this.#policy.rule,
  ): readonly FloorEvent[] {
    if (this.#view === undefined) return [];
    const { state, events, wakeAtMs } = rule(this.#state, input, { ...this.#view, nowMs });
    this.#state = state;
    this.#view = afterEvents(this.#view, events);
    this.#wakeAtMs = wakeAtMs;
    return events;
  }
}
