import { type Entry, type Floor, isIdle } from "@plenary/floor";
import type { Dialect, FloorEvent } from "@plenary/protocol";
import type { Clock } from "../ports/clock.ts";
import type { ConversationLog } from "../ports/conversation-log.ts";
import type { StopSignal } from "../stop-signal.ts";
import { documentOf, eventFor } from "./conversation-view.ts";
import type { Commit, Notifier } from "./notifier.ts";
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
  drained: StopSignal;
};

/** RFC 7240. */
export function waitSecondsOf(prefer: string | undefined): number | undefined {
  const found = /(?:^|[,;])\s*wait\s*=\s*"?(\d{1,6})"?\s*(?:[,;]|$)/iu.exec(prefer ?? "");
  return found === null ? undefined : Math.min(Number(found[1]), waitSecondsMax);
}

type TurnToWaitFor = {
  conversationId: string;
  turn: string;
  ms: number;
  /** The entries after this floor are collected. */
  from?: Floor;
};

/** The state when the wait ended; `entries` undefined when the log must be read. */
type IdleState = { floor: Floor | undefined; entries: readonly Entry[] | undefined };

/** Resolves when the turn waits for no answer any more, or at the timeout. */
export function untilIdle(context: IdleWait, { conversationId, turn, ms, from }: TurnToWaitFor): Promise<IdleState> {
  const { log, notifier, clock, effectRunner, drained } = context;
  return new Promise((resolve, reject) => {
    let floor = from;
    let entries: Entry[] | undefined = from && [];
    const end = () => {
      stop();
      cancel();
      drained.removeEventListener("abort", end);
      resolve({ floor, entries });
    };
    const update = (newest: Floor | undefined, commit?: Commit) => {
      const isNext = commit?.before.seq === floor?.seq && (entries?.length ?? 0) < consequencesMax;
      if (commit !== undefined && isNext) entries?.push(...commit.entries);
      else if (newest?.seq !== floor?.seq) entries = undefined;
      floor = newest;
      const isIdleNow = floor === undefined || isIdle(withoutRetries(floor, effectRunner), turn);
      if (isIdleNow || drained.aborted) end();
    };
    const reload = () => {
      const loading = log.load(conversationId);
      if (loading instanceof Promise) loading.then((newest) => update(newest), reject);
      else update(loading);
    };
    const stop = notifier.watch(conversationId, (_, commit) => {
      if (commit === undefined) reload();
      else update(commit.floor, commit);
    });
    const cancel = clock.at(clock.now() + ms, end);
    drained.addEventListener("abort", end, { once: true });
    reload();
  });
}

/** D4: a turn does not wait for a delivery whose first attempt failed. */
export function withoutRetries(floor: Floor, effectRunner: RetryStatus): Floor {
  const { id, open } = floor;
  if (!open.some((one) => effectRunner.isRetrying(id, one.id))) return floor;
  return { ...floor, open: open.filter((one) => !effectRunner.isRetrying(id, one.id)) };
}

export const consequencesMax = 1_000;

type IdleQuery = { turn: string; sender: string; dialect: Dialect; isProposal?: boolean };

/** The events of a turn that its sender may receive: one envelope per run of events of one speaker (D27). */
export function consequencesOf(
  entries: readonly Entry[],
  floor: Floor,
  { turn, sender, dialect, isProposal = false }: IdleQuery,
): Record<string, unknown>[] {
  const reader = readerFor(floor, sender);
  const runs: { sender: string; events: FloorEvent[]; seq: number }[] = [];
  for (const entry of entries) {
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
