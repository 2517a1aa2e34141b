import {
  apply,
  drift,
  type Entry,
  emptyFloor,
  type Floor,
  fold,
  problemsOfFloor,
  problemsOfStep,
} from "@plenary/floor";
import { emptyTexts } from "./empty-texts.ts";
import type { Acknowledged, Answered, Evidence, Log, Outage, ReceivedEnvelope, Secret, Viewed } from "./evidence.ts";
import { utteranceIds } from "./raw-envelope.ts";

// The invariants of a whole floor (RELIABILITY.md). Each function takes plain data and returns the violations. `replay`
// also checks I6 to I8.

type Problems = readonly string[];

/** I1: after recovery the log contains every acknowledged entry and utterance, unchanged. */
export function lostAcknowledgements(acknowledged: readonly Acknowledged[], logs: readonly Log[]): Problems {
  return logs.flatMap(({ conversationId, entries }) => {
    const stored = new Set(
      entries.flatMap((entry) => (entry.kind === "received" ? utteranceIds(entry.events).map(withoutMark) : [])),
    );
    return acknowledged
      .filter((one) => one.conversationId === conversationId)
      .flatMap((one) => [
        ...one.entries
          .filter((entry) => JSON.stringify(entries[entry.seq - 1]) !== JSON.stringify(entry))
          .map(({ seq, kind }) => `I1: ${conversationId} acknowledged entry ${seq} (${kind}) and lost it`),
        ...one.utteranceIds
          .filter((id) => !stored.has(id))
          .map((id) => `I1: ${conversationId} acknowledged utterance ${id} and lost it`),
      ]);
  });
}

/** An id that was already in use gets a suffix (D29). */
function withoutMark(id: string): string {
  return id.replace(/~\d+\.\d+$/u, "");
}

/** I2, I6 to I10 and I12: the log has no gap, each step is valid, and its result equals the stored floor. */
export function replay({ conversationId, entries, loaded, atHead }: Log): Problems {
  let floor: Floor = emptyFloor(conversationId);
  const problems: string[] = [];
  for (const entry of entries) {
    const before = floor;
    floor = apply(before, entry);
    problems.push(
      ...problemsOfStep(before, entry, floor).map((problem) => `${conversationId} ${entry.seq}: ${problem}`),
    );
  }
  problems.push(...problemsOfFloor(floor).map((problem) => `I13: ${conversationId}: ${problem}`));
  if (loaded !== undefined)
    problems.push(...drift(floor, loaded).map((problem) => `I12: ${conversationId}: ${problem}`));
  if (atHead !== undefined)
    problems.push(...drift(floor, atHead).map((problem) => `I12: ${conversationId}: ${problem}`));
  if (entries.length > 0 && (loaded === undefined || atHead === undefined))
    problems.push(`I12: ${conversationId} is gone`);
  return problems;
}

/** I3 and I9 for agents: each received delivery is in the log, for this agent and in order. Repetitions are allowed. */
export function wrongDeliveries(
  received: readonly ReceivedEnvelope[],
  logs: readonly Log[],
  { isOneNode }: { isOneNode: boolean },
): Problems {
  const recipients = new Map(logs.map(({ conversationId, entries }) => [conversationId, addressees(entries)]));
  const newest = new Map<string, number>();
  const seenBefore = new Set<string>();
  return received.flatMap((one) => {
    const { serviceUrl, speakerUri, conversationId, delivery, by } = one;
    // Manifest requests are not in the log (D14).
    if (delivery.startsWith("manifest")) return [];
    const to = recipients.get(conversationId)?.get(delivery);
    if (to === undefined) return [`I3: ${speakerUri} got ${delivery} of ${conversationId}, which is not in the log`];
    if (to !== speakerUri && to !== serviceUrl) return [`I9: ${speakerUri} got ${delivery}, which was for ${to}`];
    const key = JSON.stringify([serviceUrl, conversationId, isOneNode ? "" : by]);
    const label = JSON.stringify([key, delivery]);
    if (seenBefore.has(label)) return [];
    seenBefore.add(label);
    const position = positionOf(delivery);
    const isBehind = position < (newest.get(key) ?? 0);
    newest.set(key, Math.max(position, newest.get(key) ?? 0));
    return isBehind ? [`I3: ${speakerUri} got ${delivery} of ${conversationId} after a later one, by ${by}`] : [];
  });
}

/** The recipient of each delivery of a log. */
function addressees(entries: readonly Entry[]): Map<string, string> {
  const to = new Map<string, string>();
  for (const entry of entries) {
    if (entry.kind === "event") for (const one of entry.deliveries) to.set(one.id, one.to);
    else if (entry.kind === "parked" || entry.kind === "forwarded") {
      if (entry.delivery !== undefined) to.set(entry.delivery.id, entry.delivery.to);
    }
  }
  return to;
}

/** `d17.2` is the third envelope of the decision that begins with entry 17. */
function positionOf(delivery: string): number {
  const [seq = 0, index = 0] = delivery.slice(1).split(".").map(Number);
  return seq * 1_000 + index;
}

