// What must hold of a log after any failure of the floor, the network or the readers. Each check returns a list of
// violations.

import type { Json } from "../support/envelopes.ts";
import { get } from "./raw-http.ts";
import type { Heard } from "./reconnecting-viewers.ts";
import { authorization, type Talker } from "./senders.ts";

export type LogEntry = { seq: number; kind: string; sender?: string; event?: Json; answers?: string };

export async function readLog(url: string, conversation: string, speaker: string): Promise<LogEntry[]> {
  const entries: LogEntry[] = [];
  for (let after = 0; ; ) {
    const query = new URLSearchParams({ after: String(after), limit: "1000", speaker });
    const { status, text } = await get(`${url}/api/v1/conversations/${conversation}/log?${query}`, authorization);
    if (status !== 200) throw new Error(`${conversation}: ${status} ${text}`);
    const page = (JSON.parse(text) as { entries: LogEntry[] }).entries;
    entries.push(...page);
    const last = page.at(-1);
    if (last === undefined) return entries;
    after = last.seq;
  }
}

export function dialogEventOf({ event }: LogEntry): { id: string; text: string } | undefined {
  if (event?.eventType !== "utterance") return undefined;
  const { dialogEvent } = event.parameters as { dialogEvent: { id: string; features: Json } };
  const { tokens = [] } = (dialogEvent.features.text ?? {}) as { tokens?: { value: string }[] };
  return { id: dialogEvent.id, text: tokens.map(({ value }) => value).join("") };
}

const effectsIn = (log: readonly LogEntry[]) => log.filter(({ kind }) => kind === "event");

/** Invariant 2. */
export function gaps(log: readonly LogEntry[]): string[] {
  return log.flatMap(({ seq }, index) => (seq === index + 1 ? [] : [`entry ${index + 1} is numbered ${seq}`]));
}

/** Invariant 1: each acknowledged utterance is in the log, at the place the acknowledgement named. */
export function lost(log: readonly LogEntry[], { acknowledged, speaker }: Talker): string[] {
  const places = new Map<string, number>();
  for (const entry of effectsIn(log)) {
    if (entry.sender === speaker) places.set(dialogEventOf(entry)?.id ?? "", entry.seq);
  }
  return acknowledged.flatMap(({ dialogEventId, seq }) => {
    const place = places.get(dialogEventId);
    if (place === undefined) return [`${dialogEventId} was acknowledged and is not in the log`];
    const isThere = seq === undefined || (seq.first <= place && place <= seq.last);
    return isThere ? [] : [`${dialogEventId} was acknowledged at ${seq.first}-${seq.last} and is at ${place}`];
  });
}

/** Invariant 4: no dialogEvent.id of a sender, and no answer to a delivery, has two effects. */
export function doubled(log: readonly LogEntry[]): string[] {
  const seen = new Set<string>();
  const twice: string[] = [];
  const note = (key: string) => {
    if (seen.has(key)) twice.push(`${key} took effect twice`);
    seen.add(key);
  };
  for (const entry of effectsIn(log)) {
    const spoken = dialogEventOf(entry);
    if (spoken === undefined) continue;
    note(`${entry.sender} ${spoken.id}`);
    if (spoken.text.startsWith("re ")) note(`${entry.sender} ${spoken.text}`);
  }
  for (const { kind, answers } of log) if (kind === "received" && answers !== undefined) note(`answer to ${answers}`);
  return twice;
}

/** A sender's envelopes took effect in the order in which they were sent. */
export function disordered(log: readonly LogEntry[], { acknowledged, speaker }: Talker): string[] {
  const inLog = effectsIn(log).flatMap((entry) => (entry.sender === speaker ? (dialogEventOf(entry)?.id ?? []) : []));
  const wanted = acknowledged.map(({ dialogEventId }) => dialogEventId);
  const at = wanted.findIndex((id, index) => inLog[index] !== id);
  return at === -1 ? [] : [`${speaker}: ${wanted[at]} was number ${at}, the log has ${inLog[at]} there`];
}

/** Invariant 3: a viewer got every effect it may see once, in order, and nothing that is not in the log. */
export function missedBy(log: readonly LogEntry[], heard: readonly Heard[]): string[] {
  const wanted = effectsIn(log);
  const problems: string[] = [];
  for (const [index, { seq, text }] of heard.entries()) {
    const entry = wanted[index];
    if (entry?.seq !== seq) return [`frame ${index} is entry ${seq}, it should be ${entry?.seq}`];
    const spoken = dialogEventOf(entry);
    if (spoken !== undefined && !text.includes(JSON.stringify(spoken.id)))
      problems.push(`entry ${seq} was shown otherwise`);
  }
  if (heard.length !== wanted.length) problems.push(`${heard.length} frames of ${wanted.length} effects`);
  return problems;
}

export type Delivered = { utterance?: string; by: string };

/** Each utterance of a person was answered once by each agent. Answers name their delivery in their text. */
export function unanswered(
  log: readonly LogEntry[],
  { speaker }: Talker,
  agents: readonly string[],
  deliveries: ReadonlyMap<string, Delivered>,
): string[] {
  const answers = new Map<string, number>();
  for (const entry of effectsIn(log)) {
    const text = dialogEventOf(entry)?.text;
    const delivery = text?.startsWith("re ") ? deliveries.get(text.slice(3)) : undefined;
    if (delivery === undefined) continue;
    const key = `${delivery.utterance} by ${delivery.by}`;
    answers.set(key, (answers.get(key) ?? 0) + 1);
  }
  return effectsIn(log).flatMap((entry) => {
    const spoken = entry.sender === speaker ? dialogEventOf(entry) : undefined;
    if (spoken === undefined) return [];
    const keys = agents.map((agent) => `${spoken.id} by ${agent}`);
    return keys.flatMap((key) => (answers.get(key) === 1 ? [] : [`${answers.get(key) ?? 0} answers to ${key}`]));
  });
}
