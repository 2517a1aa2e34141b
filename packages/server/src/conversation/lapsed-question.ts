import { type Entry, type Floor, type LapsedQuestion, seatOf } from "@plenary/floor";
import { createQuestions, lineOf, questionIn, type TranscriptEntry } from "@plenary/transcript";
import type { FloorStore } from "../ports/store.ts";

const entriesMax = 10_000;

/** The question of this entry, unless it was answered or its agent withdrew it (D31). */
export async function unansweredQuestion(
  store: FloorStore,
  floor: Floor,
  seq: number,
): Promise<LapsedQuestion | undefined> {
  const entries = await store.entries(floor.id, { after: seq - 1, limit: entriesMax });
  const [questionEntry] = entries;
  const question = questionEntry && questionOf(questionEntry);
  if (questionEntry?.kind !== "event" || question === undefined) return undefined;
  const { to, id, sender, isWhisper } = question;
  // Any person may answer a question to everyone, so one person represents all.
  const person = floor.conversants.find(({ kind }) => kind === "person")?.identification.speakerUri;
  const kindOf = (speakerUri: string) => seatOf(floor, speakerUri)?.kind;
  const questions = createQuestions(to ?? person ?? "", { kindOf });
  for (const entry of entries) {
    const line = lineOf(entry as TranscriptEntry, floor.self.speakerUri);
    if (line?.kind === "utterance") questions.take(line);
  }
  const newest = questions.open().find((one) => one.id === id && one.sender === sender);
  // The agent repeated the question, and the newer one has its own timer.
  if (newest === undefined || newest.untilMs !== question.untilMs) return undefined;
  const { turn, depth } = questionEntry;
  return { seq, id, sender, turn, depth, ...(isWhisper && to !== undefined && { whisperer: to }) };
}

function questionOf(entry: Entry) {
  const line = lineOf(entry as TranscriptEntry, undefined);
  return line?.kind === "utterance" ? questionIn(line) : undefined;
}
