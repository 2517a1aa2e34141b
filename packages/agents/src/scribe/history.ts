import { type Conversation, type FloorEvent, isPrivate, isSameUri, textOf } from "@plenary/protocol";
import { type HistoryEntry, speakerKind } from "@plenary/sdk";
import { addressingOf } from "../addressing.ts";
import { isClearlyForScribe, parseRequest } from "./parse-request.ts";
import { type People, peopleOf } from "./speakers.ts";

export type RecordedUtterance = {
  at: string;
  atMs: number;
  speakerUri: string;
  to?: string;
  text: string;
  isWhisper: boolean;
};

/** A speaker joined or left. */
type PresenceChange = { at: string; speakerUri: string; hasJoined: boolean };

/** The part of the record that all listeners of the answer may know. */
export type History = {
  /** Oldest first, without the scribe's own utterances and the questions to it. */
  said: readonly RecordedUtterance[];
  presenceChanges: readonly PresenceChange[];
  people: People;
  /** The speakerUri of the scribe. */
  self: string;
  asker: string;
  nowMs: number;
  /** When the scribe started to listen; absent when it has heard nothing. */
  since?: string;
  /** The time of the first visible event. */
  begins?: string;
};

export type RecordContext = {
  self: { speakerUri: string; name: string };
  asker: string;
  conversation: Conversation;
  /** The dialog event of the question. */
  questionId: string;
  nowMs: number;
};

const textMax = 4_000;

/** The text of an erased utterance. */
const erased = "[erased]";

/** Everything comes from `visible`. `all` is used only to find the time since when the scribe listens. */
export function historyOf(
  visible: readonly HistoryEntry[],
  all: readonly HistoryEntry[],
  context: RecordContext,
): History {
  const { self, asker, conversation, nowMs } = context;
  const people = peopleOf(visible, conversation);
  const said = visible.flatMap((one) => utterancesIn(one, context, people));
  const presenceChanges = visible
    .flatMap(presenceChangesIn)
    .filter(({ speakerUri }) => !isSameUri(speakerUri, self.speakerUri));
  // The time of a whisper is private too.
  const since = all.find(({ event }) => !isPrivate(event))?.at;
  const begins = visible[0]?.at;
  return {
    said,
    presenceChanges,
    people,
    self: self.speakerUri,
    asker,
    nowMs,
    ...(since !== undefined && { since }),
    ...(begins !== undefined && { begins }),
  };
}

function utterancesIn(
  { at, sender, event }: HistoryEntry,
  context: RecordContext,
  people: People,
): RecordedUtterance[] {
  if (event.eventType !== "utterance" || isSameUri(sender, context.self.speakerUri)) return [];
  const { dialogEvent } = event.parameters;
  const text = textOf(dialogEvent).slice(0, textMax).trim();
  if (text === "" || text === erased || dialogEvent.id === context.questionId) return [];
  const to = event.to?.speakerUri;
  if (isQuestionToScribe(text, { event, sender, to }, context, people)) return [];
  const atMs = Date.parse(at);
  return [{ at, atMs, speakerUri: sender, ...(to !== undefined && { to }), text, isWhisper: isPrivate(event) }];
}

type UtteranceEvent = { event: FloorEvent & { eventType: "utterance" }; sender: string; to: string | undefined };

/** Questions to the scribe are not part of the record; other utterances to it are. */
function isQuestionToScribe(
  text: string,
  { event, sender, to }: UtteranceEvent,
  context: RecordContext,
  people: People,
): boolean {
  const { self, conversation, nowMs } = context;
  const isToScribe = to !== undefined && isSameUri(to, self.speakerUri);
  if (to !== undefined && !isToScribe) return false;
  const isNamed = text.length < 500 && text.toLowerCase().includes(self.name.toLowerCase());
  const spoken = {
    event,
    isAddressed: isToScribe,
    isWithInvite: false,
    speakerUri: sender,
    conversation,
    text,
    speakerKind: (speakerUri: string) => speakerKind(speakerUri, conversation),
  };
  const { call, text: rest } = isNamed
    ? addressingOf(spoken, self.name)
    : { call: isToScribe ? "called" : "open", text };
  const request = parseRequest(rest, nowMs);
  if (request === undefined) return false;
  return call === "called" ? request.kind !== "note" : isClearlyForScribe(request, people);
}

function presenceChangesIn({ at, sender, event }: HistoryEntry): PresenceChange[] {
  switch (event.eventType) {
    case "acceptInvite":
      return [{ at, speakerUri: sender, hasJoined: true }];
    case "bye":
      return [{ at, speakerUri: sender, hasJoined: false }];
    case "uninvite": {
      const speakerUri = event.to?.speakerUri;
      return speakerUri === undefined ? [] : [{ at, speakerUri, hasJoined: false }];
    }
    default:
      return [];
  }
}
