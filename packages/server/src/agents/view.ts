import { quirkWords } from "../ports/broken-rules.ts";
import type { AgentProblem, AgentRecord, Quirk } from "./record.ts";

/** A known agent in the host interface. Times are RFC 3339. */
export type KnownAgent = Omit<AgentRecord, "place" | "latenciesMs" | "dialectFoundAt" | "quirks"> & {
  /** Over the latest `of` exchanges. */
  latencyMs?: { last: number; p50: number; p95: number; of: number };
  /** Most recent first. */
  quirks: readonly KnownQuirk[];
  /** It runs in this process. */
  isHosted?: true;
  /** Its socket is open. */
  isConnected?: true;
};

/** With the texts of the rule. */
export type KnownQuirk = Quirk & { says: string; fix: string; spec: string };

const notConnected: AgentProblem = { code: "not-connected", detail: "its socket is not connected" };

export function knownAgentOf(record: AgentRecord, isConnected: boolean): KnownAgent {
  const { place, latenciesMs, quirks, dialectFoundAt: _, isAdded: __, ...others } = record;
  const latencyMs = latencyOf(latenciesMs);
  const isAway = place === "socket" && !isConnected;
  return {
    ...others,
    ...(isAway && { health: "silent", trouble: notConnected }),
    ...(latencyMs && { latencyMs }),
    quirks: quirks.toReversed().map((quirk) => ({ ...quirk, ...quirkWords[quirk.rule] })),
    ...(place === "hosted" && { isHosted: true }),
    ...(isConnected && { isConnected: true }),
  };
}

function latencyOf(latenciesMs: readonly number[]): KnownAgent["latencyMs"] {
  const last = latenciesMs.at(-1);
  if (last === undefined) return undefined;
  const sorted = latenciesMs.toSorted((one, other) => one - other);
  // Nearest rank: always one that was measured.
  const rank = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? last;
  return { last, p50: rank(0.5), p95: rank(0.95), of: sorted.length };
}

/** Connected agents, hosted agents, others, then conveners; within each group by name, then by address. */
export function inOrder(agents: readonly KnownAgent[]): KnownAgent[] {
  return agents.toSorted(
    (one, other) =>
      rankOf(one) - rankOf(other) || order(nameOf(one), nameOf(other)) || order(one.serviceUrl, other.serviceUrl),
  );
}

function rankOf({ isConnected, isHosted, manifest }: KnownAgent): number {
  if (manifest?.identification.openFloorRoles?.convener === true) return 3;
  if (isConnected) return 0;
  return isHosted ? 1 : 2;
}

function nameOf({ manifest, serviceUrl }: KnownAgent): string {
  return (manifest?.identification.conversationalName || serviceUrl).toLowerCase();
}

/** By code units: the same on every machine. */
function order(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
