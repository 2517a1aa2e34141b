import type { Effect } from "@plenary/floor";
import { webhookId } from "../conversation/reply-authorization.ts";
import type { Ids } from "../ports/clock.ts";
import type { Timer } from "../ports/conversation-log.ts";
import type { CredentialStore } from "../ports/credentials.ts";
import type { MaybePromise } from "../ports/maybe-promise.ts";
import type { FloorIdentity } from "../ports/outbound.ts";
import type { DeadLetterKey, PendingDelivery, PendingWork } from "../ports/outbox.ts";
import { Stop } from "../stop-signal.ts";
import { deliver, recordEnd, settle } from "./deliver.ts";
import type { DeliveryContext, DeliveryJob } from "./delivery-context.ts";
import { createDeliveryQueue, type DeliveryQueue } from "./delivery-queue.ts";
import type { ExpectedAnswers } from "./expected-answers.ts";
import { askForManifest, type ManifestListener } from "./manifests.ts";
import { startSweeping } from "./retention.ts";
import { createRetryWrite } from "./retry-write.ts";

type EffectRunnerOptions = Omit<DeliveryContext, "retryWrite" | "retrying" | "promised" | "isClosing"> & {
  ids: Ids;
  expectedAnswers: ExpectedAnswers;
  deliverySecret: string;
  credentials: Pick<CredentialStore, "sweepCredentials">;
  self: FloorIdentity;
  onManifest: ManifestListener;
};

export type EffectRunner = {
  perform(conversationId: string, effects: readonly Effect[]): void;
  /** Resumes the pending work of an earlier process, and starts the periodic sweep. */
  resume(pending: PendingWork): void;
  /** Sends a dead letter again. False when it does not exist. */
  redeliver(key: DeadLetterKey): Promise<boolean>;
  /** The pending work. */
  load(): { deliveriesRunning: number; deliveriesQueued: number; timers: number };
  /** Whether it is being retried after a failed first attempt: a turn does not wait for it (D4). */
  isRetrying(conversationId: string, delivery: string): boolean;
  /** Finishes running deliveries; those that exceed `drainMs` are aborted and sent again after a restart. */
  close(options: { drainMs: number }): Promise<void>;
};

type RunnerContext = EffectRunnerOptions &
  DeliveryContext & {
    queue: DeliveryQueue<DeliveryJob>;
    timers: Set<() => void>;
    /** Writes that belong to no queued delivery. */
    background: Set<Promise<unknown>>;
  };

export function createEffectRunner(options: EffectRunnerOptions): EffectRunner {
  const queue = createDeliveryQueue<DeliveryJob>((job) => deliver(context, job), options.limits);
  const context: RunnerContext = {
    ...options,
    queue,
    retryWrite: createRetryWrite(options),
    retrying: new Set(),
    promised: new Map(),
    timers: new Set(),
    background: new Set(),
    isClosing: false,
  };
  let stopSweeping = () => {};
  return {
    perform(conversationId, effects) {
      // A closing floor starts no effects; the next process resumes them.
      const allowed = context.isClosing ? effects.filter(({ kind }) => kind === "abort") : effects;
      for (const effect of allowed) performOne(context, conversationId, effect);
    },
    resume({ deliveries, timers }) {
      for (const pending of deliveries) enqueue(context, pending, { isRepeated: true });
      for (const { conversationId, timer } of timers)
        setTimer(context, conversationId, { ...timer, at: dueAt(context, timer) });
      stopSweeping = startSweeping(context);
    },
    async redeliver(key) {
      const message = await context.outbox.deadLetter(key);
      if (message === undefined || !(await context.outbox.redeliver(key))) return false;
      enqueue(context, { conversationId: key.conversationId, effect: message.effect, isRedelivery: true });
      return true;
    },
    load: () => {
      const { running, queued } = queue.count();
      return { deliveriesRunning: running, deliveriesQueued: queued, timers: context.timers.size };
    },
    isRetrying: (conversationId, delivery) => context.retrying.has(idOf(conversationId, delivery)),
    async close({ drainMs }) {
      context.isClosing = true;
      stopSweeping();
      for (const cancel of [...context.timers, ...context.promised.values()]) cancel();
      const running = queue.close();
      const cancel = context.clock.at(context.clock.now() + drainMs, () => {
        for (const { controller } of running) controller.abort();
        context.retryWrite.close();
      });
      await queue.ended();
      await Promise.allSettled(context.background);
      cancel();
      context.retryWrite.close();
    },
  };
}

