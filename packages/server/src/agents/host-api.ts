import type { Entry } from "@plenary/floor";
import { acceptInvite, encodeEnvelope, type Identification } from "@plenary/protocol";
import type { AgentSummary, HistoryEntry, ReadHistory } from "@plenary/sdk";
import { eventFor } from "../conversation/conversation-view.ts";
import { endOfLog, type LogEndMax } from "../conversation/log-lookup.ts";
import type { Receiver } from "../conversation/receive.ts";
import { maySee, type Reader, readerFor } from "../conversation/visibility.ts";
import type { FloorIdentity } from "../ports/outbound.ts";
import type { Principal } from "../ports/principal.ts";
import type { FloorStore } from "../ports/store.ts";
import type { HostApi } from "./hosted.ts";
import type { KnownAgent } from "./record.ts";
import type { AgentRegistry } from "./registry.ts";

type HostApiSources = {
  self: () => FloorIdentity;
  store: FloorStore;
  receiver: () => Receiver;
  agents: () => Pick<AgentRegistry, "all" | "isAdded">;
};

/** The functions of this floor that its hosted agents may use. */
export function createHostApi({ self, store, receiver, agents }: HostApiSources): HostApi {
  return {
    floorUri: () => self().speakerUri,
    readHistory: createLogMemory(store),
    async send(envelope, speakerUri) {
      const text = JSON.stringify(encodeEnvelope(envelope, "1.1", {}).document);
      await receiver().envelope(text, { principal: principalOfHosted(speakerUri) });
    },
    knownAgents: () => {
      const list = agents();
      return list
        .all()
        .map((agent) => ({ ...summaryOf(agent), ...(list.isAdded(agent.serviceUrl) && { isAdded: true }) }));
    },
    catalogue: {
      manifests: () => store.manifests(),
      keepManifests: (change) => store.keepManifests(change),
    },
  };
}

/** A hosted agent needs no credential, and may speak only as itself. */
function principalOfHosted(speakerUri: string): Principal {
  return { id: `hosted ${speakerUri}`, kind: "agent", speakers: [speakerUri], scopes: [] };
}

function summaryOf(agent: KnownAgent): AgentSummary {
  const { serviceUrl, health, askedAt, manifest, manifestAt, isHosted } = agent;
  return {
    serviceUrl,
    health,
    askedAt,
    ...(manifest && { manifest }),
    ...(manifestAt && { manifestAt }),
    ...(isHosted && { isHosted }),
  };
}

/** Limits the result for long conversations: older entries are left out. */
const recalledMax: LogEndMax = { entriesMax: 2_000, charsMax: 8 * 1_048_576 };

/** Lets hosted agents read what they may see of the log: it survives a restart, and omits erased text. */
export function createLogMemory(store: Pick<FloorStore, "load" | "entries">): ReadHistory {
  return async (conversationId, speakerUri) => {
    const floor = await store.load(conversationId);
    if (floor === undefined) return [];
    const reader = readerFor(floor, speakerUri);
    const seated = floor.conversants.map(({ identification: { speakerUri: name } }) => ({
      name,
      reader: readerFor(floor, name),
    }));
    const names = new Map<string, string>();
    const remembered = await endOfLog(store, floor, recalledMax, (entry): HistoryEntry | undefined => {
      learnName(entry, names);
      const seen = maySee(entry, reader) ? eventIn(entry, reader) : undefined;
      if (seen === undefined) return undefined;
      const audience = seated.filter((one) => maySee(entry, one.reader)).map(({ name }) => name);
      return { at: entry.at, ...seen, audience };
    });
    return remembered.flatMap((one) => (one === undefined ? [] : [withName(one, names)]));
  };
}

/** Every envelope names the conversants, so an agent may know the name of each speaker it received. */
function learnName(entry: Entry, names: Map<string, string>): void {
  const identification = identificationIn(entry);
  if (identification === undefined || identification.conversationalName === "") return;
  // The newest name comes first.
  if (names.has(identification.speakerUri)) return;
  names.set(identification.speakerUri, identification.conversationalName);
}

function identificationIn(entry: Entry): Identification | undefined {
  if (entry.kind === "opened") return entry.owner?.identification;
  if (entry.kind === "seated") return entry.seat.identification;
  return entry.kind === "renamed" ? entry.identification : undefined;
}

function withName(remembered: HistoryEntry, names: ReadonlyMap<string, string>): HistoryEntry {
  const name = names.get(remembered.sender);
  return name === undefined ? remembered : { ...remembered, name };
}

function eventIn(entry: Entry, reader: Reader): Pick<HistoryEntry, "sender" | "event"> | undefined {
  if (entry.kind === "event") return { sender: entry.sender, event: eventFor(entry.event, entry.sender, reader) };
  // The host seats people without an invite: the agent sees it as an accepted invite.
  const isSeating = entry.kind === "seated" && entry.because.startsWith("command/seat/");
  return isSeating ? { sender: entry.seat.identification.speakerUri, event: acceptInvite() } : undefined;
}
