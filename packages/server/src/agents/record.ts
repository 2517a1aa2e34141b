import type { Dialect, Manifest, RuleId } from "@plenary/protocol";
import { type Behaviour, type BrokenRule, type Outcome, quirkWords } from "../ports/outbound.ts";

/** answering: the last answer was valid. silent: there was no response. failing: the response was not an answer. */
type AgentHealth = "answering" | "silent" | "failing";

/** Why it does not answer: a code for programs, a text for people. */
type AgentProblem = { code: string; detail: string };

/**
 * A rule that `count` of its documents broke, or a behaviour seen `count` times. Without details, which could quote a
 * conversation.
 */
type Quirk = {
  rule: RuleId | Behaviour;
  /** False: the invalid part of the newest document was left out. */
  isRepaired: boolean;
  count: number;
  lastAt: string;
};

/** What the floor knows about the agent at one address. Times are RFC 3339. */
export type AgentRecord = {
  serviceUrl: string;
  /** hosted: in this process. socket: it connects to this floor, and is reached at its relay address. */
  place: "elsewhere" | "hosted" | "socket";
  health: AgentHealth;
  /** Start of the current health. */
  since: string;
  trouble?: AgentProblem;
  failuresInARow: number;
  askedAt: string;
  lastAnsweredAt?: string;
  /** The last valid manifest. */
  manifest?: Manifest;
  manifestAt?: string;
  /** Size of the manifest; also set when the manifest is too large to be stored. */
  manifestBytes?: number;
  /** Of the latest exchanges, newest last. */
  latenciesMs: readonly number[];
  dialect?: Dialect;
  /** When the dialect was last found by trying, from the newest on. */
  dialectFoundAt?: string;
  quirks: readonly Quirk[];
  /** It was added explicitly. */
  isAdded?: true;
};

const manifestBytesMax = 65_536;
const latenciesMax = 64;
const quirksMax = 32;
const detailMax = 300;

export function newRecord(serviceUrl: string, place: AgentRecord["place"], at: string): AgentRecord {
  return {
    serviceUrl,
    place,
    health: "silent",
    since: at,
    failuresInARow: 0,
    askedAt: at,
    latenciesMs: [],
    quirks: [],
  };
}

/** Codes of failures without a response. */
const noResponseCodes = new Set(["refused-url", "refused-address", "unreachable", "timeout", "not-connected"]);

/** Whether an outcome says something about the agent. */
export function isInformative(outcome: Outcome): boolean {
  switch (outcome.kind) {
    case "envelope":
      return outcome.encounter !== undefined;
    case "failure":
      return outcome.code !== undefined;
    case "later":
      return true;
    case "aborted":
      return false;
  }
}

export function afterOutcome(record: AgentRecord, outcome: Outcome, at: string): AgentRecord {
  if (!isInformative(outcome) || outcome.kind === "aborted") return record;
  if (outcome.kind === "failure") return afterFailure(record, outcome, at);
  const since = record.health === "answering" ? record.since : at;
  const answered: AgentRecord = {
    ...withoutTrouble(record),
    health: "answering",
    since,
    failuresInARow: 0,
    askedAt: at,
    lastAnsweredAt: at,
  };
  if (outcome.kind === "later") return answered;
  const { dialect, encounter } = outcome;
  const { tookMs, issues = [], isDialectFound = false } = encounter ?? {};
  if (tookMs !== undefined) answered.latenciesMs = [...record.latenciesMs.slice(1 - latenciesMax), tookMs];
  // An agent answers in the dialect of the request, even if it understands a newer one.
  if (isDialectFound || record.dialect === undefined) answered.dialect = dialect;
  if (isDialectFound) answered.dialectFoundAt = at;
  if (issues.length > 0) answered.quirks = withIssues(record.quirks, issues, at);
  return answered;
}

function withoutTrouble(record: AgentRecord): AgentRecord {
  if (record.trouble === undefined) return record;
  const { trouble: _, ...others } = record;
  return others;
}

function afterFailure(record: AgentRecord, failed: Outcome & { kind: "failure" }, at: string): AgentRecord {
  const { failure, code = failure, detail } = failed;
  const health = noResponseCodes.has(code) ? "silent" : "failing";
  const isNews = record.health !== health || record.trouble === undefined;
  return {
    ...record,
    health,
    since: isNews ? at : record.since,
    askedAt: at,
    // The reader knows the address already.
    trouble: { code, detail: detail.replace(`${record.serviceUrl}: `, "").slice(0, detailMax) },
    failuresInARow: record.failuresInARow + 1,
  };
}

/** Each rule counts once per document. */
function withIssues(quirks: readonly Quirk[], issues: readonly BrokenRule[], at: string): readonly Quirk[] {
  const broken = [...new Set(issues.map((issue) => issue.rule))];
  return broken.reduce((before, rule) => {
    const isRepaired = issues.every((issue) => issue.rule !== rule || issue.repaired);
    return withQuirk(before, { rule, isRepaired, lastAt: at });
  }, quirks);
}

/** Ordered by last occurrence, newest last. The oldest is dropped first. */
function withQuirk(quirks: readonly Quirk[], met: Omit<Quirk, "count">): readonly Quirk[] {
  const count = (quirks.find(({ rule }) => rule === met.rule)?.count ?? 0) + 1;
  return [...quirks.filter(({ rule }) => rule !== met.rule), { ...met, count }].slice(-quirksMax);
}

export function withBehaviour(record: AgentRecord, rule: Behaviour, at: string): AgentRecord {
  return { ...record, quirks: withQuirk(record.quirks, { rule, isRepaired: true, lastAt: at }) };
}

/** Stores the newest valid manifest. Of one that is too large only its size is stored. */
export function withManifest(record: AgentRecord, manifest: Manifest, at: string): AgentRecord {
  const { manifest: _, ...others } = record;
  const manifestBytes = Buffer.byteLength(JSON.stringify(manifest));
  return { ...others, ...(manifestBytes <= manifestBytesMax && { manifest }), manifestAt: at, manifestBytes };
}

const formatVersion = 1;

export function toText(record: AgentRecord): string {
  return JSON.stringify({ version: formatVersion, record });
}

/** Undefined for another format version: the record is then built again. */
export function fromText(text: string): AgentRecord | undefined {
  try {
    const { version, record }: { version?: number; record?: AgentRecord } = JSON.parse(text) ?? {};
    if (version !== formatVersion || record === undefined) return undefined;
    // A rule may have been renamed since it was stored.
    return { ...record, quirks: record.quirks.filter(({ rule }) => Object.hasOwn(quirkWords, rule)) };
  } catch {
    return undefined;
  }
}

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
