import { setImmediate as endOfTurn } from "node:timers/promises";
import { type Floor, seatNamed } from "@plenary/floor";
import {
  type ExportFormat,
  htmlPieces,
  jsonlHeader,
  jsonlLine,
  markdownPieces,
  mermaidPieces,
  type Transcript,
  type TranscriptEntry,
} from "@plenary/transcript";
import { briefEntryFor, conversationView, entryFor, readerFor } from "../conversation/conversation-view.ts";
import { endOfLog, type LogEndMax } from "../conversation/log-tail.ts";
import type { FloorStore } from "../ports/store.ts";

/** What is read of a store. */
export type ExportedLog = Pick<FloorStore, "entries">;

/** `speaker`: as this conversant sees it; without it no whisper is shown (D33). */
export type ExportOptions = { format: ExportFormat; speaker?: string };

/** Few: each may be as large as a body may be. */
const pageMax = 50;
/** What a document is made of is held in memory: of a longer log, or a larger one, it tells the end. */
const documentMax: LogEndMax = { entriesMax: 20_000, charsMax: 8 * 1_048_576 };
const sliceChars = 65_536;

/** A conversation as one reader may take it away, in pieces. `jsonl` has all of it, however long the log. */
export async function* exportConversation(
  log: ExportedLog,
  floor: Floor,
  options: ExportOptions,
): AsyncGenerator<string> {
  if (options.format === "jsonl") yield* jsonlPieces(log, floor, options.speaker);
  else yield* slicesOf(documents[options.format](await transcriptOf(log, floor, options.speaker)));
}

/** Others have their turn between two slices. */
async function* slicesOf(pieces: Iterable<string>): AsyncGenerator<string> {
  let slice = "";
  for (const piece of pieces) {
    slice += piece;
    if (slice.length < sliceChars) continue;
    yield slice;
    slice = "";
    await endOfTurn();
  }
  yield slice;
}

/** The log exactly as it is kept, whispers included: for whoever runs the floor, and for `plenary import`. */
export async function* exportComplete(log: ExportedLog, floor: Floor): AsyncGenerator<string> {
  yield jsonlLine(jsonlHeader({ id: floor.id, ...titleIn(floor, undefined), isComplete: true, entries: floor.seq }));
  for await (const entries of pagesOf(log, floor)) yield entries.map(jsonlLine).join("");
}

const documents = { markdown: markdownPieces, mermaid: mermaidPieces, html: htmlPieces };

async function* jsonlPieces(log: ExportedLog, floor: Floor, speaker: string | undefined): AsyncGenerator<string> {
  const reader = readerFor(floor, speaker);
  yield jsonlLine(jsonlHeader({ id: floor.id, ...titleIn(floor, speaker), ...(speaker && { readAs: speaker }) }));
  for await (const entries of pagesOf(log, floor)) {
    yield entries.map((entry) => jsonlLine(entryFor(entry, reader))).join("");
  }
}

/** Up to where the floor stood: a conversation that goes on meanwhile does not keep its reader for ever. */
async function* pagesOf(log: ExportedLog, { id, seq }: Floor) {
  for (let after = 0; after < seq; ) {
    const entries = await log.entries(id, { after, limit: Math.min(pageMax, seq - after) });
    const last = entries.at(-1);
    if (last === undefined) return;
    yield entries;
    after = last.seq;
    // A store may answer at once: others have their turn between two pages.
    await endOfTurn();
  }
}

async function transcriptOf(log: ExportedLog, floor: Floor, speaker: string | undefined): Promise<Transcript> {
  const reader = readerFor(floor, speaker);
  const entries = await endOfLog(log, floor, documentMax, (entry): TranscriptEntry => briefEntryFor(entry, reader));
  const leftOut = (entries[0]?.seq ?? 1) - 1;
  return {
    id: floor.id,
    ...titleIn(floor, speaker),
    ...(speaker !== undefined && { readAs: speaker }),
    conversants: [],
    entries,
    ...(isToldOfNow(floor, speaker) && { now: conversationView(floor) }),
    ...(leftOut > 0 && { leftOut }),
  };
}

/** Whoever has left knows what it heard, not what became of the conversation. */
function isToldOfNow(floor: Floor, speaker: string | undefined): boolean {
  return speaker === undefined || seatNamed(floor, speaker) !== undefined;
}

function titleIn(floor: Floor, speaker: string | undefined): { title?: string } {
  const { title } = floor.options;
  return title !== undefined && isToldOfNow(floor, speaker) ? { title } : {};
}
