import { type DeliverEffect, type Entry, type Floor, openDelivery, seatOf } from "@plenary/floor";
import { type Dialect, envelope, isPrivate } from "@plenary/protocol";
import { carriedOf, peersOf } from "../conversation/decode.ts";
import { isUnended } from "../conversation/log-tail.ts";
import type { Watcher } from "../conversation/notifier.ts";
import type { Receiver } from "../conversation/receive.ts";
import type { Revived } from "../conversation/redelivery.ts";
import type { Clock } from "../ports/clock.ts";
import type { Metrics } from "../ports/metrics.ts";
import type { Background, Letter, Outbound, Outcome } from "../ports/outbound.ts";
import type { FloorStore } from "../ports/store.ts";
import { createDraftRelay, type DraftListener } from "./drafts.ts";
import type { DeliveryLimits } from "./limits.ts";
import type { UntilWritten } from "./retry-write.ts";
import { seatedAsIn } from "./socket/outbound.ts";

export type Job = {
  id: string;
  key: string;
  conversationId: string;
  effect: DeliverEffect;
  controller: AbortController;
  /** The bytes of its newest attempt are out, and its recipient may have read them. */
  isSent: boolean;
  /** Since then nobody waits for its answer, but what it says is still to be heard (D18). */
  stoppedAtMs: number | undefined;
  /** Hears that it was stopped, while it is under way. */
  onStop: () => void;
  /** Says that no answer is awaited any longer. */
  closeAnswer: () => void;
  isRevived: boolean;
  /** It comes from the store after a restart: the process before this one may have sent it. */
  isRepeated: boolean;
};

/** Whatever carrying a delivery takes. */
export type Carriers = {
  store: FloorStore;
  clock: Clock;
  watcher: Watcher;
  receiver: Receiver;
  /** The first that reaches an address carries what goes there. */
  outbounds: readonly Outbound[];
  limits: DeliveryLimits;
  revived: Revived;
  written: UntilWritten;
  metrics: Metrics;
  onDraft: DraftListener;
  /** Hears how each delivery ended, before that is written down. */
  onOutcome: (serviceUrl: string, outcome: Outcome) => void;
  /** Something failed that nobody waits for. */
  onError: (error: unknown) => void;
  /** Deliveries whose first attempt failed and that are being repeated. */
  retrying: Set<string>;
  /** Deliveries whose answer was promised for later, with the way to stop waiting. */
  promised: Map<string, () => void>;
  isClosing: boolean;
};

export type Ended = Extract<Outcome, { kind: "envelope" | "failure" }>;

/** One delivery, from its first attempt until its end is written down. */
export async function deliver(carriers: Carriers, job: Job): Promise<void> {
  try {
    const floor = await carriers.written.enter(() => carriers.store.load(job.conversationId));
    if (floor === undefined) return;
    const isGivenUp = !job.isRevived && openDelivery(floor, job.effect.delivery) === undefined;
    // After a restart only the log tells a delivery that was stopped from one that was answered since.
    if (isGivenUp && job.isRepeated && (await isUnended(carriers.store, job))) job.stoppedAtMs ??= carriers.clock.now();
    const watch = watchStopped(carriers, job, isGivenUp);
    const outbound = carriers.outbounds.find((one) => one.reaches(job.effect.to));
    const relay = createDraftRelay({ ...carriers, floor, ...draftedBy(floor, job) }, job.effect.to.speakerUri);
    const letter = { ...(await letterOf(carriers, floor, job)), ...watch.signals, onDraft: relay.piece };
    const outcome: Outcome = outbound === undefined ? nowhere : await outbound.send(letter);
    watch.end();
    carriers.onOutcome(job.effect.to.serviceUrl, outcome);
    carriers.metrics.delivered(outcome.kind === "failure" ? outcome.failure : outcome.kind);
    relay.end(await conclude(carriers, job, outcome));
  } catch (error) {
    // The delivery stays in the outbox and goes out again after a restart.
    carriers.onError(error);
  } finally {
    carriers.retrying.delete(job.id);
    if (!carriers.promised.has(job.id)) job.closeAnswer();
  }
}