function performOne(context: RunnerContext, conversationId: string, effect: Effect): void {
  switch (effect.kind) {
    case "deliver":
      enqueue(context, { conversationId, effect });
      return;
    case "abort":
      stop(context, conversationId, effect.delivery);
      return;
    case "timer":
      setTimer(context, conversationId, effect);
      return;
    case "askManifest":
      askForManifest(context, conversationId, effect).catch(context.onError);
      return;
  }
}

/** Unique, because no id of a delivery contains a space. */
function idOf(conversationId: string, delivery: string): string {
  return `${delivery} ${conversationId}`;
}

/** One running delivery per conversation and address keeps their order. */
function enqueue(
  context: RunnerContext,
  { conversationId, effect, isRedelivery }: PendingDelivery,
  { isRepeated } = { isRepeated: false },
): void {
  const { delivery, to } = effect;
  const secretId = webhookId({ conversationId, delivery }, context.deliverySecret);
  const job: DeliveryJob = {
    id: idOf(conversationId, delivery),
    key: `${to.serviceUrl.length} ${to.serviceUrl}${conversationId}`,
    webhookId: secretId,
    conversationId,
    effect,
    controller: new Stop(),
    stopped: new Stop(),
    isSent: false,
    stoppedAtMs: undefined,
    onStop: undefined,
    closeAnswer: context.expectedAnswers.open(secretId),
    isRedelivery: isRedelivery === true,
    isRepeated,
  };
  if (isRedelivery === true) context.redeliveries.begin(conversationId, effect);
  if (context.queue.add(job)) return;
  job.closeAnswer();
  // It becomes a dead letter.
  const failure = { kind: "failure", failure: "timeout", detail: "too many deliveries wait for it" } as const;
  runInBackground(context, recordEnd(context, job, failure));
}

/** Runs work that no caller awaits; the floor closes only after it has ended. */
function runInBackground(context: RunnerContext, work: MaybePromise<unknown>): void {
  const ended = Promise.resolve(work)
    .catch(context.onError)
    .finally(() => context.background.delete(ended));
  context.background.add(ended);
}

/** D18: aborts a delivery that was sent. One that was not sent still goes out, so its recipient misses no utterance. */
function stop(context: RunnerContext, conversationId: string, delivery: string): void {
  const id = idOf(conversationId, delivery);
  const stopWaiting = context.promised.get(id);
  stopWaiting?.();
  // The recipient has it, and its answer no longer counts: it must not be sent again after a restart.
  if (stopWaiting !== undefined) runInBackground(context, settle(context, conversationId, delivery));
  const job = context.queue.find(id);
  if (job === undefined) return;
  if (job.isSent) job.controller.abort();
  job.stoppedAtMs ??= context.clock.now();
  job.stopped.abort();
  job.onStop?.();
}

/** Limits the wait to its original length, in case the clock was set back between two processes. */
function dueAt({ clock }: RunnerContext, { at, since }: Timer): string {
  const waitMs = Date.parse(at) - Date.parse(since);
  return new Date(Math.min(Date.parse(at), clock.now() + waitMs)).toISOString();
}

function setTimer(context: RunnerContext, conversationId: string, { id, at }: { id: string; at: string }): void {
  const cancel = context.clock.at(Date.parse(at), () => {
    context.timers.delete(cancel);
    runInBackground(
      context,
      context.retryWrite.run(() => context.receiver.timer(conversationId, id)),
    );
  });
  context.timers.add(cancel);
}
