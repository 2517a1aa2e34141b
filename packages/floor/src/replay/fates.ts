import { type FloorEvent, isPrivate } from "@plenary/protocol";
import type { Entry } from "../entry.ts";

/** What became of an utterance. `unsaid`: its envelope never took place. */
export type Fate = { what: "heard" | "refused" | "waiting" | "unsaid"; because?: string; at?: string; seq?: number };

export type Utterance = { sender: string; dialogEventId: string; isWhisper: boolean; fate: Fate };

/** Every utterance that came in, by who sent it under which id. Without the words. */
export function fatesIn(entries: readonly Entry[]): ReadonlyMap<string, Utterance> {
  const found = new Map<string, Utterance>();
  const note = (sender: string, event: FloorEvent, fate: Fate) => {
    if (event.eventType !== "utterance") return;
    const dialogEventId = event.parameters.dialogEvent.id;
    const key = JSON.stringify([sender, dialogEventId]);
    // Said again and refused then, it was heard all the same.
    if (found.get(key)?.fate.what === "heard") return;
    found.set(key, { sender, dialogEventId, isWhisper: isPrivate(event), fate });
  };
  for (const entry of entries) {
    const { at, because, seq } = entry;
    if (entry.kind === "received")
      for (const event of entry.events) note(entry.sender, event, { what: "waiting", at, seq });
    else if (entry.kind === "event") note(entry.sender, entry.event, { what: "heard", because, at, seq });
    else if (entry.kind === "refused") note(entry.sender, entry.event, { what: "refused", because, at, seq });
  }
  return found;
}
