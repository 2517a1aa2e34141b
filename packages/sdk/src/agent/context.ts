import {
  address,
  type Dialect,
  type DialogEvent,
  type DraftStep,
  type Envelope,
  type EventOf,
  type Feature,
  type FloorEvent,
  isOwnName,
  isPrivate,
  isSameUri,
  type Names,
  type To,
  textUtterance,
} from "@plenary/protocol";
import type { TextDialler } from "../dialler/dial.ts";
import type { ConversationMemory } from "./conversation-memory.ts";
import type { Handlers, Settings } from "./handlers.ts";

/** The identity of this agent. `addresses` are all URLs that lead to it. */
export type Self = { speakerUri: string; serviceUrl: string; addresses: readonly string[] };

export type DraftSink = {
  start(draft: { dialogEventId: string; to?: To }): void;
  delta(draft: { dialogEventId: string; delta: string }): void;
  /** A step of the work on the answer (D43). */
  step(draft: { dialogEventId: string; step: DraftStep }): void;
};

/** One envelope being answered. */
export type ReceiveContext = {
  envelope: Envelope;
  dialect: Dialect;
  /** The dialog history that a 1.0 peer sends beside its events. */
  history: readonly DialogEvent[];
  self: Self;
  memory: ConversationMemory<unknown>;
  settings: Settings & Required<Pick<Settings, "replyTimeoutMs" | "bodyBytesMax" | "onError">>;
  drafts: DraftSink | undefined;
  /** Whether the floor delegates the event to its convener. Absent: the floor does not say. */
  isDelegated?: boolean;
  baggage?: string;
  traceparent?: string;
  caller?: string;
  /** Fetches text that is given by URL. Absent: the handlers fetch it. */
  textDialler?: TextDialler;
  /** For the handlers. Aborted for every reason to stop. */
  signal: AbortSignal;
  /** Aborts `signal` and stops waiting for the running handler. */
  stop: (why: string) => void;
  stopped: Promise<never>;
};

/** The same with the handlers, for functions that call them. */
export type HandlerContext<State> = ReceiveContext & {
  memory: ConversationMemory<State>;
  handlers: Handlers<State>;
  newState: () => State;
};

/** One event being answered. `replyTo` addresses the answer. */
export type IncomingEvent<Event extends FloorEvent = FloorEvent> = {
  event: Event;
  isAddressed: boolean;
  /** The event came with an invite. */
  isWithInvite?: true;
  replyTo?: To;
};

export function addressedTo(event: FloorEvent, context: ReceiveContext): "all" | "me" | "other" {
  return address(event, namesOf(context), context.envelope.conversation.conversants);
}

/** Whether the URI is the own speakerUri, an own address, the name of the invite, or the name in the list of the floor. */
export function isMe(uri: string, context: ReceiveContext): boolean {
  return isOwnName(uri, namesOf(context), context.envelope.conversation.conversants);
}

function namesOf({ self, memory }: ReceiveContext): Names {
  return memory.alias === undefined ? self : { ...self, aliases: [memory.alias] };
}

/** D28: addressed by name, or the only possible addressee. */
function isForMe(event: FloorEvent, context: ReceiveContext): boolean {
  const addressee = addressedTo(event, context);
  return (
    addressee === "me" || (addressee === "all" && isUtterance(event) && isAloneWith(speakerOf(event, context), context))
  );
}

/**
 * No other conversant is listed and no other speaker has spoken. A list may be incomplete, and many floors send none. A
 * caller without an address, a list and an invite is not a floor: only it gets the answer, and other speakers were other
 * visitors of the same page.
 */
function isAloneWith(speakerUri: string, context: ReceiveContext): boolean {
  const { sender, conversation } = context.envelope;
  const { conversants = [] } = conversation;
  const { speakers } = context.memory;
  if (conversants.length === 0 && speakers.inviter === undefined && sender.serviceUrl === undefined) return true;
  const listed = conversants.map(({ identification }) => identification.speakerUri);
  const known = [...listed, ...speakers.speakers];
  return known.every((one) => isSameUri(one, speakerUri) || isMe(one, context));
}

/**
 * D28: a private utterance gets a private answer to the sender of the envelope. A public answer is addressed to the speaker,
 * so that other agents do not take it as said to them. On a relaying floor the sender is the floor itself.
 */
export function incomingEvent<Event extends FloorEvent>(event: Event, context: ReceiveContext): IncomingEvent<Event> {
  const isAddressed = isForMe(event, context);
  const { speakerUri } = context.envelope.sender;
  if (isPrivate(event)) return { event, isAddressed, replyTo: { speakerUri, private: true } };
  return { event, isAddressed, ...publicReplyTo(speakerOf(event, context), context) };
}

/** The speaker of an utterance. For other events, and for utterances in this agent's own name, the sender. */
export function speakerOf(event: FloorEvent, context: ReceiveContext): string {
  const { sender } = context.envelope;
  if (!isUtterance(event)) return sender.speakerUri;
  const { speakerUri } = event.parameters.dialogEvent;
  return isMe(speakerUri, context) ? sender.speakerUri : speakerUri;
}

/** Up to 1.0.0 an event with `to` goes only to its addressee, so a public answer has no `to`. */
export function publicReplyTo(speakerUri: string, { dialect }: ReceiveContext): { replyTo?: To } {
  return dialect === "1.1" ? { replyTo: { speakerUri } } : {};
}

export function senderAddress({ envelope }: ReceiveContext): To {
  const { speakerUri, serviceUrl } = envelope.sender;
  return { speakerUri, ...(serviceUrl !== undefined && { serviceUrl }) };
}

export const newDialogEventId = (): string => `de:${crypto.randomUUID()}`;

type UtteranceOptions = { id?: string; features?: Record<string, Feature> };

export function ownUtterance(
  text: string,
  to: To | undefined,
  { self }: ReceiveContext,
  { id, features }: UtteranceOptions = {},
) {
  const startTime = new Date().toISOString();
  return textUtterance(text, {
    speakerUri: self.speakerUri,
    id: id ?? newDialogEventId(),
    startTime,
    ...(features && { features }),
    ...(to && { to }),
  });
}

export function isUtterance(event: FloorEvent): event is EventOf<"utterance"> {
  return event.eventType === "utterance";
}
