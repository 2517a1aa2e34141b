import type { Floor } from "@plenary/floor";
import type { TranscriptEntry } from "@plenary/transcript";
import type { ServerContext } from "../context.ts";
import { briefEntryFor } from "../conversation/conversation-view.ts";
import { readerFor } from "../conversation/visibility.ts";
import { traceIdOf } from "../observability/trace-ids.ts";
import type { OwnUtterance } from "./log-search.ts";
import type { NemoOutput } from "./output.ts";
import { openRenderer } from "./renderer/open.ts";

const entriesMax = 1_000;

/** The output of an earlier message, made again from the log. */
export async function replayTurn(
  { store, clock, self }: ServerContext,
  { floor, speakerUri, first }: { floor: Floor; speakerUri: string; first: OwnUtterance | undefined },
): Promise<NemoOutput[]> {
  // With the words themselves: whether anybody answered them is part of it.
  const after = first === undefined ? floor.seq : first.seq - 1;
  const { renderer } = await openRenderer(store, { floor, speakerUri, after, clientFeatures: { hasAllPrompts: true } });
  const nowMs = clock.now();
  const output = renderer.begin(nowMs);
  if (first !== undefined) renderer.joined(first.turn);
  const reader = readerFor(floor, speakerUri);
  for (const entry of await store.entries(floor.id, { after, limit: entriesMax })) {
    if (entry.turn !== first?.turn) continue;
    output.push(...renderer.entry(briefEntryFor(entry, reader) as TranscriptEntry, nowMs));
  }
  const trace = first && traceIdOf({ conversationId: floor.id, turn: first.turn }, self());
  return [...output, ...renderer.complete(trace)].filter(({ kind }) => kind !== "prompt");
}
