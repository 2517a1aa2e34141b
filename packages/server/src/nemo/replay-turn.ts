import type { Floor } from "@plenary/floor";
import type { TranscriptEntry } from "@plenary/transcript";
import type { Running } from "../context.ts";
import { briefEntryFor } from "../conversation/conversation-view.ts";
import { readerFor } from "../conversation/visibility.ts";
import { traceIdOf } from "../observability/trace-ids.ts";
import type { OwnUtterance } from "./log-search.ts";
import type { Told } from "./output.ts";
import { narratorAt } from "./renderer/open.ts";

const entriesMax = 1_000;

/** What became of words that were said before, told once more from the log. */
export async function retold(
  { store, clock, self }: Running,
  { floor, speakerUri, first }: { floor: Floor; speakerUri: string; first: OwnUtterance | undefined },
): Promise<Told[]> {
  // With the words themselves: whether anybody answered them is part of it.
  const after = first === undefined ? floor.seq : first.seq - 1;
  const { narrator } = await narratorAt(store, { floor, speakerUri, after, manner: { hasAllPrompts: true } });
  const nowMs = clock.now();
  const told = narrator.begin(nowMs);
  if (first !== undefined) narrator.joined(first.turn);
  const reader = readerFor(floor, speakerUri);
  for (const entry of await store.entries(floor.id, { after, limit: entriesMax })) {
    if (entry.turn !== first?.turn) continue;
    told.push(...narrator.entry(briefEntryFor(entry, reader) as TranscriptEntry, nowMs));
  }
  const trace = first && traceIdOf({ conversationId: floor.id, turn: first.turn }, self());
  return [...told, ...narrator.complete(trace)].filter(({ kind }) => kind !== "prompt");
}
