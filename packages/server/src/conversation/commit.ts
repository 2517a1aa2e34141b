import type { Decision, DeliverEffect, Effect, Entry, Floor, FloorOptions } from "@plenary/floor";
import type { Dialect } from "@plenary/protocol";
import type { RequestLimits } from "../limits.ts";
import type { Clock, Ids } from "../ports/clock.ts";
import type { Change, ConversationLog, DedupeKey } from "../ports/conversation-log.ts";
import type { Binding, Lookups } from "../ports/lookups.ts";
import type { Metrics } from "../ports/metrics.ts";
import type { FloorIdentity } from "../ports/outbound.ts";
import type { Principal } from "../ports/principal.ts";
import type { ConversationQueue, QueuedInput } from "./conversation-queue.ts";
import type { Notifier } from "./notifier.ts";

/** The origin of an input whose turn is not known yet. */
export type InputOrigin = {
  conversationId: string;
  kind: "envelope" | "answer" | "timer" | "command";
  /** The delivery that it answers. */
  delivery?: string | undefined;
  /** The sender's span, which belongs to another trace. */
  traceparent?: string | undefined;
};

/** The written entries, and the time by `Metrics.now` when the decision began. */
export type DecidedEntries = { entries: readonly Entry[]; begunAtS: number };

export type ReceiveContext = {
  log: ConversationLog;
  lookups: Lookups;
  clock: Clock;
  ids: Ids;
  queue: ConversationQueue;
  notifier: Notifier;
  metrics: Metrics;
  redeliveries: Redeliveries;
  self: () => FloorIdentity;
  deliverySecret: () => string;
  /** For conversations that are created by their first envelope. */
  floorOptions: FloorOptions;
  /** Throws when this credential has created too many conversations. */
  admitOpening: (principal: Principal) => Promise<void>;
  requestLimits: Pick<RequestLimits, "eventsMax">;
  /** Whether a claim comes from an agent of this machine that restarted on another port. */
  isMove?: (claim: Binding, boundTo: string) => boolean;
  /** The older dialect that an earlier exchange with this address found. */
  dialectOf?: (serviceUrl: string) => Dialect | undefined;
  /** Records the decision for traces. */
  onDecided?: (origin: InputOrigin, decided: DecidedEntries) => void;
  /** Called with the written entries and the resulting floor. */
  onWritten?: (floor: Floor, entries: readonly Entry[]) => void;
  /** Starts the effects; their results arrive as answers and timers. Never throws. */
  perform: (conversationId: string, effects: readonly Effect[]) => void;
};

/** The change that one input causes. */
export type PlannedChange = {
  decision: Decision;
  dedupe?: readonly DedupeKey[];
  settled?: readonly string[];
  rung?: readonly string[];
  dead?: Change["dead"];
  request?: Change["request"];
};

type CommitResult = { floor: Floor; entries: readonly Entry[] };

/** Loads, decides, appends, and only then starts the effects. After a conflict with another writer it starts over. */
export function commitInput(
  context: ReceiveContext,
  input: InputOrigin,
  plan: (floor: Floor | undefined) => Promise<PlannedChange>,
  options: { isAwaited?: boolean } = {},
): Promise<CommitResult> {
  const { conversationId } = input;
  let planned: PlannedChange;
  let begunAt = 0;
  const queued: QueuedInput<CommitResult> = {
    async plan() {
      begunAt = context.metrics.now();
      const stored = await context.log.load(conversationId);
      planned = withDialects(await plan(stored), context);
      const change = changeOf(planned);
      if (isNothing(change)) return undefined;
      return () => context.log.append(conversationId, change, stored?.seq ?? 0);
    },
    finish() {
      const { floor, entries, effects } = planned.decision;
      context.metrics.decided(context.metrics.now() - begunAt);
      context.onDecided?.(input, { entries, begunAtS: begunAt });
      if (planned.dead !== undefined) context.metrics.died(planned.dead.length);
      context.perform(conversationId, effects);
      if (entries.length > 0) context.notifier.wake(conversationId);
      context.onWritten?.(floor, entries);
      return { floor, entries };
    },
  };
  return context.queue.take(conversationId, queued, options);
}

/** A recipient without a seat has no stored dialect: it is looked up by address. */
function withDialects(plan: PlannedChange, { dialectOf }: ReceiveContext): PlannedChange {
  const { decision } = plan;
  if (dialectOf === undefined || !decision.effects.some(isToUnseated)) return plan;
  const effects = decision.effects.map((effect) => {
    const dialect = isToUnseated(effect) ? dialectOf(effect.to.serviceUrl) : undefined;
    return dialect === undefined ? effect : { ...effect, dialect };
  });
  return { ...plan, decision: { ...decision, effects } };
}

function isToUnseated(effect: Effect): effect is DeliverEffect {
  return effect.kind === "deliver" && (effect.isInvite || effect.isForwarded === true);
}

function changeOf({ decision, dedupe = [], settled = [], rung = [], dead = [], request }: PlannedChange): Change {
  const { floor, entries, effects } = decision;
  const deliveries = effects.filter((effect) => effect.kind === "deliver");
  const timers = effects.flatMap((effect) => {
    return effect.kind === "timer" ? [{ id: effect.id, at: effect.at, since: entries[0]?.at ?? effect.at }] : [];
  });
  return { floor, entries, deliveries, timers, dedupe, settled, rung, dead, ...(request && { request }) };
}

function isNothing({ floor, entries, settled, rung, request }: Change): boolean {
  if (entries.length > 0) return false;
  return floor.seq === 0 || (settled.length === 0 && rung.length === 0 && request === undefined);
}

/** A decision without entries or effects. */
export function unchanged(floor: Floor): Decision {
  return { floor, entries: [], effects: [], refusals: [] };
}

/** Dead letters being redelivered, by conversation and delivery. */
export type Redeliveries = {
  find(conversationId: string, delivery: string): DeliverEffect | undefined;
  begin(conversationId: string, effect: DeliverEffect): void;
  end(conversationId: string, delivery: string): void;
};

export function createRedeliveries(): Redeliveries {
  const running = new Map<string, DeliverEffect>();
  const keyOf = (conversationId: string, delivery: string) => JSON.stringify([conversationId, delivery]);
  return {
    // Usually empty, and looked up for every answer that arrives by its own request.
    find: (conversationId, delivery) => (running.size === 0 ? undefined : running.get(keyOf(conversationId, delivery))),
    begin: (conversationId, effect) => running.set(keyOf(conversationId, effect.delivery), effect),
    end: (conversationId, delivery) => running.delete(keyOf(conversationId, delivery)),
  };
}
