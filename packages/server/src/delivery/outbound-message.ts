import { type Floor, seatOf } from "@plenary/floor";
import { type Dialect, envelope } from "@plenary/protocol";
import { carriedOf, peersOf } from "../conversation/decode.ts";
import { seqIn } from "../conversation/log-lookup.ts";
import type { DialectContext, DraftPiece, OutboundMessage } from "../ports/outbound.ts";
import type { DeliveryContext, DeliveryJob } from "./delivery-context.ts";
import { seatedAsIn } from "./socket/outbound.ts";

/** The state of the floor when the delivery was decided. */
async function backgroundOf(
  { log }: DeliveryContext,
  floor: Floor,
  { conversationId, effect }: DeliveryJob,
): Promise<DialectContext> {
  const { delivery, conversation } = effect;
  const seq = Math.min(seqIn(delivery) || floor.seq, floor.seq);
  const floorAtDecision = (await log.floorAt(conversationId, seq)) ?? floor;
  return { peers: peersOf(floorAtDecision, conversation.conversants), carried: carriedOf(floorAtDecision) };
}

/** For a conversant that left: its dialect when the delivery was decided, which is tried first. */
export async function dialectAtDecision(
  { log, retryWrite }: DeliveryContext,
  { conversationId, effect }: DeliveryJob,
): Promise<Dialect | undefined> {
  const { delivery, to } = effect;
  const before = seqIn(delivery) - 1;
  if (Number.isNaN(before)) return undefined;
  const floor = await retryWrite.run(() => log.floorAt(conversationId, before));
  return floor && seatOf(floor, to.speakerUri)?.dialect;
}

type MessageParts = {
  floor: Floor;
  firstDialect: Dialect | undefined;
  onSent: (isSent: boolean) => void;
  onDraft: (piece: DraftPiece) => void;
};

export function outboundMessageOf(
  context: DeliveryContext,
  job: DeliveryJob,
  { floor, firstDialect, onSent, onDraft }: MessageParts,
): OutboundMessage {
  const { conversationId, effect, webhookId } = job;
  const { delivery, to, sender, conversation, events, turn, depth, floors, isInvite, isDelegation } = effect;
  const seat = seatOf(floor, to.speakerUri);
  return {
    conversationId,
    delivery,
    webhookId,
    to,
    envelope: envelope({ conversation, sender, events }),
    seatedAs: seat && seatedAsIn(seat),
    turn,
    depth,
    floors: floors ?? none,
    isInvite,
    isDelegation,
    agentTimeoutMs: floor.options.agentTimeoutMs,
    dialect: seat?.dialect,
    firstDialect,
    peers: peersOf(floor),
    background: async () => context.retryWrite.run(() => backgroundOf(context, floor, job)),
    get signal() {
      return job.controller.signal;
    },
    stop: job.controller,
    stopped: job.stopped,
    onSent,
    onDraft,
    onRetry: () => {
      context.metrics.retried();
      context.retrying.add(job.id);
      context.notifier.wake(conversationId);
    },
  };
}

const none: readonly never[] = [];
