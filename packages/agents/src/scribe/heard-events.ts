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
import type { HistoryEntry } from "@plenary/sdk";

/** The scribe's own memory, for floors that do not provide their log: bounded, and lost with the process. */
export type HeardEvents = {
  events: HistoryEntry[];
  charsHeld: number;
  /** The newest list of conversants; absent until there was one. */
  present?: readonly string[];
};

export const newHeardEvents = (): HeardEvents => ({ events: [], charsHeld: 0 });

const eventsMax = 2_000;
const charsMax = 500_000;
const textMax = 4_000;

type HeardEvent = { event: FloorEvent; sender: { speakerUri: string }; conversation: Conversation };

export function recordEvent(memory: HeardEvents, { event, sender, conversation }: HeardEvent, at: string): void {
  recordArrivals(memory, conversation, at);
  const { speakerUri } = sender;
  if (event.eventType === "invite") recordHistory(memory, event.parameters?.dialogHistory ?? [], speakerUri, at);
  const audience = isPrivate(event) ? [speakerUri] : [speakerUri, ...presentAt(memory, conversation)];
  keep(memory, { at, sender: speakerUri, ...nameIn(conversation, speakerUri), event: textOnly(event), audience });
}

/** Only the inviter and the speaker are known to be entitled to an utterance of the invite's history. */
function recordHistory(memory: HeardEvents, history: readonly DialogEvent[], inviter: string, now: string): void {
  for (const dialogEvent of history) {
    const { speakerUri, span } = dialogEvent;
    if (memory.events.some(({ event }) => isSaying(event, dialogEvent))) continue;
    const event = textOnly(utterance(dialogEvent));
    const at = isTime(span.startTime) ? span.startTime : now;
    keep(memory, { at, sender: speakerUri, event, audience: [inviter, speakerUri] });
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

function recordArrivals(memory: HeardEvents, conversation: Conversation, at: string): void {
  const { conversants } = conversation;
  if (conversants === undefined) return;
  const present = conversants.map(({ identification }) => foldUri(identification.speakerUri));
  const before = memory.present;
  memory.present = present;
  if (before === undefined) return;
  for (const { identification } of conversants) {
    const { speakerUri } = identification;
    if (before.includes(foldUri(speakerUri))) continue;
    const audience = presentAt(memory, conversation);
    keep(memory, { at, sender: speakerUri, ...nameIn(conversation, speakerUri), event: acceptInvite(), audience });
  }
}

function presentAt(memory: HeardEvents, { conversants }: Conversation): string[] {
  return conversants?.map(({ identification }) => identification.speakerUri) ?? speakersIn(memory.events);
}

export function speakersIn(heard: readonly HistoryEntry[]): string[] {
  return [...new Set(heard.map(({ sender }) => sender))];
}

function nameIn({ conversants = [] }: Conversation, speakerUri: string): Pick<HistoryEntry, "name"> {
  const found = conversants.find(({ identification }) => foldUri(identification.speakerUri) === foldUri(speakerUri));
  const name = found?.identification.conversationalName ?? "";
  return name === "" ? {} : { name };
}

/** The event with its text only, without other features. */
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
  // Except for utterances, all parameters of an event are optional.
  return kept as FloorEvent;
}

function keep(memory: HeardEvents, remembered: HistoryEntry): void {
  memory.events.push(remembered);
  memory.charsHeld += sizeOf(remembered);
  while (memory.events.length > eventsMax || memory.charsHeld > charsMax) {
    const oldest = memory.events.shift();
    if (oldest === undefined) return;
    memory.charsHeld -= sizeOf(oldest);
  }
}

function sizeOf({ event, audience = [] }: HistoryEntry): number {
  const text = event.eventType === "utterance" ? textOf(event.parameters.dialogEvent).length : 0;
  return 200 + text + audience.length * 40;
}
