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

/** The manifest of an agent may leave its address to whatever serves it. */
export type AgentManifest = Omit<Manifest, "identification"> & {
  identification: Omit<Manifest["identification"], "serviceUrl"> & { serviceUrl?: string };
};

/**
 * A string is said in kind: publicly to a public utterance, privately to the speaker of a private one. A stream of strings
 * is one utterance that others may watch while it grows. Events go out as they are. Nothing is the empty envelope.
 */
export type Answer = string | FloorEvent | readonly FloorEvent[] | AsyncIterable<Streamed> | undefined;

/**
 * Words of the one utterance; what stands beside its `text`; what is done on the way to them, which is shown at once and not
 * kept; and events, which go out after it in their order.
 */
export type Streamed = string | FloorEvent | { features: Readonly<Record<string, Feature>> } | { step: DraftStep };

export type Handler<Heard> = (heard: Heard) => Answer | Promise<Answer>;

/** What every handler is given. */
export type Heard<State, Event extends FloorEvent = FloorEvent> = {
  event: Event;
  /** Who sent the envelope; the words in it may be somebody else's (`dialogEvent.speakerUri`). */
  sender: Sender;
  /**
   * Whose words an utterance holds: on a floor that relays, the sender is the floor. Of any other event the sender, and of
   * everything that an agent sends: it speaks for itself.
   */
  speakerUri: string;
  conversation: Conversation;
  /** Named in `to`, or an utterance without `to` where nobody but its sender and this agent is there (D28). */
  isAddressed: boolean;
  /** What that speaker is, as far as the list of conversants and its own deeds show. A speaker not known as an agent is a person. */
  speakerKind: (speakerUri: string) => SpeakerKind;
  /** This agent convenes: the envelope names it, or a floor that names nobody has invited it to. */
  isConvener: boolean;
  isPrivate: boolean;
  hasFloor: boolean;
  /**
   * The floor asks this agent, its convener, to decide about the event. Absent where a floor does not tell: only floors
   * of Plenary do, and elsewhere it follows from the table of section 2.2.
   */
  isDelegated?: boolean;
  /** Kept per conversation; forgotten on uninvite, on bye, and when too many other conversations came since. */
  state: State;
  /** Fires when nobody waits for the answer any longer: the request was cut, the floor revoked, time is up. */
  signal: AbortSignal;
  /** Whom an answer in kind is for; absent where public words name nobody. */
  replyTo?: To;
  /** An utterance in kind, to be returned beside other events. */
  say: (text: string) => EventOf<"utterance">;
  /** A private utterance, to the sender unless told otherwise. */
  whisper: (text: string, speakerUri?: string) => EventOf<"utterance">;
  /** D31: a question with choices. The answer arrives as a later utterance, in its `reply`. */
  ask: (question: Question) => EventOf<"utterance">;
  /** This agent, as it signs what it says. */
  self: { speakerUri: string; serviceUrl: string };
  /** How far the turn has come, and over which floors (D17): whoever calls others for it sends this header along. */
  baggage?: string;
  /** W3C Trace Context of the turn, with the span of this delivery: sent along like `baggage`. */
  traceparent?: string;
  /** The network address that it came from; absent where the server of the agent does not give it. */
  caller?: string;
  /** Hands the conversation over: says so, invites the other one with what was said, and gives way once it has come. */
  delegate: (delegation: Delegation) => FloorEvent[];
  /** Names others who can do what was asked (spec 1.18): whoever asked may invite them. */
  recommend: (manifests: readonly ScoredManifest[], say?: string) => FloorEvent[];
  /** Brings another agent in and passes on what was just said, unless that was private. */
  invite: (to: { serviceUrl: string; speakerUri?: string }) => EventOf<"invite">;
};

/** Whom the conversation is handed over to, and what is said about it. */
export type Delegation = {
  to: { serviceUrl: string; speakerUri?: string };
  /** Before the other one comes, such as `I'll pass you over to my-weather.` */
  say?: string;
  /** What the other one is told; the last is what it is to answer. Default: what was just said and three utterances before, no whispers. */
  history?: readonly DialogEvent[];
  /** Once the other one has come: be silent until called (default), or leave. */
  afterwards?: "yield" | "bye";
  /** Said before leaving. */
  farewell?: string;
  /** Said, or done, when the other one does not come; default: a sentence that says so. Strings go to whoever asked. */
  otherwise?: string | Handler<Heard<unknown, EventOf<"declineInvite">>>;
};

