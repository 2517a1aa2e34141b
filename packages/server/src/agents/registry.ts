import { type Entry, type Floor, ownerOf, relayUrlOf, seatOf } from "@plenary/floor";
import { type Dialect, isSameUri } from "@plenary/protocol";
import { createWriteBehind } from "@plenary/sdk";
import type { ManifestResult } from "../delivery/manifests.ts";
import type { SocketOutbound } from "../delivery/socket/outbound.ts";
import { isPassing } from "../errors.ts";
import type { AgentStore, StoredAgent } from "../ports/agent-store.ts";
import { type Clock, timeOf } from "../ports/clock.ts";
import type { Lookups } from "../ports/lookups.ts";
import type { Behaviour, FloorIdentity } from "../ports/outbound.ts";
import { speakerAt } from "../ports/speaker-uri.ts";
import type { Hosted } from "./hosted.ts";
import {
  type AgentRecord,
  afterOutcome,
  fromText,
  inOrder,
  isInformative,
  type KnownAgent,
  knownAgentOf,
  newRecord,
  toText,
  withBehaviour,
  withManifest,
} from "./record.ts";

export type AgentRegistry = {
  /**
   * Records an exchange. An agent that answered is stored; an address that did not is stored only if it was added, so a
   * mistyped address is not. Returns the record, stored or not.
   */
  learn(serviceUrl: string, learned: ManifestResult, options?: { isAdded?: boolean }): AgentRecord;
  /** Records the behaviour of a known agent. */
  observe(serviceUrl: string, behaviour: Behaviour): void;
  view(record: AgentRecord): KnownAgent;
  /** Whether it was added explicitly. */
  isAdded(serviceUrl: string): boolean;
  all(): KnownAgent[];
  /** The older dialect that it was recently found to understand. */
  dialectOf(serviceUrl: string): Dialect | undefined;
  /** False when it is unknown. */
  forget(serviceUrl: string): boolean;
  /** Writes pending changes. */
  close(): Promise<void>;
};

type RegistryContext = {
  store: Pick<AgentStore, "keepAgents">;
  /** The records of earlier processes. */
  stored: readonly StoredAgent[];
  clock: Clock;
  locations: AgentLocations;
  onError: (error: unknown) => void;
};

const agentsMax = 1_000;
const manifestBytesInAllMax = 16 * 1_048_576;
const addressMax = 2_048;
/** After this time it is tried from the newest dialect on again: it may have been updated. */
const dialectBelievedMs = 86_400_000;
const writeAfterMs = 5_000;
const batchMax = 100;

