import type {
  Conversation,
  Dialect,
  DialogEvent,
  DraftStep,
  EventOf,
  Feature,
  FloorEvent,
  Manifest,
  ScoredManifest,
  Sender,
  To,
} from "@plenary/protocol";
import type { InteractionReply, Question } from "./interaction.ts";
import type { SpeakerKind } from "./speakers.ts";

/** A manifest in which `serviceUrl` is optional: the server of the agent can add it. */
export type AgentManifest = Omit<Manifest, "identification"> & {
  identification: Omit<Manifest["identification"], "serviceUrl"> & { serviceUrl?: string };
};

/**
 * A string becomes an utterance: public in answer to a public one, private in answer to a private one. A stream of strings
 * is one utterance that viewers can watch while it is written. Events are sent as they are. `undefined` is an empty envelope.
 */
export type Answer = string | FloorEvent | readonly FloorEvent[] | AsyncIterable<StreamPart> | undefined;

/**
 * A part of a streamed answer: text of the utterance; features beside its `text`; a step, which is shown at once and not
 * stored; or an event, which is sent after the utterance.
 */
export type StreamPart = string | FloorEvent | { features: Readonly<Record<string, Feature>> } | { step: DraftStep };

export type Handler<Heard> = (input: Heard) => Answer | Promise<Answer>;

/** The input of every handler. */
export type HandlerInput<State, Event extends FloorEvent = FloorEvent> = {
  event: Event;
  /** The sender of the envelope. `dialogEvent.speakerUri` may name another speaker. */
  sender: Sender;
  /**
   * The speaker of an utterance: on a relaying floor the sender is the floor itself. For other events, and for everything
   * that an agent sends, the sender.
   */
  speakerUri: string;
  conversation: Conversation;
  /** This agent is named in `to`, or the utterance has no `to` and only its speaker and this agent are present (D28). */
  isAddressed: boolean;
  /** The kind of a speaker, derived from the list of conversants and from its events. Treat an unknown speaker as a person. */
  speakerKind: (speakerUri: string) => SpeakerKind;
  /** This agent is the convener: the envelope says so, or the floor names no convener and has invited this agent as one. */
  isConvener: boolean;
  isPrivate: boolean;
  hasFloor: boolean;
  /**
   * The floor asks this agent, its convener, to decide about the event. Only Plenary floors send it; on other floors it is
   * absent, and follows from the table of section 2.2.
   */
  isDelegated?: boolean;
  /** One per conversation. Dropped on uninvite, on bye, and after `conversationsMax` newer conversations. */
  state: State;
  /** Aborted when the answer is no longer needed: the caller has gone, the floor is revoked, or the time is up. */
  signal: AbortSignal;
  /** The addressee of a string answer. Absent if a public answer has none. */
  replyTo?: To;
  /** Makes the utterance of a string answer, to be returned beside other events. */
  say: (text: string) => EventOf<"utterance">;
  /** Makes a private utterance. Default addressee: the sender. */
  whisper: (text: string, speakerUri?: string) => EventOf<"utterance">;
  /** D31: makes a question with choices. The answer is the `reply` of a later utterance. */
  ask: (question: Question) => EventOf<"utterance">;
  /** The identity that this agent sends as. */
  self: { speakerUri: string; serviceUrl: string };
  /** The depth of the turn and the floors it passed (D17). Send this header with every request you make for the turn. */
  baggage?: string;
  /** W3C Trace Context of the turn, with the span of this delivery. Send it like `baggage`. */
  traceparent?: string;
  /** The network address of the caller, if the server of the agent knows it. */
  caller?: string;
  /** Hands the conversation over: says so, invites the other agent with the history, and yields when that agent has joined. */
  delegate: (delegation: Delegation) => FloorEvent[];
  /** Recommends agents that can do the task (spec 1.18). The asker may invite them. */
  recommend: (manifests: readonly ScoredManifest[], say?: string) => FloorEvent[];
  /** Invites another agent, with the current utterance as history unless that is private. */
  invite: (to: { serviceUrl: string; speakerUri?: string }) => EventOf<"invite">;
};

export type Delegation = {
  to: { serviceUrl: string; speakerUri?: string };
  /** Said before the invite, such as `I'll pass you over to my-weather.` */
  say?: string;
  /** Sent with the invite; the other agent answers the last one. Default: the current utterance and the three public ones before it. */
  history?: readonly DialogEvent[];
  /** When the other agent has joined: yield the floor (default), or leave. */
  afterwards?: "yield" | "bye";
  /** Said before leaving. */
  farewell?: string;
  /** What to do when the other agent does not join. Default: a sentence that says so. A string goes to the asker. */
  otherwise?: string | Handler<HandlerInput<unknown, EventOf<"declineInvite">>>;
};

