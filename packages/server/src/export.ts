import { setImmediate as endOfTurn } from "node:timers/promises";
import {
  type Floor,
  htmlOf,
  jsonlHeader,
  jsonlLine,
  markdownOf,
  mermaidOf,
  seatNamed,
  type Transcript,
  type TranscriptEntry,
} from "@plenary/floor";
import type { FloorStore } from "./ports.ts";
import { briefEntryFor, conversationView, entryFor, readerFor } from "./view.ts";

/** How a conversation can be taken away. */
export const exportFormats = ["jsonl", "markdown", "mermaid", "html"] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** What there is of each format to say: its type, and how its files end. */
export const exportKinds: Readonly<Record<ExportFormat, { type: string; ending: string }>> = {
  jsonl: { type: "application/jsonl; charset=utf-8", ending: "jsonl" },
  markdown: { type: "text/markdown; charset=utf-8", ending: "md" },
  mermaid: { type: "text/vnd.mermaid; charset=utf-8", ending: "mmd" },
  html: { type: "text/html; charset=utf-8", ending: "html" },
};

/** What is read of a store. */
export type ExportedLog = Pick<FloorStore, "entries">;

/** `speaker`: as this conversant sees it; without it no whisper is shown (D33). */
export type ExportOptions = { format: ExportFormat; speaker?: string };

const pageMax = 500;
/** A document is made in memory: of a longer log, or a larger one, it tells the end. */
const documentEntriesMax = 20_000;
const documentCharsMax = 32 * 1_048_576;

/** A conversation as one reader may take it away, in pieces. Only `jsonl` is made piece by piece, however long the log. */
export async function* exportConversation(
  log: ExportedLog,
  floor: Floor,
  options: ExportOptions,
): AsyncGenerator<string> {
  if (options.format === "jsonl") yield* jsonlPieces(log, floor, options.speaker);
  else yield documents[options.format](await transcriptOf(log, floor, options.speaker));
}

/** The log exactly as it is kept, whispers included: for whoever runs the floor, and for `plenary import`. */
export async function* exportComplete(log: ExportedLog, floor: Floor): AsyncGenerator<string> {
  yield jsonlLine(jsonlHeader({ id: floor.id, ...titleIn(floor, undefined), isComplete: true }));
  for await (const entries of pagesOf(log, floor)) yield entries.map(jsonlLine).join("");
}

const documents = { markdown: markdownOf, mermaid: mermaidOf, html: htmlOf };

async function* jsonlPieces(log: ExportedLog, floor: Floor, speaker: string | undefined): AsyncGenerator<string> {
  const reader = readerFor(floor, speaker);
  yield jsonlLine(jsonlHeader({ id: floor.id, ...titleIn(floor, speaker), ...(speaker && { readAs: speaker }) }));
  for await (const entries of pagesOf(log, floor)) {
    yield entries.map((entry) => jsonlLine(entryFor(entry, reader))).join("");
  }
}

/** Up to where the floor stood: a conversation that goes on meanwhile does not keep its reader for ever. */
async function* pagesOf(log: ExportedLog, { id, seq }: Floor, from = 0) {
  for (let after = from; after < seq; ) {
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
  const pages: { entries: TranscriptEntry[]; chars: number }[] = [];
  let chars = 0;
  for await (const page of pagesOf(log, floor, Math.max(0, floor.seq - documentEntriesMax))) {
    // What a reader is shown has the shape that transcripts are made of.
    const entries = page.map((entry) => briefEntryFor(entry, reader) as unknown as TranscriptEntry);
    const size = entries.reduce((sum, entry) => sum + JSON.stringify(entry).length, 0);
    pages.push({ entries, chars: size });
    chars += size;
    while (chars > documentCharsMax && pages.length > 1) chars -= pages.shift()?.chars ?? 0;
  }
  const entries = pages.flatMap((page) => page.entries);
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
