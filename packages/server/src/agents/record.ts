import type { Dialect, Manifest, RuleId } from "@plenary/protocol";
import { type Behaviour, type BrokenRule, quirkWords } from "../ports/broken-rules.ts";
import type { Outcome } from "../ports/outbound.ts";

/** answering: its last answer was one. silent: nothing came back. failing: what came back was no answer. */
type AgentHealth = "answering" | "silent" | "failing";

/** Why it does not answer: a code for programs, a line for people. */
export type Trouble = { code: string; detail: string };

/**
 * A rule that its documents broke, `count` of them, or something it did `count` times. Not how: that would quote what was
 * said in some conversation.
 */
export type Quirk = {
  rule: RuleId | Behaviour;
  /** False: what was wrong in the newest of them had to be left out. */
  isRepaired: boolean;
  count: number;
  lastAt: string;
};

/** What was learned of the agent at one address. Times are RFC 3339. */
export type AgentRecord = {
  serviceUrl: string;
  /** hosted: in this process. socket: it connects to us, and is reached at its relay address. */
  place: "elsewhere" | "hosted" | "socket";
  health: AgentHealth;
  /** When it came to be so. */
  since: string;
  trouble?: Trouble;
  failuresInARow: number;
  askedAt: string;
  lastAnsweredAt?: string;
  /** The last good one. */
  manifest?: Manifest;
  manifestAt?: string;
  /** Its size; without `manifest`, of one that is too large to be kept. */
  manifestBytes?: number;
  /** Of the newest exchanges, the newest last. */
  latenciesMs: readonly number[];
  dialect?: Dialect;
  /** When it was last found by trying, from the newest dialect on. */
  dialectFoundAt?: string;
  quirks: readonly Quirk[];
  /** Somebody asked for it to be known. */
  isAdded?: true;
};

const manifestBytesMax = 65_536;
const latenciesMax = 64;
const quirksMax = 32;
const detailMax = 300;

export function newRecord(serviceUrl: string, place: AgentRecord["place"], at: string): AgentRecord {
  return {
    ...{ serviceUrl, place, health: "silent", since: at, failuresInARow: 0, askedAt: at },
    ...{ latenciesMs: [], quirks: [] },
  };
}

/** Codes of failures in which nothing came back. */
const silences = new Set(["refused-url", "refused-address", "unreachable", "timeout", "not-connected"]);

/** How an exchange ended, as far as it says something about whoever was asked. */
export function isTelling(outcome: Outcome): boolean {
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
  if (!isTelling(outcome) || outcome.kind === "aborted") return record;
  if (outcome.kind === "failure") return afterFailure(record, outcome, at);
  const { trouble: _, ...others } = record;
  const since = record.health === "answering" ? record.since : at;
  const answered = {
    ...others,
    health: "answering",
    since,
    failuresInARow: 0,
    askedAt: at,
    lastAnsweredAt: at,
  } as const;
  if (outcome.kind === "later") return answered;
  const { dialect, encounter } = outcome;
  const { tookMs, issues = [], isDialectFound = false } = encounter ?? {};
  return {
    ...answered,
    ...(tookMs !== undefined && { latenciesMs: [...record.latenciesMs, tookMs].slice(-latenciesMax) }),
    // Who is spoken to in an older dialect answers in it, and may know a newer one all the same.
    ...((isDialectFound || record.dialect === undefined) && { dialect }),
    ...(isDialectFound && { dialectFoundAt: at }),
    ...(issues.length > 0 && { quirks: withIssues(record.quirks, issues, at) }),
  };
}

function afterFailure(record: AgentRecord, failed: Outcome & { kind: "failure" }, at: string): AgentRecord {
  const { failure, code = failure, detail } = failed;
  const health = silences.has(code) ? "silent" : "failing";
  const isNews = record.health !== health || record.trouble === undefined;
  return {
    ...record,
    ...{ health, since: isNews ? at : record.since, askedAt: at },
    // Whoever reads it knows the address already.
    trouble: { code, detail: detail.replace(`${record.serviceUrl}: `, "").slice(0, detailMax) },
    failuresInARow: record.failuresInARow + 1,
  };
}

/** Each rule counts once in a document, however often it is broken there. */
function withIssues(quirks: readonly Quirk[], issues: readonly BrokenRule[], at: string): readonly Quirk[] {
  const broken = [...new Set(issues.map((issue) => issue.rule))];
  return broken.reduce((before, rule) => {
    const isRepaired = issues.every((issue) => issue.rule !== rule || issue.repaired);
    return withQuirk(before, { rule, isRepaired, lastAt: at });
  }, quirks);
}

/** The newest stands last. Of too many the one not met longest goes. */
function withQuirk(quirks: readonly Quirk[], met: Omit<Quirk, "count">): readonly Quirk[] {
  const count = (quirks.find(({ rule }) => rule === met.rule)?.count ?? 0) + 1;
  return [...quirks.filter(({ rule }) => rule !== met.rule), { ...met, count }].slice(-quirksMax);
}

export function withBehaviour(record: AgentRecord, rule: Behaviour, at: string): AgentRecord {
  return { ...record, quirks: withQuirk(record.quirks, { rule, isRepaired: true, lastAt: at }) };
}

/** The newest good one. One that is too large is not kept, and that is said. */
export function withManifest(record: AgentRecord, manifest: Manifest, at: string): AgentRecord {
  const { manifest: _, ...others } = record;
  const manifestBytes = Buffer.byteLength(JSON.stringify(manifest));
  return { ...others, ...(manifestBytes <= manifestBytesMax && { manifest }), manifestAt: at, manifestBytes };
}

const formatVersion = 1;

export function toText(record: AgentRecord): string {
  return JSON.stringify({ version: formatVersion, record });
}

/** Undefined when it was written by a Plenary that knew agents in another way: it is learned anew. */
export function fromText(text: string): AgentRecord | undefined {
  try {
    const { version, record }: { version?: number; record?: AgentRecord } = JSON.parse(text) ?? {};
    if (version !== formatVersion || record === undefined) return undefined;
    // A rule may have been renamed since.
    return { ...record, quirks: record.quirks.filter(({ rule }) => Object.hasOwn(quirkWords, rule)) };
  } catch {
    return undefined;
  }
}
