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
import type { Acknowledged, Answered, Evidence, Heard, Log, Outage, Secret, Viewed } from "./evidence.ts";
import { utteranceIds } from "./wire.ts";

// What must hold of a whole floor, whatever happened to it, by the numbers of the reliability programme. Each function
// takes plain data and says what is wrong; nothing is wrong when it says nothing. I6 to I8 are among the steps of `replay`.

type Problems = readonly string[];

/** I1: what was acknowledged is in the log after recovery, as it was said to be. */
export function lostAcknowledgements(acknowledged: readonly Acknowledged[], logs: readonly Log[]): Problems {
  return logs.flatMap(({ conversationId, entries }) => {
    const brought = new Set(
      entries.flatMap((entry) => (entry.kind === "received" ? utteranceIds(entry.events).map(withoutMark) : [])),
    );
    return acknowledged
      .filter((one) => one.conversationId === conversationId)
      .flatMap((one) => [
        ...one.entries
          .filter((entry) => JSON.stringify(entries[entry.seq - 1]) !== JSON.stringify(entry))
          .map(({ seq, kind }) => `I1: ${conversationId} acknowledged entry ${seq} (${kind}) and lost it`),
        ...one.utteranceIds
          .filter((id) => !brought.has(id))
          .map((id) => `I1: ${conversationId} acknowledged utterance ${id} and lost it`),
      ]);
  });
}

/** An id that was taken is given a mark (D29). */
function withoutMark(id: string): string {
  return id.replace(/~\d+\.\d+$/u, "");
}

/** I2, I6 to I10 and I12: the log has no gap, each of its steps is sound, and it gives the floor that the store gives. */
export function replay({ conversationId, entries, loaded, atHead }: Log): Problems {
  let floor: Floor = emptyFloor(conversationId);
  const found: string[] = [];
  for (const entry of entries) {
    const before = floor;
    floor = apply(before, entry);
    found.push(...problemsOfStep(before, entry, floor).map((problem) => `${conversationId} ${entry.seq}: ${problem}`));
  }
  found.push(...problemsOfFloor(floor).map((problem) => `I13: ${conversationId}: ${problem}`));
  if (loaded !== undefined) found.push(...drift(floor, loaded).map((problem) => `I12: ${conversationId}: ${problem}`));
  if (atHead !== undefined) found.push(...drift(floor, atHead).map((problem) => `I12: ${conversationId}: ${problem}`));
  if (entries.length > 0 && (loaded === undefined || atHead === undefined))
    found.push(`I12: ${conversationId} is gone`);
  return found;
}

