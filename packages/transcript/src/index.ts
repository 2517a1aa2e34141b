export { noteText } from "./export/document.ts";
export { type ExportFormat, exportFormats, exportKinds, isExportFormat } from "./export/formats.ts";
export { htmlOf, htmlPieces } from "./export/html/page.ts";
export { type JsonlHeader, jsonlHeader, jsonlLine, jsonlOf } from "./export/jsonl.ts";
export { markdownOf, markdownPieces } from "./export/markdown.ts";
export { mermaidOf, mermaidPieces } from "./export/mermaid.ts";
export { oneLine, plain } from "./export/plain-text.ts";
export { type FloorHistory, floorHistory, type Lane } from "./floor-history/floor-history.ts";
export type { Span, SpanKind } from "./floor-history/lane.ts";
export { counted, listWords, summaryOf, type Tally, talliesOf } from "./floor-history/lane-statistics.ts";
export type { Mark } from "./floor-history/read-entries.ts";
export type { Line, NoteLine, NoteSign, UtteranceLine } from "./lines/line.ts";
export { whyPaused } from "./lines/notes.ts";
export {
  type Choice,
  choiceIn,
  createQuestions,
  isAskedAgain,
  type Question,
  type Questions,
  questionIn,
} from "./lines/questions.ts";
export { createTranscriptLines, lineOf, type TranscriptLines } from "./lines/transcript-lines.ts";
export { validDialogEvent, validFeatures } from "./lines/valid-dialog-event.ts";
export { faceOf, lookalikeKey, nameIn, nameOf, singleLine, speakerWords } from "./people/display-names.ts";
export { createKnownPeople } from "./people/known-people.ts";
export { type Mentionable, mentionIn, namedAt, peopleMatching, typedMention } from "./people/mentions.ts";
export { type Comparison, compare, type Difference, isSameLane, laneOf } from "./replay/compare.ts";
export { type FloorUse, peopleIn, type StripLane } from "./replay/floor-use.ts";
export type { Recording } from "./replay/recorded-input.ts";
export { recordingOf } from "./replay/recording.ts";
export { replay } from "./replay/replay.ts";
export type { ConvenerCall, ConvenerReply, Replayed, WhatIf } from "./replay/what-if.ts";
export type {
  FloorNow,
  SeatKind,
  ShownEvent,
  Transcript,
  TranscriptConversant,
  TranscriptEntry,
} from "./transcript.ts";
