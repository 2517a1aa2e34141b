import type { Entry, Floor } from "@plenary/floor";
import type { FloorStore } from "../ports/store.ts";

export type OwnUtterance = { seq: number; turn: string };

const pageMax = 256;
/** So far back somebody's own words are looked for. */
const entriesMax = 4_096;

/** The newest utterance of this speaker, or the one of that id. */
export async function findUtterance(
  store: FloorStore,
  floor: Floor,
  { speakerUri, dialogEventId }: { speakerUri: string; dialogEventId?: string },
): Promise<OwnUtterance | undefined> {
  const isIt = (entry: Entry) =>
    entry.kind === "event" &&
    entry.sender === speakerUri &&
    entry.event.eventType === "utterance" &&
    (dialogEventId === undefined || entry.event.parameters.dialogEvent.id === dialogEventId);
  for (let last = floor.seq; last > 0 && last > floor.seq - entriesMax; last -= pageMax) {
    const after = Math.max(0, last - pageMax);
    const entries = await store.entries(floor.id, { after, limit: last - after });
    const found = entries.findLast(isIt);
    if (found !== undefined) return { seq: found.seq, turn: found.turn };
  }
  return undefined;
}

/** Whether a question (D31) was asked since then. The caller judges whether it is for this person. */
export async function isAsked(store: FloorStore, floor: Floor, after: number): Promise<boolean> {
  const entries = await store.entries(floor.id, { after, limit: entriesMax });
  return entries.some(
    (entry) =>
      entry.kind === "event" &&
      entry.event.eventType === "utterance" &&
      Object.hasOwn(entry.event.parameters.dialogEvent.features, "interaction"),
  );
}
