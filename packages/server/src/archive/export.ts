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
import { briefEntryFor, conversationView, entryFor } from "../conversation/conversation-view.ts";
import { endOfLog, type LogEndMax } from "../conversation/log-lookup.ts";
import { readerFor } from "../conversation/visibility.ts";
import type { ConversationLog } from "../ports/conversation-log.ts";

/** The part of a store that an export reads. */
type ExportedLog = Pick<ConversationLog, "entries">;

/** `speaker`: exports what this conversant sees; without it whispers are hidden (D33). */
type ExportOptions = { format: ExportFormat; speaker?: string };

/** Small, because each entry may be as large as a request body. */
const pageMax = 50;
/** A document is built in memory, so it contains only the end of a longer log. */
const documentMax: LogEndMax = { entriesMax: 20_000, charsMax: 8 * 1_048_576 };
const sliceChars = 65_536;

/** Exports what one reader may see of a conversation, in pieces. `jsonl` contains the whole log. */
export async function* exportConversation(
  log: ExportedLog,
  floor: Floor,
  options: ExportOptions,
): AsyncGenerator<string> {
  if (options.format === "jsonl") yield* jsonlPieces(log, floor, options.speaker);
  else yield* slicesOf(documents[options.format](await transcriptOf(log, floor, options.speaker)));
}

/** Other work runs between two slices. */
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

/** The stored log, with whispers: for the operator, and for `plenary import`. */
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

/** Ends at the entry that was the last when the export began, so a running conversation does not prolong it. */
async function* pagesOf(log: ExportedLog, { id, seq }: Floor) {
  for (let after = 0; after < seq; ) {
    const entries = await log.entries(id, { after, limit: Math.min(pageMax, seq - after) });
    const last = entries.at(-1);
    if (last === undefined) return;
    yield entries;
    after = last.seq;
    // A store may answer at once, so other work runs between two pages.
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
    ...(mayKnowPresent(floor, speaker) && { now: conversationView(floor) }),
    ...(leftOut > 0 && { leftOut }),
  };
}

/** A conversant that left does not see the current state of the conversation. */
function mayKnowPresent(floor: Floor, speaker: string | undefined): boolean {
  return speaker === undefined || seatNamed(floor, speaker) !== undefined;
}

function titleIn(floor: Floor, speaker: string | undefined): { title?: string } {
  const { title } = floor.options;
  return title !== undefined && mayKnowPresent(floor, speaker) ? { title } : {};
}
