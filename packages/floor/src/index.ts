export { isAboutOthers } from "./about-others.ts";
export type { Acquaintance, AgentHost, CatalogueStore, KeptManifest } from "./agent-host.ts";
export { apply, fold } from "./apply.ts";
export { authority, type Condition, type Permission, type Standing, standingOf } from "./authority.ts";
export { type Because, becauseIds } from "./because.ts";
export { decide } from "./decide.ts";
export type { Decision } from "./draft.ts";
export type { DeliverEffect, Effect, Refusal } from "./effect.ts";
export { type DeliveryFact, type Entry, visibleTo } from "./entry.ts";
export { entryFault } from "./entry-shape.ts";
export {
  convenerOf,
  defaultOptions,
  emptyFloor,
  type Floor,
  type FloorOptions,
  type Move,
  type OpenDelivery,
  openDelivery,
  ownerOf,
  type Quota,
  type Seat,
  seatNamed,
  seatOf,
} from "./floor.ts";
export type {
  AnswerInput,
  Command,
  CommandInput,
  EnvelopeInput,
  Facts,
  Failure,
  Input,
  LapsedQuestion,
  LeftOutEvent,
  TimerInput,
  Unsent,
} from "./input.ts";
export { signatureOf } from "./introduce.ts";
export { drift, problemsOfFloor, problemsOfStep } from "./invariants.ts";
export type { Recall, Remembered } from "./recall.ts";
export { conversationOf, focalAgent, isIdle } from "./recipients.ts";
export { relayUrlOf } from "./relay-address.ts";
export { type Comparison, compare, type Difference, isSameLane, laneOf } from "./replay/compare.ts";
export type { Recording } from "./replay/recorded.ts";
export { recordingOf } from "./replay/recording.ts";
export { replay } from "./replay/replay.ts";
export { type FloorUse, peopleIn, type StripLane } from "./replay/strip.ts";
export type { ConvenerCall, ConvenerReply, Replayed, WhatIf } from "./replay/what-if.ts";
export { table, verdictOf } from "./table.ts";
export { type FloorHistory, floorHistory, type Lane } from "./transcript/floor-history.ts";
export type { Span, SpanKind } from "./transcript/floor-lane.ts";
export type { Mark } from "./transcript/floor-reading.ts";
export { type ExportFormat, exportFormats, exportKinds, isExportFormat } from "./transcript/formats.ts";
export { htmlOf, htmlPieces } from "./transcript/html.ts";
export { type InputType, interactionMimeType, type Option, readInteraction } from "./transcript/interaction.ts";
export { answerWords, optionNamed, replyFeature, replyIn, timeLeft } from "./transcript/interaction-reply.ts";
export { type JsonlHeader, jsonlHeader, jsonlLine, jsonlOf } from "./transcript/jsonl.ts";
export { createKnownPeople } from "./transcript/known-people.ts";
export type { Line, NoteLine, NoteSign, UtteranceLine } from "./transcript/lines.ts";
export { markdownOf, markdownPieces } from "./transcript/markdown.ts";
export { type Mentionable, mentionIn, namedAt, peopleMatching, typedMention } from "./transcript/mentions.ts";
export { mermaidOf, mermaidPieces } from "./transcript/mermaid.ts";
export { nameIn, speakerWords } from "./transcript/names.ts";
export { whyPaused } from "./transcript/notes.ts";
export { faceOf, nameOf, seemingly, written } from "./transcript/people.ts";
export { oneLine, plain } from "./transcript/plain.ts";
export {
  type Choice,
  choiceIn,
  createQuestions,
  isAskedAgain,
  type Question,
  type Questions,
  questionIn,
} from "./transcript/questions.ts";
export { dialogEventIn, recordOf, soundFeatures } from "./transcript/sound.ts";
export { counted, listWords, summaryOf, type Tally, talliesOf } from "./transcript/tally.ts";
export { createTelling, lineOf, type Telling } from "./transcript/telling.ts";
export { noteWords } from "./transcript/told.ts";
export type { Transcript, TranscriptConversant } from "./transcript/transcript.ts";
export type { FloorNow, SeatKind, ShownEvent, TranscriptEntry } from "./transcript/transcript-entry.ts";
export { shownValue, wordsOfValue } from "./transcript/value-words.ts";
export { floorVersion } from "./version.ts";
export { welcomersAmong } from "./welcome.ts";
export { answering } from "./whisper-answer.ts";
