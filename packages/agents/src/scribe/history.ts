// What may be told to those who hear the answer, made ready to be asked.

import { type Conversation, type FloorEvent, isPrivate, isSameUri, textOf } from "@plenary/protocol";
import type { Remembered } from "@plenary/sdk";
import { speakerKind } from "@plenary/sdk";
import { heed } from "../addressing.ts";
import { type People, peopleOf } from "./people.ts";
import { isSurely, understand } from "./understand.ts";

export type Said = { at: string; atMs: number; speakerUri: string; to?: string; text: string; isWhisper: boolean };

/** Somebody came or went. */
type Coming = { at: string; speakerUri: string; hasCome: boolean };

export type History = {
  /** Oldest first, without the scribe's own words and the questions to it. */
  said: readonly Said[];
  comings: readonly Coming[];
  people: People;
  /** The scribe itself. */
  self: string;
  asker: string;
  nowMs: number;
  /** When the scribe began to listen; absent when it has heard nothing. */
  since?: string;
  /** The earliest that may be spoken of. */
  begins?: string;
};

export type Frame = {
  self: { speakerUri: string; name: string };
  asker: string;
  conversation: Conversation;
  /** The dialog event that asks. */
  questionId: string;
  nowMs: number;
};

const textMax = 4_000;

/** What a floor leaves where words were erased. */
const erased = "[erased]";

/** `told` is all that it may rest on; `all` tells since when the scribe has listened, and nothing else. */
export function historyOf(told: readonly Remembered[], all: readonly Remembered[], frame: Frame): History {
  const { self, asker, conversation, nowMs } = frame;
  const people = peopleOf(told, conversation);
  const said = told.flatMap((one) => saidIn(one, frame, people));
  const comings = told.flatMap(comingIn).filter(({ speakerUri }) => !isSameUri(speakerUri, self.speakerUri));
  // When somebody whispered is not for others to know.
  const since = all.find(({ event }) => !isPrivate(event))?.at;
  const begins = told[0]?.at;
  return {
    ...{ said, comings, people, self: self.speakerUri, asker, nowMs },
    ...(since !== undefined && { since }),
    ...(begins !== undefined && { begins }),
  };
}

function saidIn({ at, sender, event }: Remembered, frame: Frame, people: People): Said[] {
  if (event.eventType !== "utterance" || isSameUri(sender, frame.self.speakerUri)) return [];
  const { dialogEvent } = event.parameters;
  const text = textOf(dialogEvent).slice(0, textMax).trim();
  if (text === "" || text === erased || dialogEvent.id === frame.questionId) return [];
  const to = event.to?.speakerUri;
  if (isQuestionToScribe(text, { event, sender, to }, frame, people)) return [];
  const atMs = Date.parse(at);
  return [{ at, atMs, speakerUri: sender, ...(to !== undefined && { to }), text, isWhisper: isPrivate(event) }];
}

type Spoken = { event: FloorEvent & { eventType: "utterance" }; sender: string; to: string | undefined };

/** What else somebody tells the scribe is for the record. */
function isQuestionToScribe(text: string, { event, sender, to }: Spoken, frame: Frame, people: People): boolean {
  const { self, conversation, nowMs } = frame;
  const isToScribe = to !== undefined && isSameUri(to, self.speakerUri);
  if (to !== undefined && !isToScribe) return false;
  const isNamed = text.length < 500 && text.toLowerCase().includes(self.name.toLowerCase());
  const spoken = {
    ...{ event, isAddressed: isToScribe, isWithInvite: false, speakerUri: sender, conversation, text },
    speakerKind: (speakerUri: string) => speakerKind(speakerUri, conversation),
  };
  const { call, text: rest } = isNamed ? heed(spoken, self.name) : { call: isToScribe ? "called" : "open", text };
  const request = understand(rest, nowMs);
  if (request === undefined) return false;
  return call === "called" ? request.kind !== "note" : isSurely(request, people);
}

function comingIn({ at, sender, event }: Remembered): Coming[] {
  switch (event.eventType) {
    case "acceptInvite":
      return [{ at, speakerUri: sender, hasCome: true }];
    case "bye":
      return [{ at, speakerUri: sender, hasCome: false }];
    case "uninvite": {
      const speakerUri = event.to?.speakerUri;
      return speakerUri === undefined ? [] : [{ at, speakerUri, hasCome: false }];
    }
    default:
      return [];
  }
}
