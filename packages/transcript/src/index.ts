export { type FloorHistory, floorHistory, type Lane } from "./floor-history.ts";
export type { Span, SpanKind } from "./floor-lane.ts";
export type { Mark } from "./floor-reading.ts";
export { type ExportFormat, exportFormats, exportKinds, isExportFormat } from "./formats.ts";
export { htmlOf, htmlPieces } from "./html.ts";
export { type JsonlHeader, jsonlHeader, jsonlLine, jsonlOf } from "./jsonl.ts";
export { createKnownPeople } from "./known-people.ts";
export type { Line, NoteLine, NoteSign, UtteranceLine } from "./lines.ts";
export { markdownOf, markdownPieces } from "./markdown.ts";
export { type Mentionable, mentionIn, namedAt, peopleMatching, typedMention } from "./mentions.ts";
export { mermaidOf, mermaidPieces } from "./mermaid.ts";
export { nameIn, speakerWords } from "./names.ts";
export { whyPaused } from "./notes.ts";
export { faceOf, nameOf, seemingly, written } from "./people.ts";
export { oneLine, plain } from "./plain.ts";
export {
  type Choice,
  choiceIn,
  createQuestions,
  isAskedAgain,
  type Question,
  type Questions,
  questionIn,
} from "./questions.ts";
export { type Comparison, compare, type Difference, isSameLane, laneOf } from "./replay/compare.ts";
export type { Recording } from "./replay/recorded.ts";
export { recordingOf } from "./replay/recording.ts";
export { replay } from "./replay/replay.ts";
export { type FloorUse, peopleIn, type StripLane } from "./replay/strip.ts";
export type { ConvenerCall, ConvenerReply, Replayed, WhatIf } from "./replay/what-if.ts";
export { dialogEventIn, soundFeatures } from "./sound.ts";
export { counted, listWords, summaryOf, type Tally, talliesOf } from "./tally.ts";
export { createTelling, lineOf, type Telling } from "./telling.ts";
export { noteWords } from "./told.ts";
export type { Transcript, TranscriptConversant } from "./transcript.ts";
export type { FloorNow, SeatKind, ShownEvent, TranscriptEntry } from "./transcript-entry.ts";
