import { type Entry, type Floor, isIdle } from "@plenary/floor";
import type { Dialect, FloorEvent } from "@plenary/protocol";
import type { Clock } from "../ports/clock.ts";
import type { ConversationLog } from "../ports/conversation-log.ts";
import { documentOf, eventFor } from "./conversation-view.ts";
import type { Notifier } from "./notifier.ts";
import { isName, maySee, type Reader, readerFor } from "./visibility.ts";

/** D4: upper limit of `Prefer: wait`. */
const waitSecondsMax = 120;

/** Reports the deliveries that are retried after a failed first attempt. */
export type RetryStatus = { isRetrying(conversationId: string, delivery: string): boolean };

type IdleWait = {
  log: ConversationLog;
  notifier: Notifier;
  clock: Clock;
  effectRunner: RetryStatus;
  /** Fires when no turn has further consequences. */
  drained: AbortSignal;
};

/** RFC 7240. */
export function waitSecondsOf(prefer: string | undefined): number | undefined {
  const found = /(?:^|[,;])\s*wait\s*=\s*"?(\d{1,6})"?\s*(?:[,;]|$)/iu.exec(prefer ?? "");
  return found === null ? undefined : Math.min(Number(found[1]), waitSecondsMax);
}

/** Resolves when the turn waits for no answer any more, or at the timeout. */
export async function untilIdle(
  { log, notifier, clock, effectRunner, drained }: IdleWait,
  { conversationId, turn, ms }: { conversationId: string; turn: string; ms: number },
): Promise<void> {
  let isNew = true;
  let isOver = drained.aborted;
  let wakeUp: (() => void) | undefined;
  const stop = notifier.watch(conversationId, () => {
    isNew = true;
    wakeUp?.();
  });
  const end = () => {
    isOver = true;
    wakeUp?.();
  };
  const cancel = clock.at(clock.now() + ms, end);
  drained.addEventListener("abort", end, { once: true });
  try {
    while (isNew && !isOver) {
      isNew = false;
      const floor = await log.load(conversationId);
      if (floor === undefined || isIdle(withoutRetries(floor, effectRunner), turn)) break;
      if (isNew || isOver) continue;
      await new Promise<void>((resolve) => {
        wakeUp = resolve;
      });
    }
  } finally {
    stop();
    cancel();
    drained.removeEventListener("abort", end);
  }
}

/** D4: a turn does not wait for a delivery whose first attempt failed. */
export function withoutRetries(floor: Floor, effectRunner: RetryStatus): Floor {
  return { ...floor, open: floor.open.filter(({ id }) => !effectRunner.isRetrying(floor.id, id)) };
}

const consequencesMax = 1_000;

type IdleQuery = { after: number; turn: string; sender: string; dialect: Dialect; isProposal?: boolean };

/** The events of a turn that its sender may receive: one envelope per run of events of one speaker (D27). */
export async function consequencesOf(
  log: ConversationLog,
  floor: Floor,
  { after, turn, sender, dialect, isProposal = false }: IdleQuery,
): Promise<Record<string, unknown>[]> {
  const reader = readerFor(floor, sender);
  const runs: { sender: string; events: FloorEvent[]; seq: number }[] = [];
  for (const entry of await log.entries(floor.id, { after, limit: consequencesMax })) {
    if (!isConsequence(entry, turn, reader)) continue;
    const event = eventFor(entry.event, entry.sender, reader);
    const run = runs.at(-1);
    if (run?.sender === entry.sender) run.events.push(event);
    else runs.push({ sender: entry.sender, events: [event], seq: entry.seq });
    const last = runs.at(-1);
    if (last !== undefined) last.seq = entry.seq;
  }
  return runs.map((run) => ({ ...documentOf(floor, run.sender, run.events, dialect, isProposal), seq: run.seq }));
}

function isConsequence(entry: Entry, turn: string, reader: Reader): entry is Entry & { kind: "event" } {
  if (entry.kind !== "event" || entry.turn !== turn || !maySee(entry, reader)) return false;
  return reader.kind === "operator" || !isName(reader, entry.sender);
}
