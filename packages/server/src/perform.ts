import { type DeliverEffect, type Effect, type Floor, openDelivery, seatOf } from "@plenary/floor";
import { envelope } from "@plenary/protocol";
import { carriedOf, peersOf } from "./decode.ts";
import { createDraftRelay, type DraftListener } from "./drafts.ts";
import { createLanes, type Lanes } from "./lanes.ts";
import { askForManifest, type ManifestListener } from "./manifests.ts";
import type { DeliveryLimits } from "./outbound/limits.ts";
import type { Clock, FloorStore, Letter, Outbound, Outcome, Pending, Self } from "./ports.ts";
import type { Receiver } from "./receive.ts";
import type { Watcher } from "./watch.ts";

export type PerformerOptions = {
  store: FloorStore;
  clock: Clock;
  watcher: Watcher;
  receiver: Receiver;
  /** The first that reaches an address carries what goes there. */
  outbounds: readonly Outbound[];
  limits: DeliveryLimits;
  self: () => Self;
  onDraft: DraftListener;
  onManifest: ManifestListener;
  /** Something failed that nobody waits for. */
  onError: (error: unknown) => void;
};

export type Performer = {
  perform(conversationId: string, effects: readonly Effect[]): void;
  /** Takes up what an earlier process left. */
  resume(pending: Pending): void;
  /** Its first attempt failed and it is being repeated: a turn does not wait for it (D4). */
  isRetrying(conversationId: string, delivery: string): boolean;
  /** Finishes what is in flight; what takes longer is cut and goes out again after a restart. */
  close(options: { drainMs: number }): Promise<void>;
};

type Job = {
  id: string;
  key: string;
  conversationId: string;
  effect: DeliverEffect;
  controller: AbortController;
  /** Nobody waits for its answer any longer, but what it says is still to be heard. */
  isStopped: boolean;
};

type Crew = PerformerOptions & {
  lanes: Lanes<Job>;
  retrying: Set<string>;
  /** Deliveries whose answer was promised for later, with the way to stop waiting. */
  promised: Map<string, () => void>;
  timers: Set<() => void>;
  isClosing: boolean;
};

export function createPerformer(options: PerformerOptions): Performer {
  const lanes = createLanes<Job>((job) => deliver(crew, job), options.limits);
  const crew: Crew = {
    ...options,
    lanes,
    retrying: new Set(),
    promised: new Map(),
    timers: new Set(),
    isClosing: false,
  };
  return {
    perform(conversationId, effects) {
      for (const effect of effects) performOne(crew, conversationId, effect);
    },
    resume({ deliveries, timers }) {
      for (const { conversationId, effect } of deliveries) enqueue(crew, conversationId, effect);
      for (const { conversationId, timer } of timers) setTimer(crew, conversationId, timer);
    },
    isRetrying: (conversationId, delivery) => crew.retrying.has(idOf(conversationId, delivery)),
    async close({ drainMs }) {
      crew.isClosing = true;
      for (const cancel of [...crew.timers, ...crew.promised.values()]) cancel();
      const running = lanes.close();
      const cancel = crew.clock.at(crew.clock.now() + drainMs, () => {
        for (const { controller } of running) controller.abort();
      });
      await lanes.ended();
      cancel();
    },
  };
}

function performOne(crew: Crew, conversationId: string, effect: Effect): void {
  switch (effect.kind) {
    case "deliver":
      enqueue(crew, conversationId, effect);
      return;
    case "abort":
      stop(crew, conversationId, effect.delivery);
      return;
    case "timer":
      setTimer(crew, conversationId, effect);
      return;
    case "askManifest":
      askForManifest(crew, conversationId, effect).catch(crew.onError);
      return;
  }
}

function idOf(conversationId: string, delivery: string): string {
  return JSON.stringify([conversationId, delivery]);
}

/** One in flight per conversation and address keeps the order in which a conversant hears things. */
function enqueue(crew: Crew, conversationId: string, effect: DeliverEffect): void {
  const id = idOf(conversationId, effect.delivery);
  const key = idOf(conversationId, effect.to.serviceUrl);
  const job = { id, key, conversationId, effect, controller: new AbortController(), isStopped: false };
  if (crew.lanes.add(job)) return;
  const failure = { kind: "failure", failure: "timeout", detail: "too much waits for it" } as const;
  crew.receiver.answer(conversationId, effect, failure).catch(crew.onError);
}

