import { type Entry, type Floor, openDelivery, seatOf } from "@plenary/floor";
import { isPrivate } from "@plenary/protocol";
import { isUnended } from "../conversation/log-lookup.ts";
import type { MaybePromise } from "../ports/maybe-promise.ts";
import type { DraftPiece, EndedOutcome, Outcome } from "../ports/outbound.ts";
import type { DeliveryContext, DeliveryJob } from "./delivery-context.ts";
import { createDraftRelay, type DraftRelay } from "./drafts.ts";
import { dialectAtDecision, outboundMessageOf } from "./outbound-message.ts";

/** Runs one delivery, from its first attempt until its end is written. */
export async function deliver(context: DeliveryContext, job: DeliveryJob): Promise<void> {
  try {
    const loading = context.retryWrite.run(() => context.log.load(job.conversationId));
    const floor = loading instanceof Promise ? await loading : loading;
    if (floor === undefined) return;
    const isGivenUp = !job.isRedelivery && openDelivery(floor, job.effect.delivery) === undefined;
    // After a restart only the log distinguishes a stopped delivery from one that has ended.
    if (isGivenUp && job.isRepeated) {
      if (!(await isUnended(context.log, job))) return await settle(context, job.conversationId, job.effect.delivery);
      job.stoppedAtMs ??= context.clock.now();
      job.stopped.abort();
    }
    const { to } = job.effect;
    const outbound = context.outbounds.find((one) => one.reaches(to));
    const isDialectKnown = job.effect.dialect !== undefined || seatOf(floor, to.speakerUri) !== undefined;
    const firstDialect = isDialectKnown ? job.effect.dialect : await dialectAtDecision(context, job);
    const watch = watchStopped(context, job, isGivenUp);
    // Most answers have no draft.
    let relay: DraftRelay | undefined;
    const onDraft = (piece: DraftPiece) => {
      relay ??= createDraftRelay(draftContextOf(context, floor, job), to.speakerUri);
      relay.piece(piece);
    };
    const message = outboundMessageOf(context, job, { floor, firstDialect, onSent: watch.onSent, onDraft });
    const outcome: Outcome = outbound === undefined ? noTransport : await outbound.send(message);
    watch.end();
    context.onOutcome(to.serviceUrl, outcome);
    context.metrics.delivered(outcome.kind === "failure" ? outcome.failure : outcome.kind);
    const entries = await conclude(context, job, outcome);
    relay?.end(entries);
  } catch (error) {
    // The delivery stays in the outbox and is sent again after a restart.
    context.onError(error);
  } finally {
    context.retrying.delete(job.id);
    if (!context.promised.has(job.id)) job.closeAnswer();
  }
}

function draftContextOf({ clock, onDraft }: DeliveryContext, floor: Floor, { effect, isRepeated }: DeliveryJob) {
  const { delivery, events, sender } = effect;
  const bySender = events.some(isPrivate) ? sender.speakerUri : undefined;
  const whisperer = openDelivery(floor, delivery)?.whisperer ?? bySender;
  return { clock, onDraft, floor, delivery, isRepeated, ...(whisperer !== undefined && { whisperer }) };
}

const noTransport: Outcome = {
  kind: "failure",
  failure: "unreachable",
  code: "refused-url",
  detail: "no transport reaches this address",
};

/**
 * D18: a stopped delivery keeps its place in the queue until it is sent: it still waits for a free request or for the
 * recipient's socket, and connects. After that it waits only briefly for the answer. Deliveries queued behind it, such as
 * the revocation itself, reach the recipient after it.
 */
