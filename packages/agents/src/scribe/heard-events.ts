import {
  acceptInvite,
  type Conversation,
  type DialogEvent,
  type FloorEvent,
  foldUri,
  isPrivate,
  textOf,
  utterance,
} from "@plenary/protocol";
import type { Remembered } from "@plenary/sdk";

// What the scribe keeps itself, where no floor keeps it: bounded, and gone with the process.

export type HeardEvents = {
  heard: Remembered[];
  charsHeld: number;
  /** Who is here, by the newest list; absent until there was one. */
  present?: readonly string[];
};

export const newHeardEvents = (): HeardEvents => ({ heard: [], charsHeld: 0 });

const heardMax = 2_000;
const charsMax = 500_000;
const textMax = 4_000;

type HeardEvent = { event: FloorEvent; sender: { speakerUri: string }; conversation: Conversation };

export function recordEvent(notes: HeardEvents, { event, sender, conversation }: HeardEvent, at: string): void {
  recordArrivals(notes, conversation, at);
  const { speakerUri } = sender;
  if (event.eventType === "invite") recordHistory(notes, event.parameters?.dialogHistory ?? [], speakerUri, at);
  const audience = isPrivate(event) ? [speakerUri] : [speakerUri, ...presentAt(notes, conversation)];
  keep(notes, { at, sender: speakerUri, ...nameIn(conversation, speakerUri), event: textOnly(event), audience });
}

/** Whoever brought it here knows it, and whoever said it. Of all others nothing is known. */
function recordHistory(notes: HeardEvents, history: readonly DialogEvent[], inviter: string, now: string): void {
  for (const dialogEvent of history) {
    const { speakerUri, span } = dialogEvent;
    if (notes.heard.some(({ event }) => isSaying(event, dialogEvent))) continue;
    const event = textOnly(utterance(dialogEvent));
    const at = isTime(span.startTime) ? span.startTime : now;
    keep(notes, { at, sender: speakerUri, event, audience: [inviter, speakerUri] });
  }
}

function isSaying(event: FloorEvent, { id, speakerUri }: DialogEvent): boolean {
  if (event.eventType !== "utterance") return false;
  const { dialogEvent } = event.parameters;
  return dialogEvent.id === id && dialogEvent.speakerUri === speakerUri;
}

function isTime(startTime: string | undefined): startTime is string {
  return startTime !== undefined && !Number.isNaN(Date.parse(startTime));
}

function recordArrivals(notes: HeardEvents, conversation: Conversation, at: string): void {
  const { conversants } = conversation;
  if (conversants === undefined) return;
  const seated = conversants.map(({ identification }) => foldUri(identification.speakerUri));
  const before = notes.present;
  notes.present = seated;
  if (before === undefined) return;
  for (const { identification } of conversants) {
    const { speakerUri } = identification;
    if (before.includes(foldUri(speakerUri))) continue;
    const audience = presentAt(notes, conversation);
    keep(notes, { at, sender: speakerUri, ...nameIn(conversation, speakerUri), event: acceptInvite(), audience });
  }
}

function presentAt(notes: HeardEvents, { conversants }: Conversation): string[] {
  return conversants?.map(({ identification }) => identification.speakerUri) ?? speakersIn(notes.heard);
}

export function speakersIn(heard: readonly Remembered[]): string[] {
  return [...new Set(heard.map(({ sender }) => sender))];
}

function nameIn({ conversants = [] }: Conversation, speakerUri: string): Pick<Remembered, "name"> {
  const found = conversants.find(({ identification }) => foldUri(identification.speakerUri) === foldUri(speakerUri));
  const name = found?.identification.conversationalName ?? "";
  return name === "" ? {} : { name };
}

/** The words, and nothing that others attach to them. */
export function textOnly(event: FloorEvent): FloorEvent {
  if (event.eventType !== "utterance") return bare(event);
  const { id, speakerUri, span } = event.parameters.dialogEvent;
  const value = textOf(event.parameters.dialogEvent).slice(0, textMax);
  const features = { text: { mimeType: "text/plain", tokens: [{ value }] } };
  return utterance({ id, speakerUri, span, features }, { ...(event.to && { to: event.to }) });
}

function bare({ eventType, to, reason }: FloorEvent): FloorEvent {
  const { length } = reason ?? "";
  const kept = { eventType, ...(to && { to }), ...(length > 0 && length <= textMax && { reason }) };
  // Of all events but utterances every parameter may be absent.
  return kept as FloorEvent;
}

function keep(notes: HeardEvents, remembered: Remembered): void {
  notes.heard.push(remembered);
  notes.charsHeld += sizeOf(remembered);
  while (notes.heard.length > heardMax || notes.charsHeld > charsMax) {
    const oldest = notes.heard.shift();
    if (oldest === undefined) return;
    notes.charsHeld -= sizeOf(oldest);
  }
}

function sizeOf({ event, audience = [] }: Remembered): number {
  const text = event.eventType === "utterance" ? textOf(event.parameters.dialogEvent).length : 0;
  return 200 + text + audience.length * 40;
}