/** D18: what is in flight is cut short; what is queued still goes out, so that nobody misses what was said. */
function stop(crew: Crew, conversationId: string, delivery: string): void {
  const id = idOf(conversationId, delivery);
  crew.promised.get(id)?.();
  const found = crew.lanes.find(id);
  if (found === undefined) return;
  if (found.isRunning) found.job.controller.abort();
  else found.job.isStopped = true;
}

function setTimer(crew: Crew, conversationId: string, { id, at }: { id: string; at: string }): void {
  const cancel = crew.clock.at(Date.parse(at), () => {
    crew.timers.delete(cancel);
    crew.receiver.timer(conversationId, id).catch(crew.onError);
  });
  crew.timers.add(cancel);
}

async function deliver(crew: Crew, job: Job): Promise<void> {
  try {
    const floor = await crew.store.load(job.conversationId);
    if (floor === undefined) return;
    const isStopped = job.isStopped || openDelivery(floor, job.effect.delivery) === undefined;
    const endEarly = isStopped ? cutAfter(crew, job, crew.limits.stoppedAnswerMs) : () => {};
    const outbound = crew.outbounds.find((one) => one.reaches(job.effect.to));
    const relay = createDraftRelay({ ...crew, floor, delivery: job.effect.delivery }, job.effect.to.speakerUri);
    const letter = { ...letterOf(crew, floor, job), onDraft: relay.piece };
    const outcome: Outcome = outbound === undefined ? nowhere : await outbound.send(letter);
    endEarly();
    relay.end(await conclude(crew, job, outcome));
  } catch (error) {
    // The delivery stays in the outbox and goes out again after a restart.
    crew.onError(error);
  } finally {
    crew.retrying.delete(job.id);
  }
}

const nowhere: Outcome = { kind: "failure", failure: "unreachable", detail: "nothing leads to this address" };

function cutAfter({ clock }: Crew, { controller }: Job, ms: number): () => void {
  return clock.at(clock.now() + ms, () => controller.abort());
}

async function conclude(crew: Crew, job: Job, outcome: Outcome) {
  const { conversationId, effect } = job;
  switch (outcome.kind) {
    case "aborted":
      if (!crew.isClosing) await crew.store.settle(conversationId, effect.delivery);
      return [];
    case "later":
      awaitLater(crew, job);
      return [];
    default:
      return crew.receiver.answer(conversationId, effect, outcome);
  }
}

/** The conversant took it and answers on its own time, by a POST of its own (D22). */
function awaitLater(crew: Crew, { id, conversationId, effect }: Job): void {
  const cancel = crew.clock.at(crew.clock.now() + crew.limits.laterAnswerMs, () => {
    crew.promised.delete(id);
    giveUp(crew, conversationId, effect).catch(crew.onError);
  });
  crew.promised.set(id, () => {
    crew.promised.delete(id);
    cancel();
  });
}

async function giveUp(crew: Crew, conversationId: string, effect: DeliverEffect): Promise<void> {
  const floor = await crew.store.load(conversationId);
  if (floor === undefined || openDelivery(floor, effect.delivery) === undefined) return;
  const detail = "the answer it promised did not come";
  await crew.receiver.answer(conversationId, effect, { kind: "failure", failure: "timeout", detail });
}

function letterOf(crew: Crew, floor: Floor, job: Job): Omit<Letter, "onDraft"> {
  const { conversationId, effect, controller, id } = job;
  const { delivery, to, sender, conversation, events, turn, depth, floors = [], isInvite, isDelegation } = effect;
  const dialect = seatOf(floor, to.speakerUri)?.dialect;
  return {
    conversationId,
    delivery,
    to,
    envelope: envelope({ conversation, sender, events }),
    turn,
    depth,
    floors,
    isInvite,
    isDelegation,
    ...(dialect !== undefined && { dialect }),
    peers: peersOf(floor),
    carried: carriedOf(floor),
    signal: controller.signal,
    onRetry: () => {
      crew.retrying.add(id);
      crew.watcher.wake(conversationId);
    },
  };
}