/** I3 for viewers: a viewer gets each event that it may see, once and in order. */
export function wrongViews(viewed: readonly Viewed[], logs: readonly Log[]): Problems {
  const speakers = [...new Set(viewed.map(({ speakerUri }) => speakerUri))];
  return logs.flatMap(({ conversationId, entries }) =>
    speakers.flatMap((speakerUri) => {
      const seen = viewed.filter((one) => one.conversationId === conversationId && one.speakerUri === speakerUri);
      if (seen.length === 0) return [];
      const actual = seen.map(({ seq }) => seq);
      const visible = entries.filter((entry) => entry.kind === "event" && entry.audience.includes(speakerUri));
      const expected = visible.map(({ seq }) => seq);
      if (JSON.stringify(actual) !== JSON.stringify(expected)) {
        return [`I3: ${speakerUri} saw ${actual} of ${conversationId} and should have seen ${expected}`];
      }
      const isChanged = seen.some(({ text }, index) => !isOfEntry(text, visible[index]));
      return isChanged ? [`I3: ${speakerUri} saw something else than the log of ${conversationId} has`] : [];
    }),
  );
}

function isOfEntry(text: string, entry: Entry | undefined): boolean {
  if (entry?.kind !== "event") return false;
  const [event] = (JSON.parse(text) as { openFloor: { events: { eventType: string; parameters?: unknown }[] } })
    .openFloor.events;
  if (event?.eventType !== entry.event.eventType) return false;
  return JSON.stringify(utteranceIds([event])) === JSON.stringify(utteranceIds([entry.event]));
}

/** I4: no utterance takes effect twice, and no delivery is answered twice. */
export function duplicateEffects({ conversationId, entries }: Log): Problems {
  const utterances = entries.flatMap((entry) =>
    entry.kind === "event" ? utteranceIds([entry.event]).map((id) => `utterance ${id} of ${entry.sender}`) : [],
  );
  const ended = entries.flatMap((entry) => {
    if (entry.kind === "received" && entry.answers !== undefined) return [`delivery ${entry.answers}`];
    return entry.kind === "missed" ? [`delivery ${entry.delivery}`] : [];
  });
  return [...repeated(utterances), ...repeated(ended)].map((one) => `I4: ${conversationId}: ${one} took effect twice`);
}

function repeated(names: readonly string[]): string[] {
  const seenBefore = new Set<string>();
  return names.filter((label) => seenBefore.has(label) || !seenBefore.add(label));
}

/** I5: only the sender and the addressee of a whisper receive its text. */
export function leakedWhispers(
  secrets: readonly Secret[],
  received: readonly { speakerUri: string; text: string }[],
): Problems {
  const mayKnow = new Map(secrets.map((secret) => [secret.word, secret.mayKnow]));
  return received.flatMap(({ speakerUri, text }) =>
    (text.match(/secret-\d+-/gu) ?? [])
      .filter((word) => mayKnow.get(word)?.includes(speakerUri) !== true)
      .map((word) => `I5: ${speakerUri} got ${word}`),
  );
}

/** Spec 2.2: with the policy `spec` a convener also receives the whispers that it decides about. */
function isSpecDelegation({ conversationId, delivery }: ReceivedEnvelope, logs: readonly Log[]): boolean {
  const entries = logs.find((log) => log.conversationId === conversationId)?.entries ?? [];
  const [opened] = entries;
  if (opened?.kind !== "opened" || opened.options.policy !== "spec") return false;
  return entries.some((entry) => entry.kind === "parked" && entry.delivery?.id === delivery);
}

/** I10: each incoming event and each event of the floor goes to each conversant at most once. */
export function amplification({ conversationId, entries }: Log): Problems {
  let conversants = 0;
  let [inbound, own, outbound] = [0, 0, 0];
  let floor = emptyFloor(conversationId);
  for (const entry of entries) {
    floor = apply(floor, entry);
    conversants = Math.max(conversants, floor.conversants.length);
    if (entry.kind === "received") inbound += entry.events.length;
    if (entry.kind !== "event") continue;
    outbound += entry.deliveries.length;
    if (entry.sender === floor.self.speakerUri) own += 1;
  }
  if (outbound <= (inbound + own) * conversants) return [];
  return [`I10: ${conversationId}: ${outbound} events out of ${inbound} in, for ${conversants}, with ${own} own`];
}

/** Time limits of a delivery from its start, without and with an answer promised for later. */
export type Deadlines = { deliveryMs: number; promisedMs: number };

const slackMs = 60_000;

/**
 * I11: every row of the outbox ends in time. The time starts when the row is durable, the delivery before it in its queue
 * has ended, and the last outage is over.
 */
