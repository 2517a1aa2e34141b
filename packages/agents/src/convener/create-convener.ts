import { type Conversation, envelope, type FloorEvent } from "@plenary/protocol";
import { type Agent, type AgentHost, createAgent, type HandlerInput, originOf } from "@plenary/sdk";
import { manifestOf, type ReadyMadeOptions } from "../identity.ts";
import { afterEvents, type ConvenerContext, floorViewOf, listedNameOf } from "./floor-view.ts";
import type { ConvenerPolicy, FloorView, PastEvent, PolicyInput } from "./policy.ts";

type Rule<State> = ConvenerPolicy<State>["rule"];

export type ConvenerOptions<State> = ReadyMadeOptions & {
  /** Runs before the policy and may replace its `rule` for this input; undefined: the policy rules alone. */
  advise?: (state: State, input: PolicyInput, view: FloorView, signal: AbortSignal) => Promise<Rule<State> | undefined>;
  onError?: (error: unknown) => void;
};

type ConversationState<State> = {
  session: ConvenerSession<State>;
  timer: ReturnType<typeof setTimeout> | undefined;
  /** The envelope of a timer ruling under way. The next ruling waits for it, so that the floor receives both in order. */
  sending: Promise<void> | undefined;
  /** The lookup of past events under way. */
  restoring: Promise<void> | undefined;
};

/** The longest delay of setTimeout. */
const timerMsMax = 2 ** 31 - 1;
/** Less than the ten seconds that a floor waits. */
const replyTimeoutMs = 8_000;

const keyphrases = ["convener", "chair a meeting", "chair a discussion", "moderate a conversation"];

/** An agent that runs a policy in each conversation where it has the convener role, and is silent in all others. */
export function createConvener<State>(policy: ConvenerPolicy<State>, options: ConvenerOptions<State> = {}): Agent {
  const { name, conversationalName, synopsis } = policy;
  const manifest = manifestOf(
    {
      name: `convener-${name}`,
      conversationalName,
      synopsis,
      openFloorRoles: { convener: true },
      keyphrases: [...keyphrases, `${name.replaceAll("-", " ")} convener`],
      descriptions: [synopsis],
    },
    options,
  );
  const { identification } = manifest;
  const convener = new Convener(options, identification);
  const observe = (heard: HandlerInput<ConversationState<State>>) => convener.handle(heard, "observed");
  return createAgent<ConversationState<State>>({
    manifest,
    replyTimeoutMs,
    greeting: false,
    ...(options.onError && { onError: options.onError }),
    newState: () => ({
      session: new ConvenerSession(policy),
      timer: undefined,
      sending: undefined,
      restoring: undefined,
    }),
    onDelegated: (heard) => convener.handle(heard, "delegated"),
    onUtterance: observe,
    onOverheard: observe,
    onEvent: observe,
    onGrant: observe,
    onUninvite: ({ state }) => {
      convener.stop(state);
      return undefined;
    },
    // A forgotten conversation must not leave a timer behind.
    onForget: (state) => convener.stop(state),
  });
}

class Convener<State> {
  readonly #options: ConvenerOptions<State>;
  readonly #self: { speakerUri: string; serviceUrl?: string };

  constructor(options: ConvenerOptions<State>, self: { speakerUri: string; serviceUrl?: string }) {
    this.#options = options;
    this.#self = self;
  }

  async handle(heard: HandlerInput<ConversationState<State>>, kind: "delegated" | "observed"): Promise<FloorEvent[]> {
    const { state, conversation, event, sender, signal } = heard;
    const { session } = state;
    await state.sending;
    const context = {
      convenerUri: heard.isConvener ? listedNameOf(conversation, heard.self) : undefined,
      isPerson: (speakerUri: string) => heard.speakerKind(speakerUri) !== "agent",
    };
    const view = session.observe(conversation, context, Date.now());
    if (view === undefined) {
      this.stop(state);
      return [];
    }
    if (!session.isAppointed) await this.#restore(state, conversation.id, view.self);
    // The agent may have lost the role meanwhile.
    if (!session.isConvener) return [];
    const answers = [...session.catchUp(Date.now())];
    const input: PolicyInput = { kind, event, sender: originOf(event, sender.speakerUri, conversation) };
    const rule = await this.#advise(session.state, input, view, signal);
    answers.push(...session.handle(input, Date.now(), rule));
    this.#setTimer(state, conversation.id);
    return answers.slice(0, eventsMax);
  }

