import { apply, type Entry, emptyFloor, type Floor } from "@plenary/floor";
import { type DialogEvent, type FloorEvent, foldUri, isPrivate } from "@plenary/protocol";
import { loggedHash } from "../conversation/dedupe.ts";
import { erasureOf, eventsIn, scrubbed, withEvents } from "../conversation/erasure.ts";
import { isSameUtterance, matchingWhispers, spokenIn, whisperMark } from "../conversation/whisper-match.ts";
import type { Change, ConversationLog, ConversationSummary, ListQuery, RequestKey } from "../ports/conversation-log.ts";
import type { Lookups, RequestRecord } from "../ports/lookups.ts";
import type { PendingDelivery } from "../ports/outbox.ts";
import type { FloorStore } from "../ports/store.ts";
import { bindingIn, operatorKey, titleReadersIn } from "./entry-index.ts";
import { createMemoryOutbox, type StoredOutbox } from "./outbox-memory.ts";
import { createMemoryTables } from "./side-tables.ts";
import { createMemoryWebhooks, type MemoryWebhooks } from "./webhook-memory.ts";

type StoredConversation = StoredOutbox & {
  floor: Floor;
  entries: Entry[];
  /** The first entry and the deliveries of each decision. */
  decisions: { first: number; deliveries: readonly string[] }[];
  /** The floor after every `snapshotEvery` entries, so that `floorAt` folds few entries. */
  snapshots: Floor[];
  /** speakerUri and dialogEvent.id -> hashes. */
  hashes: Map<string, string[]>;
  utterances: Entry[];
  /** Marks of whispers, by seq. They remain when the text is erased. */
  whispers: Map<number, string>;
  speakers: Set<string>;
  /** The title that each speaker knows. */
  titles: Map<string, string>;
};

type StoredRequest = RequestRecord & { at: string };

const snapshotEvery = 200;

/** Keeps everything in memory. It is also the reference for the acceptance tests of other stores. */
export function createMemoryStore(): FloorStore {
  const conversations = new Map<string, StoredConversation>();
  const settings = new Map<string, string>();
  const requests = new Map<string, StoredRequest>();
  const bindings = new Map<string, string>();
  const { record, sweepLetters, ...webhooks } = createMemoryWebhooks();
  return {
    log: createLog({ conversations, requests, bindings, record }),
    lookups: createLookups({ conversations, requests, bindings }),
    outbox: createMemoryOutbox({ conversations, requests, sweepLetters }),
    settings: {
      async keep(name, initial) {
        const value = settings.get(name) ?? initial;
        settings.set(name, value);
        return value;
      },
    },
    ...createMemoryTables(),
    webhooks,
    ready: async () => {},
    close: async () => {},
  };
}

type MemoryState = {
  conversations: Map<string, StoredConversation>;
  requests: Map<string, StoredRequest>;
  /** The address of each speaker. */
  bindings: Map<string, string>;
};

function createLog({
  conversations,
  requests,
  bindings,
  record,
}: MemoryState & Pick<MemoryWebhooks, "record">): ConversationLog {
  return {
    load: (id) => conversations.get(id)?.floor,
    async append(id, change, expectedSeq) {
      const kept = conversations.get(id) ?? newConversation(id);
      if (kept.floor.seq !== expectedSeq) return "conflict";
      write(kept, change);
      if (change.request !== undefined) requests.set(nameOf(change.request), requestOf(id, change, change.request));
      conversations.set(id, kept);
      for (const entry of change.entries) bind(bindings, entry);
      if (change.floor.seq > expectedSeq)
        record({ conversationId: id, first: expectedSeq + 1, last: change.floor.seq });
      return "appended";
    },
    entries: async (id, { after, limit }) =>
      conversations.get(id)?.entries.slice(Math.max(0, after), Math.max(0, after) + limit) ?? [],
    async floorAt(id, seq) {
      const kept = conversations.get(id);
      return kept === undefined || seq < 1 || seq > kept.floor.seq ? undefined : floorAt(kept, seq);
    },
    list: async (query) => summaries(conversations, query),
    count: async () => conversations.size,
  };
}

function createLookups({ conversations, requests, bindings }: MemoryState): Lookups {
  return {
    seen: (id, utterances) =>
      utterances.map((one) => conversations.get(id)?.hashes.get(keyOf(one.sender, one.dialogEventId)) ?? []),
    async whispersLike(id, dialogEvents) {
      const { utterances, whispers } = conversations.get(id) ?? newConversation(id);
      const isKnown = (one: DialogEvent) =>
        utterances.some((entry) => {
          const mark = whispers.get(entry.seq);
          return mark !== undefined && (mark === whisperMark(one) || isSameUtterance(spokenIn(entry), one));
        });
      return matchingWhispers(utterances, dialogEvents.filter(isKnown), (seq) => whispers.get(seq));
    },
    hasSeen: async (id, speaker) => conversations.get(id)?.speakers.has(speaker) === true,
    boundTo: async (claims) => claims.map(({ speakerUri }) => bindings.get(foldUri(speakerUri))),
    request: (key) => requests.get(nameOf(key)),
  };
}

function newConversation(id: string): StoredConversation {
  return {
    floor: emptyFloor(id),
    entries: [],
    decisions: [],
    snapshots: [],
    hashes: new Map(),
    utterances: [],
    whispers: new Map(),
    speakers: new Set(),
    titles: new Map(),
    outbox: new Map(),
    timers: new Map(),
    dead: new Map(),
  };
}

function bind(bindings: Map<string, string>, entry: Entry): void {
  const bound = bindingIn(entry);
  if (bound === undefined) return;
  const name = foldUri(bound.speakerUri);
  if (bound.kind === "again" || !bindings.has(name)) bindings.set(name, bound.serviceUrl);
}

