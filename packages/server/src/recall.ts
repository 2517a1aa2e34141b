import type { Entry } from "@plenary/floor";
import { acceptInvite, type FloorEvent, type Identification } from "@plenary/protocol";
import type { FloorStore } from "./ports.ts";
import { eventFor, maySee, type Reader, readerFor } from "./view.ts";

export type Remembered = {
  at: string;
  sender: string;
  /** What the sender is or was called. */
  name?: string;
  event: FloorEvent;
  /** Who of those seated now may see it. */
  audience: readonly string[];
};

/** What a conversant was entitled to hear, oldest first. */
export type Recall = (conversationId: string, speakerUri: string) => Promise<readonly Remembered[]>;

/** No answer grows with the length of a conversation: what lies further back is not recalled. */
const entriesMax = 2_000;
const pageMax = 500;

/** Agents that live here may look up what they have heard: it outlives them, and forgets what was erased. */
export function createRecall(store: Pick<FloorStore, "load" | "entries">): Recall {
  return async (conversationId, speakerUri) => {
    const floor = await store.load(conversationId);
    if (floor === undefined) return [];
    const reader = readerFor(floor, speakerUri);
    const seated = floor.conversants.map(({ identification: { speakerUri: name } }) => ({
      ...{ name, reader: readerFor(floor, name) },
    }));
    const names = new Map<string, string>();
    const heard: Remembered[] = [];
    for (let after = Math.max(0, floor.seq - entriesMax); ; ) {
      const page = await store.entries(conversationId, { after, limit: pageMax });
      for (const entry of page) {
        learnName(entry, names);
        if (!maySee(entry, reader)) continue;
        const told = eventIn(entry, reader);
        if (told === undefined) continue;
        const audience = seated.filter((one) => maySee(entry, one.reader)).map(({ name }) => name);
        heard.push({ at: entry.at, ...told, audience });
      }
      const last = page.at(-1);
      if (last === undefined || page.length < pageMax) return heard.map((one) => withName(one, names));
      after = last.seq;
    }
  };
}

/** Every envelope names those who are here, so whoever heard somebody could know what he is called. */
function learnName(entry: Entry, names: Map<string, string>): void {
  const identification = identificationIn(entry);
  if (identification === undefined || identification.conversationalName === "") return;
  names.set(identification.speakerUri, identification.conversationalName);
}

function identificationIn(entry: Entry): Identification | undefined {
  if (entry.kind === "opened") return entry.owner?.identification;
  if (entry.kind === "seated") return entry.seat.identification;
  return entry.kind === "renamed" ? entry.identification : undefined;
}

function withName(heard: Remembered, names: ReadonlyMap<string, string>): Remembered {
  const name = names.get(heard.sender);
  return name === undefined ? heard : { ...heard, name };
}

function eventIn(entry: Entry, reader: Reader): Pick<Remembered, "sender" | "event"> | undefined {
  if (entry.kind === "event") return { sender: entry.sender, event: eventFor(entry.event, entry.sender, reader) };
  // The host seats people without an invite: that they came is told as if they had been asked.
  const isSeating = entry.kind === "seated" && entry.because.startsWith("command/seat/");
  return isSeating ? { sender: entry.seat.identification.speakerUri, event: acceptInvite() } : undefined;
}
