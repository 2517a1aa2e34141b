import type { ChatMessage, ErrorContent, UserMessage } from "@plenary/nemo";
import type { Principal } from "../ports/principal.ts";
import type { ClientFeatures, NemoOutput } from "./output.ts";

/** The person at a NeMo client (D17). */
export type NemoPerson = {
  principal: Principal;
  speakerUri: string;
  name?: string;
  /** A local guest without a credential. A credential in its first message replaces this identity. */
  isUnproven?: true;
};

export type JoinRequest = {
  conversationId: string;
  /** Invited when the conversation is new: serviceUrls; the welcome agents when not given. */
  agents?: readonly string[];
  /** The history that the client sent, for agents that are invited into a new conversation. */
  history?: readonly ChatMessage[];
  /** The floor closes the new conversation itself, so it does not count against the rate of new conversations. */
  isBrief?: boolean;
  clientFeatures: ClientFeatures;
  /** The new message of the client: output before it is sent belongs to it. */
  messageId?: string;
};

/** The destination of output: a socket or an HTTP response. */
export type OutputSink = {
  /** `parentId`: the message of the person that the output belongs to. */
  send(output: readonly NemoOutput[], parentId: string): void;
  /** Ends the output: the reader is too slow, the floor closes, or a newer client of this person took over. */
  cut(why: "slow" | "failed" | "closing" | "ended" | "gone" | "replaced", advice: string): void;
  /** The connection is closed. Messages that arrived before are still sent to the floor. */
  isClosed?(): boolean;
  /** The client closed the connection itself, so it needs no output again. */
  hasHungUp?(): boolean;
  /** Calls back when all output so far has reached the client, where that can be known. */
  onceReached?(callback: () => void): void;
  /** It takes the output of one message only. */
  isForOneMessage?: true;
  /** The invited agents have joined and spoken; further output answers the person's message. */
  agentsJoined?(): void;
  /** A question is open, and no agent works on the turn. */
  idle?(): void;
  /** Bytes that the reader has not taken, where that is known. Reading of the log pauses when they are too many. */
  bufferedBytes?(): number;
  /** Calls back once, when the reader has taken bytes. */
  onceDrained?(callback: () => void): void;
};

export interface NemoParticipants {
  /** Joins the conversation, or opens it if the id is unknown. Throws the problem. */
  join(person: NemoPerson, joinRequest: JoinRequest, sink: OutputSink): Promise<NemoParticipant>;
  /** Joins again after a disconnect; undefined when this person has no seat there. Opens no conversation. */
  resume(person: NemoPerson, joinRequest: JoinRequest, sink: OutputSink): Promise<NemoParticipant | undefined>;
  close(): void;
}

/** One person in one conversation, while one client is connected. The session outlives it. */
export interface NemoParticipant {
  /** Begins a turn. An open turn is stopped first. Throws the problem. */
  say(
    message: Pick<UserMessage, "id" | "parts" | "to" | "isPrivate">,
    /** `mayAnswer`: the client has no control for questions, so a message without `to` may answer the open one. */
    how?: { mayAnswer: boolean },
  ): Promise<void>;
  /** Answers the question that is shown. */
  reply(texts: readonly string[]): Promise<void>;
  /** Like `reply`, but a wrong answer produces no output: the promise resolves with the error. */
  answer(texts: readonly string[]): Promise<ErrorContent | undefined>;
  /** Shows the client that its message was refused. */
  showError(error: ErrorContent, messageId?: string): void;
  /** `unsent`: text that this client did not get, for the next client. */
  leave(unsent?: string): void;
}
