import type { ChatMessage, ErrorContent, UserMessage } from "@plenary/nemo";
import type { Principal } from "../ports/principal.ts";
import type { ClientFeatures, NemoOutput } from "./output.ts";

/** Who sits behind a NeMo client: always a person (D17). */
export type NemoPerson = {
  principal: Principal;
  speakerUri: string;
  name?: string;
  /** Came in without proof, at this machine: a credential that it sends with its first words says more. */
  isUnproven?: true;
};

export type JoinRequest = {
  conversationId: string;
  /** Invited when the conversation is new: serviceUrls; the welcome agents when not given. */
  agents?: readonly string[];
  /** What the client says was said before, for agents that are invited into a new conversation. */
  history?: readonly ChatMessage[];
  /** The floor closes the new conversation itself, so it does not count against the rate of new conversations. */
  isBrief?: boolean;
  clientFeatures: ClientFeatures;
  /** The message that the client comes to say: what it hears before it is said belongs to that one. */
  messageId?: string;
};

/** Where pieces go: a socket, or the answer to a request. */
export type OutputSink = {
  /** `parentId`: the message of the person that they belong to. */
  tell(output: readonly NemoOutput[], parentId: string): void;
  /** The reader does not keep up, the floor closes, or a newer client of this person has taken over. */
  cut(why: "slow" | "failed" | "closing" | "ended" | "gone" | "replaced", advice: string): void;
  /** Nobody is there any more; what was said is said all the same. */
  isGone?(): boolean;
  /** Whether the client still wants output: false after it has hung up itself. */
  isWilling?(): boolean;
  /** Calls back when all output so far has reached the client, where that can be known. */
  onceReached?(ring: () => void): void;
  /** It waits for what becomes of one message, and for nothing else. */
  isForOne?: true;
  /** The invited agents have joined and spoken; further output answers the person's message. */
  arrived?(): void;
  /** A question waits, and nobody is at work on the turn any more. */
  quiet?(): void;
  /** What the reader has not taken yet, where that is known: with too much of it the log waits. */
  bufferedBytes?(): number;
  /** Calls back once, when the reader has taken something. */
  onceDrained?(ring: () => void): void;
};

export interface NemoParticipants {
  /** The person's seat in that conversation, which begins if there is none of that id. Throws the problem. */
  take(person: NemoPerson, joinRequest: JoinRequest, sink: OutputSink): Promise<NemoParticipant>;
  /** The same after a cut; undefined when this person has no seat there. Nothing is begun. */
  resume(person: NemoPerson, joinRequest: JoinRequest, sink: OutputSink): Promise<NemoParticipant | undefined>;
  close(): void;
}

/** One person in one conversation, as long as one client is connected. Output that is still to come outlives it. */
export interface NemoParticipant {
  /** Begins a turn. While one is open: stops the agents that are at work on it, then begins the next. Throws the problem. */
  say(
    message: Pick<UserMessage, "id" | "parts" | "to" | "isPrivate">,
    /** The client has no control for questions: words to nobody in particular that answer the one shown are its answer. */
    how?: { mayAnswer: boolean },
  ): Promise<void>;
  /** What the person answers to the question that is shown. */
  reply(texts: readonly string[]): Promise<void>;
  /** Like `reply`, but a wrong answer shows nothing to the client: the promise resolves with the error. */
  answer(texts: readonly string[]): Promise<ErrorContent | undefined>;
  /** Reports, in a way that the client shows, that its message could not be taken. */
  trouble(error: ErrorContent, messageId?: string): void;
  /** `unsent`: text that the client did not get any more, for the next client. */
  leave(unsent?: string): void;
}