function draftedBy(floor: Floor, { effect: { delivery, events, sender }, isRepeated }: Job) {
  const bySender = events.some(isPrivate) ? sender.speakerUri : undefined;
  const whisperer = openDelivery(floor, delivery)?.whisperer ?? bySender;
  return { delivery, isRepeated, ...(whisperer !== undefined && { whisperer }) };
}

const nowhere: Outcome = {
  kind: "failure",
  failure: "unreachable",
  code: "refused-url",
  detail: "nothing leads to this address",
};

/**
 * D18: a stopped delivery keeps its turn until it was sent: it waits for a free request or for the recipient's socket, and
 * connects. Then hardly anybody waits for its answer. What is queued behind it, such as the revocation itself, reaches the
 * recipient after it.
 */
function watchStopped({ clock, limits }: Carriers, job: Job, isGivenUp: boolean) {
  const { retryMs, connectMs, stoppedAnswerMs } = limits;
  const stopped = new AbortController();
  const begunAtMs = clock.now();
  let cancel = () => {};
  const arm = () => {
    cancel();
    if (job.stoppedAtMs !== undefined) stopped.abort();
    const sinceMs = job.stoppedAtMs ?? (isGivenUp ? begunAtMs : undefined);
    if (sinceMs === undefined) return;
    // Several that wait for the same recipient share the time; each has at least the time to connect.
    const leftMs = Math.max(sinceMs + retryMs, begunAtMs + connectMs) - clock.now();
    const waitMs = job.isSent ? stoppedAnswerMs : Math.min(leftMs, Math.max(retryMs, connectMs));
    cancel = clock.at(clock.now() + waitMs, () => job.controller.abort());
  };
  job.onStop = arm;
  arm();
  const onSent = (isSent: boolean) => {
    if (job.isSent === isSent) return;
    job.isSent = isSent;
    arm();
  };
  return {
    signals: { stopped: stopped.signal, onSent },
    end() {
      job.onStop = () => {};
      cancel();
    },
  };
}

async function conclude(carriers: Carriers, job: Job, outcome: Outcome): Promise<readonly Entry[]> {
  const { conversationId, effect } = job;
  switch (outcome.kind) {
    case "aborted":
      if (carriers.isClosing) return [];
      if (!job.isSent) return enterEnd(carriers, job, withUnsent(job, unsent));
      await carriers.written.enter(() => carriers.store.settle(conversationId, effect.delivery));
      return [];
    case "later":
      // A floor that closes asks again after its restart.
      if (!carriers.isClosing) awaitLater(carriers, job);
      return [];
    default:
      return enterEnd(carriers, job, withUnsent(job, outcome));
  }
}

const unsent: Ended = { kind: "failure", failure: "unreachable", detail: "it was stopped before it could be sent" };

/**
 * Nobody has heard what was stopped before it was sent: that is in the log, where people see it. A convener that was
 * asked too late is in the log already, and who was removed misses only its removal.
 */
function withUnsent({ stoppedAtMs, isSent, effect: { isDelegation, events, to, sender } }: Job, ended: Ended): Ended {
  const isRemoval = events.every(({ eventType }) => eventType === "uninvite");
  if (ended.kind === "envelope" || stoppedAtMs === undefined || isSent || isDelegation || isRemoval) return ended;
  const whisper = events.some(isPrivate) && { whisperer: sender.speakerUri };
  return { ...ended, unsent: { to: to.speakerUri, ...whisper } };
}

/** An agent does not repeat its answer, so neither a full disk nor rivals keep it out. */
export function enterEnd(
  { receiver, written }: Carriers,
  { conversationId, effect, isRevived }: Pick<Job, "conversationId" | "effect" | "isRevived">,
  ended: Ended,
): Promise<readonly Entry[]> {
  return written.enter(() =>
    isRevived ? receiver.revived(conversationId, effect, ended) : receiver.answer(conversationId, effect, ended),
  );
}