  stop(state: ConversationState<State>): void {
    clearTimeout(state.timer);
    state.session.reset();
  }

  #setTimer(state: ConversationState<State>, id: string): void {
    clearTimeout(state.timer);
    const { wakeAtMs } = state.session;
    const { send } = this.#options;
    if (wakeAtMs === undefined || send === undefined) return;
    const inMs = Math.min(Math.max(0, wakeAtMs - Date.now()), timerMsMax);
    state.timer = setTimeout(() => this.#onTimer(state, id, send), inMs);
    // A waiting convener does not keep the process alive.
    state.timer.unref?.();
  }

  #onTimer(state: ConversationState<State>, id: string, send: AgentHost["send"]): void {
    const events = state.session.handle({ kind: "timer" }, Date.now());
    this.#setTimer(state, id);
    if (events.length === 0) return;
    const sent = envelope({ conversation: { id }, sender: this.#self, events: events.slice(0, eventsMax) });
    const sending = send(sent)
      .catch((error: unknown) => this.#options.onError?.(error))
      .finally(() => {
        if (state.sending === sending) state.sending = undefined;
      });
    state.sending = sending;
  }

  /** Once per appointment; events that arrive meanwhile wait for the same lookup. */
  async #restore(state: ConversationState<State>, id: string, self: string): Promise<void> {
    const { readHistory } = this.#options;
    if (readHistory === undefined) return;
    state.restoring ??= readHistory(id, self).then(
      (past) => state.session.restore(past.map(({ at, sender, event }) => ({ atMs: Date.parse(at), sender, event }))),
      (error: unknown) => this.#options.onError?.(error),
    );
    await state.restoring;
    state.restoring = undefined;
  }

  async #advise(state: State, input: PolicyInput, view: FloorView, signal: AbortSignal) {
    try {
      return await this.#options.advise?.(state, input, view, signal);
    } catch (error) {
      this.#options.onError?.(error);
      return undefined;
    }
  }
}

/** A floor accepts at most this many events in one answer. */
export const eventsMax = 32;

/** Runs a policy in one conversation: keeps its state and its view of the floor. The caller passes the time. */
export class ConvenerSession<State> {
  readonly #policy: ConvenerPolicy<State>;
  state: State;
  /** True once the policy has received `appointed`. */
  isAppointed = false;
  wakeAtMs: number | undefined;
  /**
   * The floor as of the newest envelope, with the effects of the convener's events since then. Undefined when that envelope
   * names another convener, or none.
   */
  #view: FloorView | undefined;
  #conversation: Conversation | undefined;

  constructor(policy: ConvenerPolicy<State>) {
    this.#policy = policy;
    this.state = policy.newState();
  }

  get isConvener(): boolean {
    return this.#view !== undefined;
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
    this.state = this.#policy.newState();
    this.isAppointed = false;
    this.#view = undefined;
    this.#conversation = undefined;
    this.wakeAtMs = undefined;
  }

  /** Does nothing after `appointed`: by then the state is newer than the past. */
  restore(past: readonly PastEvent[]): void {
    const { restore } = this.#policy;
    if (this.isAppointed || this.#view === undefined || restore === undefined) return;
    this.state = restore(past, this.#view);
  }

  /** Sends `appointed` once, or a timer that is due, before the next input. */
  catchUp(nowMs: number): readonly FloorEvent[] {
    const isDue = this.wakeAtMs !== undefined && this.wakeAtMs <= nowMs;
    const wasAppointed = this.isAppointed;
    this.isAppointed = true;
    if (!wasAppointed) return this.handle({ kind: "appointed" }, nowMs);
    return isDue ? this.handle({ kind: "timer" }, nowMs) : [];
  }

  handle(
    input: PolicyInput,
    nowMs: number,
    rule: ConvenerPolicy<State>["rule"] = this.#policy.rule,
  ): readonly FloorEvent[] {
    if (this.#view === undefined) return [];
    const { state, events, wakeAtMs } = rule(this.state, input, { ...this.#view, nowMs });
    this.state = state;
    this.#view = afterEvents(this.#view, events);
    this.wakeAtMs = wakeAtMs;
    return events;
  }
}