function watchStopped({ clock, limits }: DeliveryContext, job: DeliveryJob, isGivenUp: boolean) {
  const { retryMs, connectMs, stoppedAnswerMs } = limits;
  const begunAtMs = clock.now();
  let cancel: (() => void) | undefined;
  const arm = () => {
    cancel?.();
    const sinceMs = job.stoppedAtMs ?? (isGivenUp ? begunAtMs : undefined);
    if (sinceMs === undefined) return;
    // Deliveries waiting for the same recipient share this time; each has at least the connect timeout.
    const leftMs = Math.max(sinceMs + retryMs, begunAtMs + connectMs) - clock.now();
    const waitMs = job.isSent ? stoppedAnswerMs : Math.min(leftMs, Math.max(retryMs, connectMs));
    cancel = clock.at(clock.now() + waitMs, () => job.controller.abort());
  };
  job.onStop = arm;
  arm();
  return {
    onSent(isSent: boolean) {
      if (job.isSent === isSent) return;
      job.isSent = isSent;
      arm();
    },
    end() {
      job.onStop = undefined;
      cancel?.();
    },
  };
}

async function conclude(context: DeliveryContext, job: DeliveryJob, outcome: Outcome): Promise<readonly Entry[]> {
  switch (outcome.kind) {
    case "aborted":
      if (context.isClosing) return [];
      if (!job.isSent) return recordEnd(context, job, withUnsent(job, unsent));
      await settle(context, job.conversationId, job.effect.delivery);
      return [];
    case "later":
      // A closing floor sends it again after its restart.
      if (!context.isClosing) awaitLater(context, job);
      return [];
    default:
      return recordEnd(context, job, withUnsent(job, outcome));
  }
}

const unsent: EndedOutcome = {
  kind: "failure",
  failure: "unreachable",
  detail: "it was stopped before it could be sent",
};

/** Removes a delivery that needs no answer from the outbox. */
export function settle(
  { retryWrite, outbox }: DeliveryContext,
  conversationId: string,
  delivery: string,
): MaybePromise<void> {
  return retryWrite.run(() => outbox.settle(conversationId, delivery));
}

/**
 * Marks a delivery that was stopped before it was sent, so the log shows that its recipient missed it. Not for a question
 * to the convener, whose timeout is in the log already, nor for a removal.
 */
function withUnsent(
  { stoppedAtMs, isSent, effect: { isDelegation, events, to, sender } }: DeliveryJob,
  ended: EndedOutcome,
): EndedOutcome {
  const isRemoval = events.every(({ eventType }) => eventType === "uninvite");
  if (ended.kind === "envelope" || stoppedAtMs === undefined || isSent || isDelegation || isRemoval) return ended;
  const whisper = events.some(isPrivate) && { whisperer: sender.speakerUri };
  return { ...ended, unsent: { to: to.speakerUri, ...whisper } };
}

/** An agent does not repeat its answer, so the write is retried after a full disk or a conflict. */
export function recordEnd(
  { receiver, retryWrite }: DeliveryContext,
  { conversationId, effect, isRedelivery }: Pick<DeliveryJob, "conversationId" | "effect" | "isRedelivery">,
  ended: EndedOutcome,
): MaybePromise<readonly Entry[]> {
  return retryWrite.run(() =>
    isRedelivery ? receiver.redelivered(conversationId, effect, ended) : receiver.answer(conversationId, effect, ended),
  );
}

/** The conversant accepted it and answers later with its own POST (D22). */
function awaitLater(context: DeliveryContext, job: DeliveryJob): void {
  const stopWaiting = () => {
    context.promised.delete(job.id);
    job.closeAnswer();
    cancel();
  };
  const cancel = context.clock.at(context.clock.now() + context.limits.laterAnswerMs, () => {
    stopWaiting();
    recordTimeout(context, job).catch(context.onError);
  });
  context.promised.set(job.id, stopWaiting);
}

async function recordTimeout(context: DeliveryContext, job: DeliveryJob): Promise<void> {
  if (!(await isAwaited(context, job))) {
    await settle(context, job.conversationId, job.effect.delivery);
    return;
  }
  const detail = "it did not send the answer it promised";
  await recordEnd(context, job, { kind: "failure", failure: "timeout", detail });
}

async function isAwaited(
  { log, redeliveries, retryWrite }: DeliveryContext,
  { conversationId, effect, isRedelivery }: DeliveryJob,
) {
  if (isRedelivery) return redeliveries.find(conversationId, effect.delivery) !== undefined;
  const floor = await retryWrite.run(() => log.load(conversationId));
  return floor !== undefined && openDelivery(floor, effect.delivery) !== undefined;
}