/** The conversant took it and answers on its own time, by a POST of its own (D22). */
function awaitLater(carriers: Carriers, job: Job): void {
  const forget = () => {
    carriers.promised.delete(job.id);
    job.closeAnswer();
    cancel();
  };
  const cancel = carriers.clock.at(carriers.clock.now() + carriers.limits.laterAnswerMs, () => {
    forget();
    giveUp(carriers, job).catch(carriers.onError);
  });
  carriers.promised.set(job.id, forget);
}

async function giveUp(carriers: Carriers, job: Job): Promise<void> {
  const { conversationId, effect } = job;
  if (!(await isAwaited(carriers, job))) {
    await carriers.written.enter(() => carriers.store.settle(conversationId, effect.delivery));
    return;
  }
  const detail = "the answer it promised did not come";
  await enterEnd(carriers, { conversationId, effect, isRevived: job.isRevived }, { ...timeout, detail });
}

const timeout = { kind: "failure", failure: "timeout" } as const;

async function isAwaited({ store, revived, written }: Carriers, { conversationId, effect, isRevived }: Job) {
  if (isRevived) return revived.find(conversationId, effect.delivery) !== undefined;
  const floor = await written.enter(() => store.load(conversationId));
  return floor !== undefined && openDelivery(floor, effect.delivery) !== undefined;
}

/** As it was when the delivery was decided, however long ago that is and whatever happened since. */
async function backgroundOf({ store }: Carriers, floor: Floor, { conversationId, effect }: Job): Promise<Background> {
  const { delivery, conversation } = effect;
  const then = (await store.floorAt(conversationId, Math.min(seqIn(delivery), floor.seq))) ?? floor;
  return { peers: peersOf(then, conversation.conversants), carried: carriedOf(then) };
}

/** A delivery is named by its place in the log: `d12.0`. */
function seqIn(delivery: string): number {
  const seq = Number.parseInt(delivery.slice(1), 10);
  return Number.isNaN(seq) ? Number.POSITIVE_INFINITY : seq;
}

/** Who has left is still spoken to first in the dialect it had when the delivery was decided. */
async function dialectThen(
  { store, written }: Carriers,
  { conversationId, effect }: Job,
): Promise<Dialect | undefined> {
  const { delivery, to } = effect;
  const before = seqIn(delivery) - 1;
  if (!Number.isFinite(before)) return undefined;
  const floor = await written.enter(() => store.floorAt(conversationId, before));
  return floor && seatOf(floor, to.speakerUri)?.dialect;
}

async function letterOf(carriers: Carriers, floor: Floor, job: Job): Promise<Omit<Letter, "onDraft">> {
  const { conversationId, effect, controller, id } = job;
  const { delivery, to, sender, conversation, events, turn, depth, floors = [], isInvite, isDelegation } = effect;
  const { agentTimeoutMs } = floor.options;
  const seat = seatOf(floor, to.speakerUri);
  const firstDialect = effect.dialect ?? (seat === undefined ? await dialectThen(carriers, job) : undefined);
  const dialect = seat?.dialect;
  const seatedAs = seat && seatedAsIn(seat);
  return {
    conversationId,
    delivery,
    to,
    envelope: envelope({ conversation, sender, events }),
    ...(seatedAs && { seatedAs }),
    turn,
    depth,
    floors,
    isInvite,
    isDelegation,
    ...(agentTimeoutMs !== undefined && { agentTimeoutMs }),
    ...(dialect !== undefined && { dialect }),
    ...(firstDialect !== undefined && { firstDialect }),
    peers: peersOf(floor),
    background: () => carriers.written.enter(() => backgroundOf(carriers, floor, job)),
    signal: controller.signal,
    onRetry: () => {
      carriers.metrics.retried();
      carriers.retrying.add(id);
      carriers.watcher.wake(conversationId);
    },
  };
}