/** I3 and I9 for agents: what reached one is in the log, for it, and came in order. Repetitions may come at any time. */
export function wrongDeliveries(
  heard: readonly Heard[],
  logs: readonly Log[],
  { isOneNode }: { isOneNode: boolean },
): Problems {
  const meant = new Map(logs.map(({ conversationId, entries }) => [conversationId, addressees(entries)]));
  const newest = new Map<string, number>();
  const known = new Set<string>();
  return heard.flatMap((one) => {
    const { serviceUrl, speakerUri, conversationId, delivery, by } = one;
    // Beside the log (D14).
    if (delivery.startsWith("manifest")) return [];
    const to = meant.get(conversationId)?.get(delivery);
    if (to === undefined) return [`I3: ${speakerUri} got ${delivery} of ${conversationId}, which is not in the log`];
    if (to !== speakerUri && to !== serviceUrl) return [`I9: ${speakerUri} got ${delivery}, which was for ${to}`];
    const key = JSON.stringify([serviceUrl, conversationId, isOneNode ? "" : by]);
    const name = JSON.stringify([key, delivery]);
    if (known.has(name)) return [];
    known.add(name);
    const place = placeOf(delivery);
    const isBehind = place < (newest.get(key) ?? 0);
    newest.set(key, Math.max(place, newest.get(key) ?? 0));
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

/** `d17.2`: the third envelope of the decision that begins with entry 17. */
function placeOf(delivery: string): number {
  const [seq = 0, index = 0] = delivery.slice(1).split(".").map(Number);
  return seq * 1_000 + index;
}

/** I3 for viewers: each event that one may see, once, in order, and none is missing at the end. */
export function wrongViews(viewed: readonly Viewed[], logs: readonly Log[]): Problems {
  const speakers = [...new Set(viewed.map(({ speakerUri }) => speakerUri))];
  return logs.flatMap(({ conversationId, entries }) =>
    speakers.flatMap((speakerUri) => {
      const seen = viewed.filter((one) => one.conversationId === conversationId && one.speakerUri === speakerUri);
      if (seen.length === 0) return [];
      const got = seen.map(({ seq }) => seq);
      const due = entries.filter((entry) => entry.kind === "event" && entry.audience.includes(speakerUri));
      const expected = due.map(({ seq }) => seq);
      if (JSON.stringify(got) !== JSON.stringify(expected)) {
        return [`I3: ${speakerUri} saw ${got} of ${conversationId} and should have seen ${expected}`];
      }
      const isChanged = seen.some(({ text }, index) => !isOf(text, due[index]));
      return isChanged ? [`I3: ${speakerUri} saw something else than the log of ${conversationId} has`] : [];
    }),
  );
}

function isOf(text: string, entry: Entry | undefined): boolean {
  if (entry?.kind !== "event") return false;
  const [event] = (JSON.parse(text) as { openFloor: { events: { eventType: string; parameters?: unknown }[] } })
    .openFloor.events;
  if (event?.eventType !== entry.event.eventType) return false;
  return JSON.stringify(utteranceIds([event])) === JSON.stringify(utteranceIds([entry.event]));
}

/** I4: no utterance takes effect twice, and no delivery is answered twice. */
export function effectsTwice({ conversationId, entries }: Log): Problems {
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
  const known = new Set<string>();
  return names.filter((name) => known.has(name) || !known.add(name));
}

/** I5: the words of a whisper reach its sender and its addressee, and nobody else. */
export function overheard(
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

/** By the letter of 2.2 a convener is shown what it is asked about, whispers too (policy `spec`). */
function isSpecDelegation({ conversationId, delivery }: Heard, logs: readonly Log[]): boolean {
  const entries = logs.find((log) => log.conversationId === conversationId)?.entries ?? [];
  const [opened] = entries;
  if (opened?.kind !== "opened" || opened.options.policy !== "spec") return false;
  return entries.some((entry) => entry.kind === "parked" && entry.delivery?.id === delivery);
}

/** I10: what goes out is bounded by what came in: each event to each conversant once, and the floor's own words. */
export function amplified({ conversationId, entries }: Log): Problems {
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

/** How long one delivery may take from when its turn has come, and one whose answer was promised for later. */
export type Deadlines = { deliveryMs: number; promisedMs: number };

const slackMs = 60_000;

/**
 * I11: every row of the outbox ends. Counted from when its turn comes in its lane: it is durable, the one before it has
 * ended, and the process that carries it was started last.
 */
export function endlessRows(
  { rows, outages, promised }: Pick<Evidence, "rows" | "outages" | "promised">,
  { deliveryMs, promisedMs }: Deadlines,
): Problems {
  const endedAt = new Map<string, number>();
  return rows.flatMap(({ conversationId, delivery, serviceUrl, writtenAtMs, endedAtMs }) => {
    const name = `${delivery} of ${conversationId} to ${serviceUrl}`;
    const lane = JSON.stringify([conversationId, serviceUrl]);
    const turnMs = Math.max(writtenAtMs, endedAt.get(lane) ?? 0);
    endedAt.set(lane, Math.max(endedAt.get(lane) ?? 0, endedAtMs ?? 0));
    if (endedAtMs === undefined) return [`I11: ${name} never ended`];
    const mayTakeMs = (promised.has(`${conversationId} ${delivery}`) ? promisedMs : deliveryMs) + slackMs;
    const lateMs = endedAtMs - lastOutage(outages, turnMs, endedAtMs) - mayTakeMs;
    return lateMs > 0 ? [`I11: ${name} ended ${lateMs} ms late`] : [];
  });
}

/** The moment from which everything was well: `fromMs`, or the end of the last outage before `toMs`. */
function lastOutage(outages: readonly Outage[], fromMs: number, toMs: number): number {
  return outages.reduce((latest, outage) => (outage.toMs <= toMs ? Math.max(latest, outage.toMs) : latest), fromMs);
}

/** I13: what is with the convener comes back by the deadline. */
export function overdue(
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

/** D6: what the convener was asked about once, it is not asked about again. */
export function delegatedTwice({ conversationId, entries }: Log): Problems {
  const parked = entries.flatMap((entry) => (entry.kind === "parked" && entry.event !== undefined ? [entry] : []));
  const asked = new Map(parked.map((entry) => [entry.seq, entry]));
  return parked.flatMap(({ seq, causedBy = 0, event }) => {
    const before = asked.get(causedBy);
    const text = JSON.stringify(event);
    if (before === undefined || JSON.stringify(before.event) !== text) return [];
    if (before.rest.some((one) => JSON.stringify(one) === text)) return [];
    return [`D6: ${conversationId}: entry ${seq} asks the convener again about ${before.seq}`];
  });
}

/** D11: a request for the floor is answered, by the convener or by the floor itself. */
export function heldForEver({ conversationId, entries }: Log): Problems {
  const { held } = fold(conversationId, entries);
  return held.map(({ speakerUri }) => `I13: ${conversationId}: the request of ${speakerUri} is held for ever`);
}

const answerMs = 10_000;

/** I13: a running floor answers an envelope at once, whatever else waits. */
export function slowAnswers(answered: readonly Answered[]): Problems {
  return answered
    .filter(({ askedAtMs, answeredAtMs }) => answeredAtMs - askedAtMs > answerMs)
    .map(({ conversationId, askedAtMs, answeredAtMs }) => {
      return `I13: ${conversationId} took ${answeredAtMs - askedAtMs} ms to answer an envelope`;
    });
}

/** All of them. */
export function problemsOf(evidence: Evidence, about: Deadlines & { isOneNode: boolean }): Problems {
  const { acknowledged, logs, heard, viewed, secrets, answered, errors } = evidence;
  return [
    ...lostAcknowledgements(acknowledged, logs),
    ...logs.flatMap((log) => [
      ...replay(log),
      ...effectsTwice(log),
      ...amplified(log),
      ...overdue(log, evidence),
      ...heldForEver(log),
      ...delegatedTwice(log),
    ]),
    ...wrongDeliveries(heard, logs, about),
    ...wrongViews(viewed, logs),
    ...overheard(secrets, [...heard.filter((one) => !isSpecDelegation(one, logs)), ...viewed]),
    ...emptyTexts([...heard, ...viewed]),
    ...endlessRows(evidence, about),
    ...slowAnswers(answered),
    ...errors.map((error) => `unforeseen: ${error}`),
  ];
}
