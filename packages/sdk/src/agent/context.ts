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
import type { Memory } from "./conversation-memory.ts";
import type { Handlers, Settings } from "./handlers.ts";

/** Who this agent is. It may be reached at other addresses than the one it gives. */
export type Self = { speakerUri: string; serviceUrl: string; addresses: readonly string[] };

export type DraftSink = {
  start(draft: { dialogEventId: string; to?: To }): void;
  delta(draft: { dialogEventId: string; delta: string }): void;
  /** What is done on the way (D43). */
  step(draft: { dialogEventId: string; step: DraftStep }): void;
};

/** One envelope being answered. */
export type Stage = {
  envelope: Envelope;
  dialect: Dialect;
  /** What a peer of 1.0 told beside its events. */
  history: readonly DialogEvent[];
  self: Self;
  memory: Memory<unknown>;
  settings: Settings & Required<Pick<Settings, "replyTimeoutMs" | "bodyBytesMax" | "onError">>;
  drafts: DraftSink | undefined;
  /** What the floor says of it; absent where it says nothing. */
  isDelegated?: boolean;
  baggage?: string;
  traceparent?: string;
  caller?: string;
  /** The way to words that are given by URL; absent: they are left to the handlers. */
  textDialler?: TextDialler;
  /** Given to handlers; fires on every reason to stop. */
  signal: AbortSignal;
  /** Fires `signal` and lets go of the handler that runs. */
  stop: (why: string) => void;
  stopped: Promise<never>;
};

/** The same, seen by whoever calls the handlers. */
export type Scene<State> = Stage & { memory: Memory<State>; handlers: Handlers<State>; newState: () => State };

/** One event being answered, and whom a string goes to. */
export type Step<Event extends FloorEvent = FloorEvent> = {
  event: Event;
  isAddressed: boolean;
  /** It came along with an invite. */
  isWithInvite?: true;
  replyTo?: To;
};

export function whomFor(event: FloorEvent, scene: Stage): "all" | "me" | "other" {
  return address(event, namesOf(scene), scene.envelope.conversation.conversants);
}

/** By its own name, its address, the name it was invited under, or the one that the floor lists it under. */
export function isMe(uri: string, scene: Stage): boolean {
  return isOwnName(uri, namesOf(scene), scene.envelope.conversation.conversants);
}

function namesOf({ self, memory }: Stage): Names {
  return memory.alias === undefined ? self : { ...self, aliases: [memory.alias] };
}

/** D28: by name, or because its speaker can mean nobody else. */
function isForMe(event: FloorEvent, scene: Stage): boolean {
  const addressee = whomFor(event, scene);
  return (
    addressee === "me" || (addressee === "all" && isUtterance(event) && isAloneWith(speakerOf(event, scene), scene))
  );
}

/**
 * Nobody else is listed or was heard. A list may leave people out, and many floors send none. A caller without an address,
 * a list and an invite is no floor: only the answer reaches it, and others were other visitors of the same page.
 */
function isAloneWith(speakerUri: string, scene: Stage): boolean {
  const { sender, conversation } = scene.envelope;
  const { conversants = [] } = conversation;
  const { voices } = scene.memory;
  if (conversants.length === 0 && voices.inviter === undefined && sender.serviceUrl === undefined) return true;
  const listed = conversants.map(({ identification }) => identification.speakerUri);
  const known = [...listed, ...voices.speakers];
  return known.every((one) => isSameUri(one, speakerUri) || isMe(one, scene));
}

/**
 * D28, in kind: private words go to the sender of the envelope. A public answer names the speaker that it answers, so that
 * other agents need not take it as said to them; on a floor that relays, the sender is the floor itself.
 */
export function stepOf<Event extends FloorEvent>(event: Event, scene: Stage): Step<Event> {
  const isAddressed = isForMe(event, scene);
  const { speakerUri } = scene.envelope.sender;
  if (isPrivate(event)) return { event, isAddressed, replyTo: { speakerUri, private: true } };
  return { event, isAddressed, ...publiclyTo(speakerOf(event, scene), scene) };
}

/** Whose words an event holds; of any other event, and of words in this agent's own name, the sender. */
export function speakerOf(event: FloorEvent, scene: Stage): string {
  const { sender } = scene.envelope;
  if (!isUtterance(event)) return sender.speakerUri;
  const { speakerUri } = event.parameters.dialogEvent;
  return isMe(speakerUri, scene) ? sender.speakerUri : speakerUri;
}

/** Until 1.0.0 an event with `to` goes to its addressee alone, so a public one has none there. */
export function publiclyTo(speakerUri: string, { dialect }: Stage): { replyTo?: To } {
  return dialect === "1.1" ? { replyTo: { speakerUri } } : {};
}

export function askerOf({ envelope }: Stage): To {
  const { speakerUri, serviceUrl } = envelope.sender;
  return { speakerUri, ...(serviceUrl !== undefined && { serviceUrl }) };
}

export const newDialogEventId = (): string => `de:${crypto.randomUUID()}`;

type Spoken = { id?: string; features?: Record<string, Feature> };

export function spoken(text: string, to: To | undefined, { self }: Stage, { id, features }: Spoken = {}) {
  const startTime = new Date().toISOString();
  return textUtterance(text, {
    ...{ speakerUri: self.speakerUri, id: id ?? newDialogEventId(), startTime },
    ...(features && { features }),
    ...(to && { to }),
  });
}

export function isUtterance(event: FloorEvent): event is EventOf<"utterance"> {
  return event.eventType === "utterance";
}