/** The agents this floor knows, in memory and written to the store with a delay. */
export function createAgentRegistry(context: RegistryContext): AgentRegistry {
  const { clock, locations, stored } = context;
  /** Ordered by last update, oldest first. */
  const records = new Map(
    stored
      .flatMap(({ known }) => fromText(known) ?? [])
      .sort(byTime)
      .map(keyed),
  );
  const writeBehind = createRecordWriter(context, records);
  const view = (record: AgentRecord) => knownAgentOf(record, locations.isConnected(record.serviceUrl));
  /** Addresses of this floor are stored as they are; others are normalized as for dialling. */
  const newRecordAt = (serviceUrl: string, at: string) => {
    const place = locations.placeOf(serviceUrl);
    return newRecord(place === "elsewhere" ? keyOf(serviceUrl) : serviceUrl, place, at);
  };
  const drop = (key: string) => {
    records.delete(key);
    writeBehind.note(key);
  };
  const put = (key: string, record: AgentRecord) => {
    const isGrown = !records.has(key) || record.manifest !== records.get(key)?.manifest;
    records.delete(key);
    records.set(key, record);
    writeBehind.note(key);
    if (isGrown) for (const oldest of tooMany(records, locations)) drop(oldest);
  };
  return {
    learn(serviceUrl, { outcome, manifest }, { isAdded = false } = {}) {
      const key = keyOf(serviceUrl);
      const known = records.get(key);
      const at = timeOf(clock);
      const after = afterOutcome(known ?? newRecordAt(serviceUrl, at), outcome, at);
      const updated = manifest === undefined ? after : withManifest(after, manifest, at);
      const record = isAdded && updated.place === "elsewhere" ? { ...updated, isAdded } : updated;
      const isMet = () => isInformative(outcome) && outcome.kind !== "failure" && isAgent(record, locations);
      if (isAdded || (known === undefined ? isMet() : record !== known)) put(key, record);
      return record;
    },
    observe(serviceUrl, behaviour) {
      const known = records.get(keyOf(serviceUrl));
      if (known !== undefined) put(keyOf(serviceUrl), withBehaviour(known, behaviour, timeOf(clock)));
    },
    view,
    isAdded: (serviceUrl) => records.get(keyOf(serviceUrl))?.isAdded === true,
    all() {
      for (const [key, record] of records) if (isGone(record, locations)) drop(key);
      for (const serviceUrl of locations.connected()) {
        // An agent with an open socket counts as answering until an exchange fails.
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
    close: writeBehind.close,
  };
}

function createRecordWriter({ store, clock, onError }: RegistryContext, records: ReadonlyMap<string, AgentRecord>) {
  return createWriteBehind({
    textAt: (key) => {
      const record = records.get(key);
      return record === undefined ? undefined : toText(record);
    },
    write: ({ kept, forgotten }) =>
      store.keepAgents({ kept: kept.map(({ key, known }) => ({ serviceUrl: key, known })), forgotten }),
    batchMax,
    schedule: (callback) => clock.at(clock.now() + writeAfterMs, callback),
    // Other writes report a temporary failure such as a full disk.
    onError: (error) => {
      if (!isPassing(error)) onError(error);
    },
  });
}

function byTime(one: AgentRecord, other: AgentRecord): number {
  return one.askedAt < other.askedAt ? -1 : 1;
}

function keyed(record: AgentRecord): [string, AgentRecord] {
  return [keyOf(record.serviceUrl), record];
}

// Most exchanges are with the agent of the exchange before.
let last = { serviceUrl: "", key: "" };

/** Normalizes the address. */
function keyOf(serviceUrl: string): string {
  if (serviceUrl === last.serviceUrl) return last.key;
  const key = URL.canParse(serviceUrl) ? new URL(serviceUrl).href : serviceUrl;
  last = { serviceUrl, key };
  return key;
}

/** People also have relay addresses, and are no agents. */
function isAgent({ serviceUrl, place }: AgentRecord, { isConnected }: AgentLocations): boolean {
  return serviceUrl.length <= addressMax && (place !== "socket" || isConnected(serviceUrl));
}

/** Its address belonged to this floor before the floor moved. */
function isGone({ serviceUrl, place }: AgentRecord, { placeOf }: AgentLocations): boolean {
  return place !== "elsewhere" && placeOf(serviceUrl) !== place;
}

/** The agents to drop, explicitly added ones last. Hosted and connected agents stay. */
function* tooMany(records: ReadonlyMap<string, AgentRecord>, { isConnected }: AgentLocations) {
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

/** Records behaviours of agents in conversations, without any content. */
export function recordBehaviours({ observe }: Pick<AgentRegistry, "observe">) {
  return (floor: Floor, entries: readonly Entry[]): void => {
    for (const entry of entries) {
      if (entry.kind !== "event" || entry.because !== "guard/whisper-answer") continue;
      const seat = seatOf(floor, entry.sender);
      if (seat !== undefined) observe(seat.identification.serviceUrl, "answers-whispers-aloud");
    }
  };
}

export type AgentLocations = ReturnType<typeof agentLocations>;
type LocationSources = { hosted: Hosted; sockets: SocketOutbound; self: FloorIdentity };

/** Where agents run, by their address. */
export function agentLocations({ hosted, sockets, self }: LocationSources) {
  const speakerOf = (serviceUrl: string) => speakerAt(self.serviceUrl, serviceUrl);
  return {
    placeOf(serviceUrl: string): AgentRecord["place"] {
      if (hosted.serviceUrls.includes(serviceUrl)) return "hosted";
      return speakerOf(serviceUrl) === undefined ? "elsewhere" : "socket";
    },
    /** Whether the agent at this relay address of the floor has an open socket. */
    isConnected(serviceUrl: string): boolean {
      const speaker = speakerOf(serviceUrl);
      return speaker !== undefined && sockets.isConnected(speaker);
    },
    /** The relay addresses of all agents with an open socket. */
    connected: (): readonly string[] => sockets.connected().map((speaker) => relayUrlOf(self.serviceUrl, speaker)),
  };
}

type MoveContext = { lookups: Pick<Lookups, "boundTo">; agents: Pick<AgentRegistry, "all"> };

/**
 * Agents that answer from another address than their bound one, and wait for the approval of the owner. Visible to the
 * owner, and to the operator, who reads without a speaker.
 */
export async function openMoves({ lookups, agents }: MoveContext, floor: Floor, speaker: string | undefined) {
  const { moves = [] } = floor;
  if (moves.length === 0 || (speaker !== undefined && speaker !== ownerOf(floor))) return [];
  const bound = await lookups.boundTo(moves);
  const identifications = agents.all().flatMap(({ manifest }) => manifest?.identification ?? []);
  return moves.map((move, index) => {
    const boundTo = bound[index];
    const identification = identifications.find(({ speakerUri }) => isSameUri(speakerUri, move.speakerUri));
    const name = identification?.conversationalName.trim();
    return { ...move, ...(name && { name }), ...(boundTo !== undefined && { boundTo }) };
  });
}
