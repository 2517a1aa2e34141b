import {
  address,
  type Dialect,
  type DialogEvent,
  type Envelope,
  type EventOf,
  type Feature,
  type FloorEvent,
  isPrivate,
  isSameUri,
  type To,
  textUtterance,
} from "@plenary/protocol";
import type { Handlers, Settings } from "./handler.ts";
import type { Memory } from "./memory.ts";

/** Who this agent is. It may be reached at other addresses than the one it gives. */
export type Self = { speakerUri: string; serviceUrl: string; addresses: readonly string[] };

export type DraftSink = {
  start(draft: { dialogEventId: string; to?: To }): void;
  delta(draft: { dialogEventId: string; delta: string }): void;
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
  /** Given to handlers; fires on every reason to stop. */
  signal: AbortSignal;
  /** Fires `signal` and lets go of the handler that runs. */
  stop: (why: string) => void;
  stopped: Promise<never>;
};

/** The same, seen by whoever calls the handlers. */
export type Scene<State> = Stage & { memory: Memory<State>; handlers: Handlers<State>; newState: () => State };

/** One event being answered, and whom a string goes to. */
export type Step<Event extends FloorEvent = FloorEvent> = { event: Event; isAddressed: boolean; replyTo?: To };

export function whomFor(event: FloorEvent, { self, memory }: Stage): "all" | "me" | "other" {
  const names = memory.alias === undefined ? [self.speakerUri] : [self.speakerUri, memory.alias];
  const mine = names.flatMap((speakerUri) => self.addresses.map((serviceUrl) => ({ speakerUri, serviceUrl })));
  const found = mine.map((me) => address(event, me));
  return found.find((whom) => whom !== "other") ?? "other";
}

/** By its own name, or by its address: 0.9 and floors that know no name yet use that. */
export function isSelf(uri: string, { speakerUri, addresses }: Self): boolean {
  return [speakerUri, ...addresses].some((mine) => isSameUri(mine, uri));
}

/** Also by the name it was invited under. */
export function isMe(uri: string, { self, memory }: Stage): boolean {
  return isSelf(uri, self) || (memory.alias !== undefined && isSameUri(memory.alias, uri));
}

/** D28, in kind. A public answer names whom it answers, so that other agents need not take it as said to them. */
export function stepOf<Event extends FloorEvent>(event: Event, scene: Stage): Step<Event> {
  const { speakerUri } = scene.envelope.sender;
  const isAddressed = whomFor(event, scene) === "me";
  if (isPrivate(event)) return { event, isAddressed, replyTo: { speakerUri, private: true } };
  return { event, isAddressed, ...publiclyTo(speakerUri, scene) };
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