export function lateDeliveries(
  { rows, outages, promised }: Pick<Evidence, "rows" | "outages" | "promised">,
  { deliveryMs, promisedMs }: Deadlines,
): Problems {
  const endedAt = new Map<string, number>();
  return rows.flatMap(({ conversationId, delivery, serviceUrl, writtenAtMs, endedAtMs }) => {
    const label = `${delivery} of ${conversationId} to ${serviceUrl}`;
    const queue = JSON.stringify([conversationId, serviceUrl]);
    const turnMs = Math.max(writtenAtMs, endedAt.get(queue) ?? 0);
    endedAt.set(queue, Math.max(endedAt.get(queue) ?? 0, endedAtMs ?? 0));
    if (endedAtMs === undefined) return [`I11: ${label} never ended`];
    const limitMs = (promised.has(`${conversationId} ${delivery}`) ? promisedMs : deliveryMs) + slackMs;
    const lateMs = endedAtMs - lastOutage(outages, turnMs, endedAtMs) - limitMs;
    return lateMs > 0 ? [`I11: ${label} ended ${lateMs} ms late`] : [];
  });
}

/** The end of the last outage before `toMs`, or `fromMs` if that is later. */
function lastOutage(outages: readonly Outage[], fromMs: number, toMs: number): number {
  return outages.reduce((latest, outage) => (outage.toMs <= toMs ? Math.max(latest, outage.toMs) : latest), fromMs);
}

/** I13: an event parked for the convener is unparked by the deadline. */
export function lateConvenerDecisions(
  { conversationId, entries }: Log,
  { outages, wroteAtMs }: Pick<Evidence, "outages" | "wroteAtMs">,
): Problems {
  const at = (seq: number) => wroteAtMs.get(`${conversationId} ${seq}`) ?? 0;
  const ends = new Map(entries.flatMap((entry) => (entry.kind === "unparked" ? [[entry.parkedSeq, entry.seq]] : [])));
  const opened = entries.find((entry) => entry.kind === "opened");
  const deadlineMs = opened?.options.convenerDeadlineMs ?? 0;
  const closed = entries.find(({ kind }) => kind === "closed")?.seq;
  return entries.flatMap((entry) => {
    if (entry.kind !== "parked" || entry.delivery === undefined) return [];
    const end = ends.get(entry.seq) ?? closed;
    if (end === undefined) return [`I13: ${conversationId}: envelope ${entry.seq} is parked for ever`];
    const lateMs = at(end) - lastOutage(outages, at(entry.seq), at(end)) - deadlineMs - slackMs;
    return lateMs > 0 ? [`I13: ${conversationId}: envelope ${entry.seq} was parked ${lateMs} ms too long`] : [];
  });
}

/** D6: the convener is asked about an event only once. */
export function repeatedDelegations({ conversationId, entries }: Log): Problems {
  const parked = entries.flatMap((entry) => (entry.kind === "parked" && entry.event !== undefined ? [entry] : []));
  const bySeq = new Map(parked.map((entry) => [entry.seq, entry]));
  return parked.flatMap(({ seq, causedBy = 0, event }) => {
    const before = bySeq.get(causedBy);
    const text = JSON.stringify(event);
    if (before === undefined || JSON.stringify(before.event) !== text) return [];
    if (before.rest.some((one) => JSON.stringify(one) === text)) return [];
    return [`D6: ${conversationId}: entry ${seq} asks the convener again about ${before.seq}`];
  });
}

/** D11: the convener or the floor answers each request for the floor. */
export function unansweredRequests({ conversationId, entries }: Log): Problems {
  const { held } = fold(conversationId, entries);
  return held.map(({ speakerUri }) => `I13: ${conversationId}: the request of ${speakerUri} is held for ever`);
}

const answerMs = 10_000;

/** I13: a running floor acknowledges an envelope in time, whatever else is queued. */
export function slowReceipts(answered: readonly Answered[]): Problems {
  return answered
    .filter(({ sentAtMs, answeredAtMs }) => answeredAtMs - sentAtMs > answerMs)
    .map(({ conversationId, sentAtMs, answeredAtMs }) => {
      return `I13: ${conversationId} took ${answeredAtMs - sentAtMs} ms to answer an envelope`;
    });
}

/** All violations. */
export function problemsOf(evidence: Evidence, about: Deadlines & { isOneNode: boolean }): Problems {
  const { acknowledged, logs, received, viewed, secrets, answered, errors } = evidence;
  return [
    ...lostAcknowledgements(acknowledged, logs),
    ...logs.flatMap((log) => [
      ...replay(log),
      ...duplicateEffects(log),
      ...amplification(log),
      ...lateConvenerDecisions(log, evidence),
      ...unansweredRequests(log),
      ...repeatedDelegations(log),
    ]),
    ...wrongDeliveries(received, logs, about),
    ...wrongViews(viewed, logs),
    ...leakedWhispers(secrets, [...received.filter((one) => !isSpecDelegation(one, logs)), ...viewed]),
    ...emptyTexts([...received, ...viewed]),
    ...lateDeliveries(evidence, about),
    ...slowReceipts(answered),
    ...errors.map((error) => `unexpected: ${error}`),
  ];
}
