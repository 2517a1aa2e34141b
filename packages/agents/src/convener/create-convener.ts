import { envelope, type FloorEvent } from "@plenary/protocol";
import type { AgentHost, HistoryEntry } from "@plenary/sdk";
import { type Agent, createAgent, type HandlerInput, originOf } from "@plenary/sdk";
import { manifestOf, type ReadyMadeOptions } from "../identity.ts";
import { listedNameOf } from "./floor-view.ts";
import type { ConvenerPolicy, FloorView, PastEvent, PolicyInput } from "./policy.ts";
import { ConvenerSession, eventsMax } from "./session.ts";

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

/** An agent that runs a policy in each conversation where it has the convener role, and is silent in all others. */
export function createConvener<State>(policy: ConvenerPolicy<State>, options: ConvenerOptions<State> = {}): Agent {
  const manifest = manifestOf(aboutOf(policy), options);
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

function aboutOf<State>({ name, conversationalName, synopsis }: ConvenerPolicy<State>) {
  const capability = {
    keyphrases: [
      "convener",
      "chair a meeting",
      "chair a discussion",
      "moderate a conversation",
      `${name.replaceAll("-", " ")} convener`,
    ],
    descriptions: [synopsis],
    supportedLayers: { input: ["text"], output: ["text"] },
  };
  const openFloorRoles = { convener: true };
  return { name: `convener-${name}`, conversationalName, synopsis, openFloorRoles, capabilities: [capability] };
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
      (past) => state.session.restore(past.map(pastEventOf)),
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

function pastEventOf({ at, sender, event }: HistoryEntry): PastEvent {
  return { atMs: Date.parse(at), sender, event };
}
