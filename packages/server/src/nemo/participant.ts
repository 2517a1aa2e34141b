import type { ChatMessage, ErrorContent, PromptContent } from "@plenary/nemo";
import type { Identification } from "@plenary/protocol";
import type { SeatKind } from "@plenary/transcript";
import type { Principal } from "../ports/principal.ts";

/** A piece of output for a NeMo client. Sockets send it as a frame, HTTP as a part of the response. */
export type NemoOutput =
  | { kind: "delta"; text: string }
  /** A step with the same id and name replaces the earlier one. `parent`: the id of another step. */
  | { kind: "step"; id: string; parent?: string; name: string; payload: string }
  | { kind: "prompt"; content: PromptContent }
  | { kind: "error"; error: ErrorContent }
  /** The turn is over. `isFailed`: it had only errors and no answer. */
  | { kind: "complete"; isFailed: boolean }
  | { kind: "trace"; traceId: string };

/** The features of a client. The stock client has no control for some kinds of question. */
export type ClientFeatures = { hasAllPrompts: boolean };

/** The answer of the person to a question, ready to be sent to the agent that asked. */
export type MessageResult =
  | { kind: "reply"; id: string; to: string; isPrivate: boolean; values: readonly string[]; words: string }
  /** No question is open, or this is no answer to it. The client gets the error; the question stays open. */
  | { kind: "lack"; output: readonly NemoOutput[]; error: ErrorContent };

/** The seats of the floor. */
export type Conversants = readonly { identification: Identification; kind: SeatKind; state: "invited" | "joined" }[];

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