function nameOf({ caller, key }: RequestKey): string {
  return JSON.stringify([caller, key]);
}

function requestOf(
  conversationId: string,
  { entries, floor }: Change,
  { hash, at }: NonNullable<Change["request"]>,
): StoredRequest {
  return { conversationId, hash, at, first: entries[0]?.seq ?? floor.seq + 1, last: floor.seq };
}

function write(kept: StoredConversation, change: Change): void {
  const { floor, entries, deliveries, timers, dedupe, settled, rung, dead } = change;
  const [head] = entries;
  if (head !== undefined) {
    kept.decisions.push({ first: head.seq, deliveries: deliveries.map(({ delivery }) => delivery) });
  }
  for (const entry of entries) {
    kept.entries.push(entry);
    const spoken = spokenIn(entry);
    if (spoken !== undefined) kept.utterances.push(entry);
    if (spoken !== undefined && entry.kind === "event" && isPrivate(entry.event)) {
      kept.whispers.set(entry.seq, whisperMark(spoken));
    }
    if (entry.seq % snapshotEvery === 0) kept.snapshots.push(floorAt(kept, entry.seq));
    for (const speaker of entry.audience) kept.speakers.add(speaker);
    for (const speaker of titleReadersIn(entry, floor)) learn(kept.titles, speaker, floor.options.title);
  }
  for (const { sender, dialogEventId, hash } of dedupe) {
    const key = keyOf(sender, dialogEventId);
    const known = hash ?? loggedHash(entries, { sender, dialogEventId });
    kept.hashes.set(key, [...(kept.hashes.get(key) ?? []), known]);
  }
  const conversationId = floor.id;
  for (const effect of deliveries) kept.outbox.set(effect.delivery, { conversationId, effect });
  for (const { delivery, failure, detail, at } of dead) {
    const effect = kept.outbox.get(delivery)?.effect;
    if (effect !== undefined) kept.dead.set(delivery, { conversationId, effect, failure, detail, at });
  }
  for (const delivery of settled) kept.outbox.delete(delivery);
  for (const timer of timers) kept.timers.set(timer.id, timer);
  for (const id of rung) kept.timers.delete(id);
  kept.floor = floor;
  for (const entry of entries) if (entry.kind === "erased") erase(kept, entry.erases);
}

function learn(titles: Map<string, string>, speaker: string, title: string | undefined): void {
  if (title === undefined) titles.delete(speaker);
  else titles.set(speaker, title);
}

/** D35: erases the content of the entry and all copies of it, in other entries, in deliveries and in snapshots. */
function erase(kept: StoredConversation, seq: number): void {
  const at = kept.decisions.findLastIndex(({ first }) => first <= seq);
  const [decision, next] = [kept.decisions[at], kept.decisions[at + 1]];
  const entry = kept.entries[seq - 1];
  if (decision === undefined || entry === undefined) return;
  const here = kept.entries.slice(decision.first - 1, next && next.first - 1);
  const erasure = erasureOf(entry, here.flatMap(eventsIn));
  const left = (isHere: boolean, turn: string) => (event: FloorEvent) =>
    (isHere ? erasure.isHere(event) : erasure.isElsewhere(event, [turn])) ? scrubbed(event) : event;
  kept.entries = kept.entries.map((one) => withEvents(one, left(here.includes(one), one.turn)));
  const scrub = <Delivery extends PendingDelivery>(deliveries: Map<string, Delivery>) => {
    for (const [id, one] of deliveries) {
      const { effect } = one;
      const events = effect.events.map(left(decision.deliveries.includes(id), effect.turn));
      deliveries.set(id, { ...one, effect: { ...effect, events } });
    }
  };
  scrub(kept.outbox);
  scrub(kept.dead);
  kept.utterances = kept.entries.filter((one) => spokenIn(one) !== undefined);
  const count = kept.snapshots.length;
  kept.snapshots = [];
  for (let index = 1; index <= count; index += 1) kept.snapshots.push(floorAt(kept, index * snapshotEvery));
}

function floorAt({ entries, snapshots, floor }: StoredConversation, seq: number): Floor {
  const before = Math.min(Math.floor(seq / snapshotEvery), snapshots.length);
  let result = snapshots[before - 1] ?? emptyFloor(floor.id);
  for (const entry of entries.slice(before * snapshotEvery, seq)) result = apply(result, entry);
  return result;
}

function summaries(
  conversations: ReadonlyMap<string, StoredConversation>,
  { after = "", limit, speaker, parent: wanted }: ListQuery,
): ConversationSummary[] {
  const ids = [...conversations.keys()].filter((id) => id > after).sort();
  const found: ConversationSummary[] = [];
  for (const id of ids) {
    const kept = conversations.get(id);
    if (found.length >= limit || kept === undefined) break;
    if (speaker !== undefined && !kept.speakers.has(speaker)) continue;
    const { seq, isClosed, options } = kept.floor;
    const { parent } = options;
    if (wanted !== undefined && parent !== wanted) continue;
    const startedAt = kept.entries[0]?.at ?? "";
    const updatedAt = kept.entries.at(-1)?.at ?? startedAt;
    const title = kept.titles.get(speaker ?? operatorKey);
    const more = { ...(title !== undefined && { title }), ...(parent !== undefined && { parent }) };
    found.push({ id, seq, startedAt, updatedAt, isClosed, ...more });
  }
  return found;
}

function keyOf(sender: string, dialogEventId: string): string {
  return JSON.stringify([sender, dialogEventId]);
}
