import { envelope, type FloorEvent } from "@plenary/protocol";
import type { AgentHost, Remembered } from "@plenary/sdk";
import { type Agent, createAgent, type Heard, originOf } from "@plenary/sdk";
import { manifestOf, type ReadyMadeOptions } from "../identity.ts";
import { nameIn } from "./floor-view.ts";
import type { Chair, Matter, Past, Sight } from "./policy.ts";
import { eventsMax, Sitting } from "./session.ts";

/** How to rule on a matter, once it has been thought about. What has changed meanwhile is in the state it is given. */
type Rule<State> = Chair<State>["rule"];

export type ConvenerOptions<State> = ReadyMadeOptions & {
  /** Thinks about a matter before it is ruled on; undefined, the chair rules alone. */
  advise?: (state: State, matter: Matter, sight: Sight, signal: AbortSignal) => Promise<Rule<State> | undefined>;
  onError?: (error: unknown) => void;
};

/** What the convener has in mind of one conversation. */
type Mind<State> = {
  sitting: Sitting<State>;
  timer: ReturnType<typeof setTimeout> | undefined;
  /** While what it does unasked is on its way: the floor hears its rulings in the order in which they were made. */
  sending: Promise<void> | undefined;
  /** While the past is being looked up. */
  recalling: Promise<void> | undefined;
};

/** The longest that a timer can be set for. */
const timerMsMax = 2 ** 31 - 1;
/** A floor waits for ten seconds. */
const replyTimeoutMs = 8_000;

/** A chair on legs: an ordinary agent that rules wherever it is given the role, and is silent everywhere else. */
export function createConvener<State>(chair: Chair<State>, options: ConvenerOptions<State> = {}): Agent {
  const manifest = manifestOf(aboutOf(chair), options);
  const { identification } = manifest;
  const convener = new Convener(options, identification);
  const hear = (heard: Heard<Mind<State>>) => convener.hear(heard, "told");
  return createAgent<Mind<State>>({
    manifest,
    replyTimeoutMs,
    greeting: false,
    ...(options.onError && { onError: options.onError }),
    newState: () => ({
      sitting: new Sitting(chair),
      ...{ timer: undefined, sending: undefined, recalling: undefined },
    }),
    onDelegated: (heard) => convener.hear(heard, "asked"),
    onUtterance: hear,
    onOverheard: hear,
    onEvent: hear,
    onGrant: hear,
    onUninvite: ({ state }) => {
      convener.rise(state);
      return undefined;
    },
    // A mind that nobody has any more must not act.
    onForget: (mind) => convener.rise(mind),
  });
}

function aboutOf<State>({ name, conversationalName, synopsis }: Chair<State>) {
  const capability = {
    keyphrases: [
      ...["convener", "chair a meeting", "chair a discussion", "moderate a conversation"],
      `${name.replaceAll("-", " ")} convener`,
    ],
    descriptions: [synopsis],
    supportedLayers: { input: ["text"], output: ["text"] },
  };
  const openFloorRoles = { convener: true };
  return { name: `convener-${name}`, conversationalName, synopsis, openFloorRoles, capabilities: [capability] };
}

/** Rules on what is heard, one conversation at a time, and minds the clock. */
class Convener<State> {
  readonly #options: ConvenerOptions<State>;
  readonly #self: { speakerUri: string; serviceUrl?: string };

  constructor(options: ConvenerOptions<State>, self: { speakerUri: string; serviceUrl?: string }) {
    this.#options = options;
    this.#self = self;
  }

  async hear(heard: Heard<Mind<State>>, kind: "asked" | "told"): Promise<FloorEvent[]> {
    const { state: mind, conversation, event, sender, signal } = heard;
    const { sitting } = mind;
    await mind.sending;
    const insight = {
      chair: heard.isConvener ? nameIn(conversation, heard.self) : undefined,
      isPerson: (speakerUri: string) => heard.speakerKind(speakerUri) !== "agent",
    };
    const sight = sitting.look(conversation, insight, Date.now());
    if (sight === undefined) {
      this.rise(mind);
      return [];
    }
    if (!sitting.isSeated) await this.#recall(mind, conversation.id, sight.self);
    // It may have lost the chair while it looked back.
    if (!sitting.hasSight) return [];
    const answers = [...sitting.catchUp(Date.now())];
    const matter: Matter = { kind, event, sender: originOf(event, sender.speakerUri, conversation) };
    const rule = await this.#advice(sitting.state, matter, sight, signal);
    answers.push(...sitting.take(matter, Date.now(), rule));
    this.#setAlarm(mind, conversation.id);
    return answers.slice(0, eventsMax);
  }

  rise(mind: Mind<State>): void {
    clearTimeout(mind.timer);
    mind.sitting.rise();
  }

  #setAlarm(mind: Mind<State>, id: string): void {
    clearTimeout(mind.timer);
    const { wakeAtMs } = mind.sitting;
    const { send } = this.#options;
    if (wakeAtMs === undefined || send === undefined) return;
    const inMs = Math.min(Math.max(0, wakeAtMs - Date.now()), timerMsMax);
    mind.timer = setTimeout(() => this.#wake(mind, id, send), inMs);
    // A chair that waits keeps no process alive.
    mind.timer.unref?.();
  }

  #wake(mind: Mind<State>, id: string, send: AgentHost["send"]): void {
    const events = mind.sitting.take({ kind: "time" }, Date.now());
    this.#setAlarm(mind, id);
    if (events.length === 0) return;
    const said = envelope({ conversation: { id }, sender: this.#self, events: events.slice(0, eventsMax) });
    const sending = send(said)
      .catch((error: unknown) => this.#options.onError?.(error))
      .finally(() => {
        if (mind.sending === sending) mind.sending = undefined;
      });
    mind.sending = sending;
  }

  /** Once for each time it takes the chair; whoever comes meanwhile waits with it. */
  async #recall(mind: Mind<State>, id: string, self: string): Promise<void> {
    const { recall } = this.#options;
    if (recall === undefined) return;
    mind.recalling ??= recall(id, self).then(
      (past) => mind.sitting.remember(past.map(pastOf)),
      (error: unknown) => this.#options.onError?.(error),
    );
    await mind.recalling;
    mind.recalling = undefined;
  }

  async #advice(state: State, matter: Matter, sight: Sight, signal: AbortSignal) {
    try {
      return await this.#options.advise?.(state, matter, sight, signal);
    } catch (error) {
      this.#options.onError?.(error);
      return undefined;
    }
  }
}

function pastOf({ at, sender, event }: Remembered): Past {
  return { atMs: Date.parse(at), sender, event };
}