export type InviteInput<State> = HandlerInput<State, EventOf<"invite">> & {
  /** Returns the utterances that came with the invite. `onUtterance` does not get them then: answer them in `onInvite`. */
  takeUtterances: () => readonly EventOf<"utterance">[];
};

export type UtteranceInput<State> = HandlerInput<State, EventOf<"utterance">> & {
  text: string;
  dialogEvent: DialogEvent;
  /** Earlier utterances, if this one came with an invite. */
  history: readonly DialogEvent[];
  /** The utterance came with the invite: beside it, or as the last one of its history. */
  isWithInvite: boolean;
  /** Set when the utterance answers a question of `ask`. */
  reply?: InteractionReply;
};

export type GetManifestsInput<State> = HandlerInput<State, EventOf<"getManifests">> & {
  scope: "internal" | "external" | "all";
  /** The task beside the getManifests event; empty if there is none. */
  text: string;
  /** The task as dialog events, with their languages and features. Several are one task. */
  tasks: readonly DialogEvent[];
  /** In 0.9 a getManifests event without a task asks for the favourite agent of the recipient. */
  dialect: Dialect;
  /** The agent's own manifest, with its address. */
  own: Manifest;
};

export type Recommendation = {
  servicingManifests?: ScoredManifest[];
  discoveryManifests?: ScoredManifest[];
  /** An utterance beside the manifests. Only for askers that requested it: other agents would answer it. */
  said?: EventOf<"utterance">;
};

type Recommends<State> = (
  input: GetManifestsInput<State>,
) => Recommendation | undefined | Promise<Recommendation | undefined>;

export type Handlers<State> = {
  onUtterance: Handler<UtteranceInput<State>>;
  /** Default: accept and greet. A string replaces the greeting; a declineInvite among events declines. */
  onInvite?: Handler<InviteInput<State>>;
  onGrant?: Handler<HandlerInput<State, EventOf<"grantFloor">>>;
  /** Its answer is not sent, because the agent has lost the floor. */
  onRevoke?: Handler<HandlerInput<State, EventOf<"revokeFloor">>>;
  /** Its answer is not sent, because the agent has left. */
  onUninvite?: Handler<HandlerInput<State, EventOf<"uninvite">>>;
  /** Answers getManifests. Default: the own manifest, as section 2.1 requires. */
  onManifests?: Recommends<State>;
  /** Answers getManifests for another speaker at this agent's address. Default: an empty list. */
  onManifestsOfAnother?: Recommends<State>;
  /**
   * The floor asks this agent, its convener. The event has not taken effect, even if it is addressed to the agent itself.
   * The answer replaces the event. Without this handler the other handlers get the event.
   */
  onDelegated?: Handler<HandlerInput<State>>;
  /** All other events for this agent: acceptInvite, declineInvite, bye, publishManifests, requestFloor, yieldFloor. */
  onEvent?: Handler<HandlerInput<State>>;
  /** Events between other speakers, and public utterances while this agent does not have the floor. */
  onOverheard?: Handler<HandlerInput<State>>;
};

export type Settings = {
  manifest: AgentManifest;
  /** The utterance after an invite; false: none. */
  greeting?: string | false;
  /** Maximum wait for an answer, and between two parts of a stream. */
  replyTimeoutMs?: number;
  /** Maximum number of remembered conversations. The least recently used one is dropped. */
  conversationsMax?: number;
  /** Maximum number of remembered deliveries. A repeated one gets the same answer. */
  deliveriesMax?: number;
  bodyBytesMax?: number;
  /** `whsec_...`, the same as on the floor. A request without a valid signature is refused. Default: unsigned requests are accepted. */
  secrets?: readonly string[];
  /** Origins of web pages that may call the agent, such as `https://floor.example`. Default: `*` (all). */
  allowOrigins?: readonly string[];
  /** Called when a handler throws or times out. The caller of the agent does not learn the reason. Default: the console. */
  onError?: (error: unknown, about: { event: FloorEvent; conversation: Conversation }) => void;
};

export type AgentOptions<State> = Settings &
  Handlers<State> & {
    newState?: () => State;
    /** Called when `conversationsMax` drops a conversation, so that its state can release timers and the like. */
    onForget?: (state: State) => void;
  };
