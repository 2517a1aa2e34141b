import type {
  Conversation,
  DialogEvent,
  EventOf,
  FloorEvent,
  Manifest,
  ScoredManifest,
  Sender,
} from "@plenary/protocol";
import type { InteractionReply, Question } from "./interaction.ts";

/** The manifest of an agent may leave its address to whatever serves it. */
export type AgentManifest = Omit<Manifest, "identification"> & {
  identification: Omit<Manifest["identification"], "serviceUrl"> & { serviceUrl?: string };
};

/**
 * A string is said in kind: publicly to a public utterance, privately to the speaker of a private one. A stream of strings
 * is one utterance that others may watch while it grows. Events go out as they are. Nothing is the empty envelope.
 */
export type Answer = string | FloorEvent | readonly FloorEvent[] | AsyncIterable<string> | undefined;

export type Handler<Heard> = (heard: Heard) => Answer | Promise<Answer>;

/** What every handler is given. */
export type Heard<State, Event extends FloorEvent = FloorEvent> = {
  event: Event;
  /** Who sent the envelope; the words in it may be somebody else's (`dialogEvent.speakerUri`). */
  sender: Sender;
  conversation: Conversation;
  /** Named in `to`, not merely among all recipients. */
  isAddressed: boolean;
  isPrivate: boolean;
  hasFloor: boolean;
  /** Kept per conversation; forgotten on uninvite, on bye, and when too many other conversations came since. */
  state: State;
  /** Fires when nobody waits for the answer any longer: the request was cut, the floor revoked, time is up. */
  signal: AbortSignal;
  /** An utterance in kind, to be returned beside other events. */
  say: (text: string) => EventOf<"utterance">;
  /** A private utterance, to the sender unless told otherwise. */
  whisper: (text: string, speakerUri?: string) => EventOf<"utterance">;
  /** D31: a question with choices. The answer arrives as a later utterance, in its `reply`. */
  ask: (question: Question) => EventOf<"utterance">;
  /** Brings another agent in and passes on what was just said, unless that was private. */
  invite: (to: { serviceUrl: string; speakerUri?: string }) => EventOf<"invite">;
};

export type HeardUtterance<State> = Heard<State, EventOf<"utterance">> & {
  text: string;
  dialogEvent: DialogEvent;
  /** What was said before, when this came with an invite. */
  history: readonly DialogEvent[];
  /** Set when this answers a question asked by `ask`. */
  reply?: InteractionReply;
};

export type HeardManifestsQuestion<State> = Heard<State, EventOf<"getManifests">> & {
  scope: "internal" | "external" | "all";
  /** The task told beside the question; empty when none was. */
  text: string;
};

export type Recommendation = { servicingManifests?: ScoredManifest[]; discoveryManifests?: ScoredManifest[] };

export type Handlers<State> = {
  onUtterance: Handler<HeardUtterance<State>>;
  /** Default: accept and greet. A string replaces the greeting; a declineInvite among events declines. */
  onInvite?: Handler<Heard<State, EventOf<"invite">>>;
  onGrant?: Handler<Heard<State, EventOf<"grantFloor">>>;
  /** Its answer is not sent: who has lost the floor is silent. */
  onRevoke?: Handler<Heard<State, EventOf<"revokeFloor">>>;
  /** Its answer is not sent: who is uninvited is gone. */
  onUninvite?: Handler<Heard<State, EventOf<"uninvite">>>;
  /** Whom to recommend when asked by getManifests. Default: oneself, as far as section 2.1 wants it. */
  onManifests?: (
    heard: HeardManifestsQuestion<State>,
  ) => Recommendation | undefined | Promise<Recommendation | undefined>;
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
  /** A handler threw or was too slow. Nobody on the wire learns why. Default: the console. */
  onError?: (error: unknown, about: { event: FloorEvent; conversation: Conversation }) => void;
};

export type AgentOptions<State> = Settings & Handlers<State> & { newState?: () => State };
