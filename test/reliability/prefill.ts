// A store with existing conversations, written through the store's own port with decisions of the floor.
import { type Decision, decide, defaultOptions, emptyFloor, type Floor, type Input } from "@plenary/floor";
import { envelope, textUtterance } from "@plenary/protocol";
import { type Change, createSqliteStore, type FloorStore } from "@plenary/server";

const now = "2026-01-01T00:00:00.000Z";
const speaker = "tag:past.example,2026:ann";
const self = { speakerUri: "tag:floor.example,2026:floor" };
const entriesPerConversation = 100;
/** Conversations written at the same time share their commits. */
const atOnce = 250;

export function changeOf({ floor, entries, effects }: Decision, more: Partial<Change> = {}): Change {
  const deliveries = effects.filter((effect) => effect.kind === "deliver");
  const timers = effects.filter((effect) => effect.kind === "timer").map(({ id, at }) => ({ id, at, since: now }));
  return { floor, entries, deliveries, timers, dedupe: [], settled: [], rung: [], dead: [], ...more };
}

export function opening(id: string, owner = speaker): Decision {
  const identification = { speakerUri: owner, serviceUrl: "", organization: "", conversationalName: "", synopsis: "" };
  const command = { verb: "open", self, owner: identification, options: defaultOptions } as const;
  return decide(emptyFloor(id), { kind: "command", command, by: "operator" }, now);
}

export function saying(floor: Floor, text: string, speakerUri = speaker, at = now): Decision {
  const events = [textUtterance(text, { speakerUri, id: `${floor.id}:${text}`, startTime: at })];
  const said = envelope({ conversation: { id: floor.id }, sender: { speakerUri }, events });
  const input: Input = { kind: "envelope", envelope: said };
  return decide(floor, input, at);
}

async function talk(store: FloorStore, id: string): Promise<number> {
  let decision = opening(id);
  await store.log.append(id, changeOf(decision), 0);
  while (decision.floor.seq < entriesPerConversation) {
    const { floor } = decision;
    decision = saying(floor, `word ${floor.seq}`);
    await store.log.append(id, changeOf(decision), floor.seq);
  }
  return decision.floor.seq;
}

/** At least this many entries, in conversations of a hundred, without open work. Returns the number of entries. */
export async function prefill(file: string, entries: number): Promise<number> {
  const store = createSqliteStore(file);
  const conversations = Math.ceil(entries / entriesPerConversation);
  let written = 0;
  for (let first = 0; first < conversations; first += atOnce) {
    const ids = Array.from({ length: Math.min(atOnce, conversations - first) }, (_, at) => `past-${first + at}`);
    for (const seq of await Promise.all(ids.map((id) => talk(store, id)))) written += seq;
  }
  await store.close();
  return written;
}
