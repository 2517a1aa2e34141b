// A script of decisions of every kind that a store must keep whole, and the rows that each leaves.
import { type Decision, decide, type Floor } from "@plenary/floor";
import { envelope, textUtterance } from "@plenary/protocol";
import type { Change, FloorStore } from "@plenary/server";
import { changeOf, opening, saying } from "./prefill.ts";

const now = "2026-01-01T00:00:00.000Z";
const ann = "tag:people.example,2026:ann";
const bot = { speakerUri: "tag:bots.example,2026:bot", serviceUrl: "http://bots.example/" };

/** One change as it was given to the store. */
export type Step = { conversation: string; change: Change; expectedSeq: number };

export type Life = {
  /** The next decisions, of different conversations: the store may write them together. */
  next(count: number): Step[];
};

/** Every step has its own dedupe key, timer and named request, so that a partial step is noticed. */
export function createLife(random: (below: number) => number, conversations: number): Life {
  const floors = new Map<string, Floor>();
  const open = new Map<string, { delivery: string; turn: string }[]>();
  const timers: { conversation: string; id: string }[] = [];
  let count = 0;

  function step(conversation: string): Step {
    const floor = floors.get(conversation);
    const waiting = open.get(conversation) ?? [];
    const answered = floor !== undefined && random(3) > 0 ? waiting.shift() : undefined;
    const decision = decisionOf(conversation, floor, answered, count);
    const rung = random(2) === 0 ? timers.findIndex((timer) => timer.conversation === conversation) : -1;
    const ringing = rung === -1 ? [] : timers.splice(rung, 1).map(({ id }) => id);
    const key = `step-${count}`;
    count += 1;
    const change = changeOf(decision, {
      timers: [{ id: key, at: now, since: now }],
      dedupe: [{ sender: ann, dialogEventId: key, hash: key }],
      settled: answered === undefined ? [] : [answered.delivery],
      rung: ringing,
      request: { caller: "ann", key, hash: key, at: now },
    });
    timers.push({ conversation, id: key });
    for (const { delivery, turn } of change.deliveries) waiting.push({ delivery, turn });
    open.set(conversation, waiting);
    floors.set(conversation, decision.floor);
    return { conversation, change, expectedSeq: floor?.seq ?? 0 };
  }

  return {
    next(wanted) {
      const first = random(conversations);
      return Array.from({ length: Math.min(wanted, conversations) }, (_, index) =>
        step(`c${(first + index) % conversations}`),
      );
    },
  };
}

type Answered = { delivery: string; turn: string } | undefined;

function decisionOf(id: string, floor: Floor | undefined, answered: Answered, count: number): Decision {
  if (floor === undefined) return opening(id, ann);
  if (floor.conversants.length < 2) {
    const identification = { ...bot, organization: "", conversationalName: "", synopsis: "" };
    const command = { verb: "seat", identification, seatKind: "agent" } as const;
    return decide(floor, { kind: "command", command, by: "operator" }, now);
  }
  if (answered === undefined) return saying(floor, `${count} ${"word ".repeat(count % 300)}`, ann);
  const said = textUtterance(`answer ${count}`, { speakerUri: bot.speakerUri, id: `answer-${count}`, startTime: now });
  const sender = { speakerUri: bot.speakerUri };
  const reply = envelope({ conversation: { id }, sender, events: [said] });
  return decide(floor, { kind: "answer", ...answered, envelope: reply, dialect: "1.1", carried: {}, facts: {} }, now);
}

type Kept = { outbox: Set<string>; timers: Set<string>; keys: string[]; requests: string[]; entries: string[] };

/** What the store must hold after these steps, no more and no less. */
function after(steps: readonly Step[]): Kept {
  const kept: Kept = { outbox: new Set(), timers: new Set(), keys: [], requests: [], entries: [] };
  for (const { conversation, change } of steps) {
    const { deliveries, settled, timers, rung, dedupe, request, entries } = change;
    for (const { delivery } of deliveries) kept.outbox.add(`${conversation} ${delivery}`);
    for (const delivery of settled) kept.outbox.delete(`${conversation} ${delivery}`);
    for (const { id } of timers) kept.timers.add(id);
    for (const id of rung) kept.timers.delete(id);
    kept.keys.push(...dedupe.map(({ dialogEventId }) => `${conversation} ${dialogEventId}`));
    if (request !== undefined) kept.requests.push(request.key);
    kept.entries.push(...entries.map((entry) => `${conversation} ${JSON.stringify(entry)}`));
  }
  return kept;
}

async function found(store: FloorStore, steps: readonly Step[]): Promise<Kept> {
  const kept: Kept = { outbox: new Set(), timers: new Set(), keys: [], requests: [], entries: [] };
  const { deliveries, timers } = await store.outbox.pending();
  for (const { conversationId, effect } of deliveries) kept.outbox.add(`${conversationId} ${effect.delivery}`);
  for (const { timer } of timers) kept.timers.add(timer.id);
  for (const { conversation, change } of steps) {
    const seen = await store.lookups.seen(conversation, change.dedupe);
    change.dedupe.forEach(({ dialogEventId }, index) => {
      if (seen[index]?.length === 1) kept.keys.push(`${conversation} ${dialogEventId}`);
    });
    const { request } = change;
    if (request !== undefined && (await store.lookups.request(request)) !== undefined) kept.requests.push(request.key);
  }
  for (const conversation of new Set(steps.map((step) => step.conversation))) {
    const entries = await store.log.entries(conversation, { after: 0, limit: Number.MAX_SAFE_INTEGER });
    kept.entries.push(...entries.map((entry) => `${conversation} ${JSON.stringify(entry)}`));
  }
  return kept;
}

const plain = ({ outbox, timers, keys, requests, entries }: Kept) =>
  [[...outbox], [...timers], keys, requests, entries].map((list) => JSON.stringify([...list].sort()));

/** How many of the steps a store holds, all of them whole; or a string that says what is wrong. */
export async function stepsIn(store: FloorStore, steps: readonly Step[]): Promise<number | string> {
  const there = await found(store, steps);
  const count = there.requests.length;
  const wanted = plain(after(steps.slice(0, count)));
  const names = ["outbox", "timers", "dedupe keys", "requests", "log"];
  const differing = plain(there).flatMap((list, index) => (list === wanted[index] ? [] : (names[index] ?? [])));
  return differing.length === 0 ? count : `after ${count} decisions these differ: ${differing.join(", ")}`;
}
