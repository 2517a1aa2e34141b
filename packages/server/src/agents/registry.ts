import type { Dialect } from "@plenary/protocol";
import type { Learned } from "../delivery/manifests.ts";
import type { Behaviour } from "../ports/broken-rules.ts";
import type { Clock } from "../ports/clock.ts";
import { timeOf } from "../ports/clock.ts";
import type { AgentStore } from "../ports/store.ts";
import {
  type AgentRecord,
  afterOutcome,
  fromText,
  isTelling,
  newRecord,
  withBehaviour,
  withManifest,
} from "./record.ts";
import { inOrder, type KnownAgent, knownAgentOf } from "./view.ts";
import { createAgentDiary } from "./write-behind.ts";

/** Who is where, as this floor sees it. */
export type Whereabouts = {
  placeOf(serviceUrl: string): AgentRecord["place"];
  /** Whether the agent at this relay address of ours has a socket open. */
  isConnected(serviceUrl: string): boolean;
  /** The relay addresses of all that have. */
  connected(): readonly string[];
};

export type AgentList = {
  /** What earlier processes have learned. */
  load(): Promise<void>;
  /**
   * Whoever has answered once is known from then on. Who has not is, when somebody added it: a mistyped address is
   * nobody. Returns what can be told of it, known or not.
   */
  learn(serviceUrl: string, learned: Learned, options?: { isAdded?: boolean }): AgentRecord;
  /** What a known agent did in some conversation. */
  observe(serviceUrl: string, behaviour: Behaviour): void;
  view(record: AgentRecord): KnownAgent;
  /** Whether somebody asked for it to be known. */
  isAdded(serviceUrl: string): boolean;
  all(): KnownAgent[];
  /** An older dialect that was found to be the one it understands, not too long ago. */
  dialectOf(serviceUrl: string): Dialect | undefined;
  /** False when it is not known. */
  forget(serviceUrl: string): boolean;
  /** Writes down what is not written yet. */
  close(): Promise<void>;
};

type Desk = { store: AgentStore; clock: Clock; whereabouts: Whereabouts; onError: (error: unknown) => void };

const agentsMax = 1_000;
const manifestBytesInAllMax = 16 * 1_048_576;
export const addressMax = 2_048;
/** Then it is tried from the newest on again: it may have learned since. */
const dialectBelievedMs = 86_400_000;

/** The agents this floor knows. They are learned of in memory, and written down behind. */
export function createAgentList(desk: Desk): AgentList {
  const { clock, whereabouts, store } = desk;
  /** The one heard of longest ago stands first. */
  const records = new Map<string, AgentRecord>();
  const diary = createAgentDiary(desk, (key) => records.get(key));
  const view = (record: AgentRecord) => knownAgentOf(record, whereabouts.isConnected(record.serviceUrl));
  /** Our own addresses are compared as we write them; any other is kept as it is dialled. */
  const strangerAt = (serviceUrl: string, at: string) => {
    const place = whereabouts.placeOf(serviceUrl);
    return newRecord(place === "elsewhere" ? keyOf(serviceUrl) : serviceUrl, place, at);
  };
  const drop = (key: string) => {
    records.delete(key);
    diary.note(key);
  };
  const put = (key: string, record: AgentRecord) => {
    const isGrown = !records.has(key) || record.manifest !== records.get(key)?.manifest;
    records.delete(key);
    records.set(key, record);
    diary.note(key);
    if (isGrown) for (const oldest of tooMany(records, whereabouts)) drop(oldest);
  };
  return {
    async load() {
      const kept = (await store.agents()).flatMap(({ known }) => fromText(known) ?? []);
      const inTime = kept.sort((one, other) => (one.askedAt < other.askedAt ? -1 : 1));
      for (const record of inTime) records.set(keyOf(record.serviceUrl), record);
    },
    learn(serviceUrl, { outcome, manifest }, { isAdded = false } = {}) {
      const key = keyOf(serviceUrl);
      const known = records.get(key);
      const at = timeOf(clock);
      const after = afterOutcome(known ?? strangerAt(serviceUrl, at), outcome, at);
      const told = manifest === undefined ? after : withManifest(after, manifest, at);
      const record = isAdded && told.place === "elsewhere" ? { ...told, isAdded } : told;
      const isMet = isTelling(outcome) && outcome.kind !== "failure" && isAgent(record, whereabouts);
      if (isAdded || (known === undefined ? isMet : record !== known)) put(key, record);
      return record;
    },
    observe(serviceUrl, behaviour) {
      const known = records.get(keyOf(serviceUrl));
      if (known !== undefined) put(keyOf(serviceUrl), withBehaviour(known, behaviour, timeOf(clock)));
    },
    view,
    isAdded: (serviceUrl) => records.get(keyOf(serviceUrl))?.isAdded === true,
    all() {
      for (const [key, record] of records) if (isGone(record, whereabouts)) drop(key);
      for (const serviceUrl of whereabouts.connected()) {
        // Its socket is open, so it is there: it counts as answering until it does not.
        const newcomer = { ...newRecord(serviceUrl, "socket", timeOf(clock)), health: "answering" } as const;
        if (!records.has(keyOf(serviceUrl))) put(keyOf(serviceUrl), newcomer);
      }
      return inOrder([...records.values()].map(view));
    },
    dialectOf(serviceUrl) {
      const { dialect, dialectFoundAt } = records.get(keyOf(serviceUrl)) ?? {};
      if (dialect === undefined || dialect === "1.1" || dialectFoundAt === undefined) return undefined;
      return clock.now() - Date.parse(dialectFoundAt) < dialectBelievedMs ? dialect : undefined;
    },
    forget(serviceUrl) {
      const key = keyOf(serviceUrl);
      const isKnown = records.has(key);
      if (isKnown) drop(key);
      return isKnown;
    },
    close: diary.close,
  };
}

/** However it is written, with a slash at its end or without. */
function keyOf(serviceUrl: string): string {
  return URL.canParse(serviceUrl) ? new URL(serviceUrl).href : serviceUrl;
}

/** People have relay addresses, too, and are no agents. */
function isAgent({ serviceUrl, place }: AgentRecord, { isConnected }: Whereabouts): boolean {
  return serviceUrl.length <= addressMax && (place !== "socket" || isConnected(serviceUrl));
}

/** It lived at an address that this floor had before it moved. */
function isGone({ serviceUrl, place }: AgentRecord, { placeOf }: Whereabouts): boolean {
  return place !== "elsewhere" && placeOf(serviceUrl) !== place;
}

/** Those to forget, who was added by hand last. Whoever is here stays. */
function* tooMany(records: ReadonlyMap<string, AgentRecord>, { isConnected }: Whereabouts) {
  let left = records.size;
  let bytes = 0;
  for (const { manifest, manifestBytes = 0 } of records.values()) if (manifest !== undefined) bytes += manifestBytes;
  const inTurn = [...records].sort(([, one], [, other]) => Number(one.isAdded ?? 0) - Number(other.isAdded ?? 0));
  for (const [key, record] of inTurn) {
    if (left <= agentsMax && bytes <= manifestBytesInAllMax) return;
    if (record.place === "hosted" || isConnected(record.serviceUrl)) continue;
    left -= 1;
    if (record.manifest !== undefined) bytes -= record.manifestBytes ?? 0;
    yield key;
  }
}
