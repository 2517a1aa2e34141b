import type { Effect } from "@plenary/floor";
import { webhookId } from "../conversation/delivery-id.ts";
import type { Ids } from "../ports/clock.ts";
import type { CredentialStore } from "../ports/credentials.ts";
import type { Self } from "../ports/outbound.ts";
import type { DeadLetterKey, Pending, PendingDelivery, Timer } from "../ports/store.ts";
import { type Carriers, deliver, enterEnd, type Job } from "./deliver.ts";
import { createLanes, type Lanes } from "./delivery-queue.ts";
import type { OpenAnswers } from "./expected-answers.ts";
import { askForManifest, type ManifestListener } from "./manifests.ts";
import { sweepNowAndThen } from "./retention.ts";
import { createUntilWritten } from "./retry-write.ts";

export type PerformerOptions = Omit<Carriers, "written" | "retrying" | "promised" | "isClosing"> & {
  ids: Ids;
  openAnswers: OpenAnswers;
  deliverySecret: () => string;
  credentials: Pick<CredentialStore, "sweepCredentials">;
  self: () => Self;
  onManifest: ManifestListener;
};

export type Performer = {
  perform(conversationId: string, effects: readonly Effect[]): void;
  /** Takes up what an earlier process left, and tidies up now and then. */
  resume(pending: Pending): void;
  /** Sends a dead letter again. False when there is none of that name. */
  redrive(key: DeadLetterKey): Promise<boolean>;
  /** How much is promised and not done yet. */
  load(): { deliveriesRunning: number; deliveriesQueued: number; timers: number };
  /** Its first attempt failed and it is being repeated: a turn does not wait for it (D4). */
  isRetrying(conversationId: string, delivery: string): boolean;
  /** Finishes what is in flight; what takes longer is cut and goes out again after a restart. */
  close(options: { drainMs: number }): Promise<void>;
};

type Crew = PerformerOptions &
  Carriers & {
    lanes: Lanes<Job>;
    timers: Set<() => void>;
    /** What is being written down and belongs to no lane. */
    loose: Set<Promise<unknown>>;
  };

export function createPerformer(options: PerformerOptions): Performer {
  const lanes = createLanes<Job>((job) => deliver(crew, job), options.limits);
  const crew: Crew = {
    ...options,
    lanes,
    written: createUntilWritten(options),
    retrying: new Set(),
    promised: new Map(),
    timers: new Set(),
    loose: new Set(),
    isClosing: false,
  };
  let stopSweeping = () => {};
  return {
    perform(conversationId, effects) {
      // What a floor that closes does not begin is taken up by the next one.
      const begun = crew.isClosing ? effects.filter(({ kind }) => kind === "abort") : effects;
      for (const effect of begun) performOne(crew, conversationId, effect);
    },
    resume({ deliveries, timers }) {
      for (const pending of deliveries) enqueue(crew, pending, { isRepeated: true });
      for (const { conversationId, timer } of timers)
        setTimer(crew, conversationId, { ...timer, at: dueAt(crew, timer) });
      stopSweeping = sweepNowAndThen(crew);
    },
    async redrive(key) {
      const letter = await crew.store.deadLetter(key);
      if (letter === undefined || !(await crew.store.revive(key))) return false;
      enqueue(crew, { conversationId: key.conversationId, effect: letter.effect, isRevived: true });
      return true;
    },
    load: () => {
      const { running, queued } = lanes.count();
      return { deliveriesRunning: running, deliveriesQueued: queued, timers: crew.timers.size };
    },
    isRetrying: (conversationId, delivery) => crew.retrying.has(idOf(conversationId, delivery)),
    async close({ drainMs }) {
      crew.isClosing = true;
      stopSweeping();
      for (const cancel of [...crew.timers, ...crew.promised.values()]) cancel();
      const running = lanes.close();
      const cancel = crew.clock.at(crew.clock.now() + drainMs, () => {
        for (const { controller } of running) controller.abort();
        crew.written.close();
      });
      await lanes.ended();
      await Promise.allSettled(crew.loose);
      cancel();
      crew.written.close();
    },
  };
}

function performOne(crew: Crew, conversationId: string, effect: Effect): void {
  switch (effect.kind) {
    case "deliver":
      enqueue(crew, { conversationId, effect });
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
function enqueue(
  crew: Crew,
  { conversationId, effect, isRevived }: PendingDelivery,
  { isRepeated } = { isRepeated: false },
): void {
  const id = idOf(conversationId, effect.delivery);
  const key = idOf(conversationId, effect.to.serviceUrl);
  const job: Job = {
    id,
    key,
    conversationId,
    effect,
    controller: new AbortController(),
    isSent: false,
    stoppedAtMs: undefined,
    onStop: () => {},
    closeAnswer: crew.openAnswers.open(webhookId({ conversationId, delivery: effect.delivery }, crew.deliverySecret())),
    isRevived: isRevived === true,
    isRepeated,
  };
  if (isRevived === true) crew.revived.begin(conversationId, effect);
  if (crew.lanes.add(job)) return;
  job.closeAnswer();
  // It ends as a dead letter, like everything that did not get through.
  const failure = { kind: "failure", failure: "timeout", detail: "too much waits for it" } as const;
  letGo(crew, enterEnd(crew, job, failure));
}

/** Nobody waits for it, but the floor does not close before it has ended. */
function letGo(crew: Crew, work: Promise<unknown>): void {
  const ended = work.catch(crew.onError).finally(() => crew.loose.delete(ended));
  crew.loose.add(ended);
}

/** D18: what was sent is cut short; what was not still goes out, so that nobody misses what was said. */
function stop(crew: Crew, conversationId: string, delivery: string): void {
  const id = idOf(conversationId, delivery);
  const forget = crew.promised.get(id);
  forget?.();
  // It has been heard, and no answer to it counts any more: it must not go out again after a restart.
  if (forget !== undefined) letGo(crew, settled(crew, conversationId, delivery));
  const job = crew.lanes.find(id);
  if (job === undefined) return;
  if (job.isSent) job.controller.abort();
  job.stoppedAtMs ??= crew.clock.now();
  job.onStop();
}

function settled({ written, store }: Crew, conversationId: string, delivery: string): Promise<void> {
  return written.enter(() => store.settle(conversationId, delivery));
}

/** A clock that was set back between two processes makes nobody wait longer than was meant. */
function dueAt({ clock }: Crew, { at, since }: Timer): string {
  const waitMs = Date.parse(at) - Date.parse(since);
  return new Date(Math.min(Date.parse(at), clock.now() + waitMs)).toISOString();
}

function setTimer(crew: Crew, conversationId: string, { id, at }: { id: string; at: string }): void {
  const cancel = crew.clock.at(Date.parse(at), () => {
    crew.timers.delete(cancel);
    letGo(
      crew,
      crew.written.enter(() => crew.receiver.timer(conversationId, id)),
    );
  });
  crew.timers.add(cancel);
}