export type HeardInvite<State> = Heard<State, EventOf<"invite">> & {
  /** What came along and waits for an answer. Whoever takes it answers it here: `onUtterance` is not given it. */
  takeUp: () => readonly EventOf<"utterance">[];
};

export type HeardUtterance<State> = Heard<State, EventOf<"utterance">> & {
  text: string;
  dialogEvent: DialogEvent;
  /** What was said before, when this came with an invite. */
  history: readonly DialogEvent[];
  /** It came along with the invite: beside it, or at the end of its history. */
  isWithInvite: boolean;
  /** Set when this answers a question asked by `ask`. */
  reply?: InteractionReply;
};

export type HeardManifestsQuestion<State> = Heard<State, EventOf<"getManifests">> & {
  scope: "internal" | "external" | "all";
  /** The task told beside the question; empty when none was. */
  text: string;
  /** The same as it was told, with its languages and features; several are one task. */
  tasks: readonly DialogEvent[];
  /** In 0.9 a question without a task is for the favourite of whoever is asked. */
  dialect: Dialect;
  /** The agent's own manifest, with the address that it is reached at. */
  own: Manifest;
};

export type Recommendation = {
  servicingManifests?: ScoredManifest[];
  discoveryManifests?: ScoredManifest[];
  /** Said beside them. Only to those who have asked for words: others would answer them. */
  said?: EventOf<"utterance">;
};

type Recommends<State> = (
  heard: HeardManifestsQuestion<State>,
) => Recommendation | undefined | Promise<Recommendation | undefined>;

export type Handlers<State> = {
  onUtterance: Handler<HeardUtterance<State>>;
  /** Default: accept and greet. A string replaces the greeting; a declineInvite among events declines. */
  onInvite?: Handler<HeardInvite<State>>;
  onGrant?: Handler<Heard<State, EventOf<"grantFloor">>>;
  /** Its answer is not sent: who has lost the floor is silent. */
  onRevoke?: Handler<Heard<State, EventOf<"revokeFloor">>>;
  /** Its answer is not sent: who is uninvited is gone. */
  onUninvite?: Handler<Heard<State, EventOf<"uninvite">>>;
  /** Whom to recommend when asked by getManifests. Default: oneself, as far as section 2.1 wants it. */
  onManifests?: Recommends<State>;
  /** The same when somebody else is asked for at this agent's address. Default: nobody is known. */
  onManifestsOfAnother?: Recommends<State>;
  /**
   * The floor asks this agent, its convener, and nothing has happened yet, even where the event names the agent itself.
   * What is returned takes the place of the event. Without it such an event is heard like any other.
   */
  onDelegated?: Handler<Heard<State>>;
  /** Any other event for this agent: acceptInvite, declineInvite, bye, publishManifests, requestFloor, yieldFloor. */
  onEvent?: Handler<Heard<State>>;
  /** What others say to others, and what everybody is told while this agent has no floor. */
  onOverheard?: Handler<Heard<State>>;
};

export type Settings = {
  manifest: AgentManifest;
  /** What to say when invited; false says nothing. */
  greeting?: string | false;
  /** For the first word of an answer, and between any two of a stream. */
  replyTimeoutMs?: number;
  /** Conversations remembered at a time; the one unheard for longest is forgotten. */
  conversationsMax?: number;
  /** Deliveries remembered at a time, so that a repeated one is answered as before. */
  deliveriesMax?: number;
  bodyBytesMax?: number;
  /** `whsec_...`, as the floor has them: a request that none of them has signed is refused. Default: all are taken. */
  secrets?: readonly string[];
  /** Origins of web pages that may call it, such as `https://floor.example`. Default: `*`, all; no credential is asked for. */
  allowOrigins?: readonly string[];
  /** A handler threw or was too slow. Nobody on the wire learns why. Default: the console. */
  onError?: (error: unknown, about: { event: FloorEvent; conversation: Conversation }) => void;
};

export type AgentOptions<State> = Settings &
  Handlers<State> & {
    newState?: () => State;
    /** A conversation made room for others (`conversationsMax`): whatever its state holds, such as timers, should end. */
    onForget?: (state: State) => void;
  };
