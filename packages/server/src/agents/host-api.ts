import type { Entry } from "@plenary/floor";
import { acceptInvite, encodeEnvelope, type Identification } from "@plenary/protocol";
import type { AgentSummary, CatalogueStore, HistoryEntry, ReadHistory } from "@plenary/sdk";
import { eventFor } from "../conversation/conversation-view.ts";
import { jsonTextOf } from "../conversation/decode.ts";
import { endOfLog, type LogEndMax } from "../conversation/log-lookup.ts";
import type { Receiver } from "../conversation/receive.ts";
import { maySee, type Reader, readerFor } from "../conversation/visibility.ts";
import type { ConversationLog } from "../ports/conversation-log.ts";
import type { FloorIdentity } from "../ports/outbound.ts";
import type { Principal } from "../ports/principal.ts";
import type { HostApi } from "./hosted.ts";
import type { KnownAgent } from "./record.ts";
import type { AgentRegistry } from "./registry.ts";

type HostApiSources = {
  self: FloorIdentity;
  log: ConversationLog;
  catalogue: CatalogueStore;
  receive: Receiver["envelope"];
  knownAgents: () => readonly AgentSummary[];
};

/** The functions of this floor that its hosted agents may use. */
export function createHostApi({ self, log, catalogue, receive, knownAgents }: HostApiSources): HostApi {
  return {
    floorUri: () => self.speakerUri,
    readHistory: createLogMemory(log),
    async send(envelope, speakerUri) {
      const text = JSON.stringify(encodeEnvelope(envelope, "1.1", {}).document);
      // A hosted agent needs no credential, and may speak only as itself.
      const principal: Principal = { id: `hosted ${speakerUri}`, kind: "agent", speakers: [speakerUri], scopes: [] };
      await receive({ document: jsonTextOf(text), principal });
    },
    knownAgents,
    catalogue: {
      manifests: () => catalogue.manifests(),
      keepManifests: (change) => catalogue.keepManifests(change),
    },
  };
}

/** The agents that the floor knows, in the form for hosted agents. */
export function agentSummaries({ all, isAdded }: Pick<AgentRegistry, "all" | "isAdded">): AgentSummary[] {
  return all().map((agent) => summaryOf(agent, isAdded(agent.serviceUrl)));
}

function summaryOf(agent: KnownAgent, isAdded: boolean): AgentSummary {
  const { serviceUrl, health, askedAt, manifest, manifestAt, isHosted } = agent;
  return {
    serviceUrl,
    health,
    askedAt,
    ...(manifest && { manifest }),
    ...(manifestAt && { manifestAt }),
    ...(isHosted && { isHosted }),
    ...(isAdded && { isAdded }),
  };
}

/** Limits the result for long conversations: older entries are left out. */
const recalledMax: LogEndMax = { entriesMax: 2_000, charsMax: 8 * 1_048_576 };

/** Lets hosted agents read what they may see of the log: it survives a restart, and omits erased text. */
export function createLogMemory(log: Pick<ConversationLog, "load" | "entries">): ReadHistory {
  return async (conversationId, speakerUri) => {
    const floor = await log.load(conversationId);
    if (floor === undefined) return [];
    const reader = readerFor(floor, speakerUri);
    const seated = floor.conversants.map(({ identification: { speakerUri: name } }) => ({
      name,
      reader: readerFor(floor, name),
    }));
    const names = new Map<string, string>();
    const remembered = await endOfLog(log, floor, recalledMax, (entry): HistoryEntry | undefined => {
      learnName(entry, names);
      const seen = maySee(entry, reader) ? eventIn(entry, reader) : undefined;
      if (seen === undefined) return undefined;
      const audience = seated.filter((one) => maySee(entry, one.reader)).map(({ name }) => name);
      return { at: entry.at, ...seen, audience };
    });
    return remembered.flatMap((one) => {
      const name = one && names.get(one.sender);
      return one === undefined ? [] : [{ ...one, ...(name !== undefined && { name }) }];
    });
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

function eventIn(entry: Entry, reader: Reader): Pick<HistoryEntry, "sender" | "event"> | undefined {
  if (entry.kind === "event") return { sender: entry.sender, event: eventFor(entry.event, entry.sender, reader) };
  // The host seats people without an invite: the agent sees it as an accepted invite.
  const isSeating = entry.kind === "seated" && entry.because.startsWith("command/seat/");
  return isSeating ? { sender: entry.seat.identification.speakerUri, event: acceptInvite() } : undefined;
}
