import type { Decision, DeliverEffect, Effect, Entry, Floor, FloorOptions } from "@plenary/floor";
import type { Dialect, Envelope } from "@plenary/protocol";
import type { DoorLimits } from "../limits.ts";
import type { Clock, Ids } from "../ports/clock.ts";
import type { Metrics } from "../ports/metrics.ts";
import type { Self } from "../ports/outbound.ts";
import type { Principal } from "../ports/principal.ts";
import type { Binding, Change, DedupeKey, FloorStore } from "../ports/store.ts";
import type { Turns, Walk } from "./conversation-queue.ts";
import { dedupeKeys } from "./facts.ts";
import type { Watcher } from "./notifier.ts";
import { refusalsOf } from "./receipt.ts";
import type { Revived } from "./redelivery.ts";

/** How an input came, before it is known which turn it is part of. */
export type InputOrigin = {
  conversationId: string;
  kind: "envelope" | "answer" | "timer" | "command";
  /** The delivery that it answers. */
  delivery?: string | undefined;
  /** The span of its sender, which is part of a trace of its own. */
  traceparent?: string | undefined;
};

/** What was written, and when deciding began by `Metrics.now`. */
export type Decided = { entries: readonly Entry[]; begunAtS: number };

export type Shell = {
  store: FloorStore;
  clock: Clock;
  ids: Ids;
  turns: Turns;
  watcher: Watcher;
  metrics: Metrics;
  revived: Revived;
  self: () => Self;
  deliverySecret: () => string;
  /** Of conversations that come into being by their first envelope. */
  floorOptions: FloorOptions;
  /** Throws when this credential has begun too many conversations. */
  admitOpening: (principal: Principal) => Promise<void>;
  doorLimits: Pick<DoorLimits, "eventsMax">;
  /** Whether a claim is an agent of this machine that was started on another port. */
  isMove?: (claim: Binding, boundTo: string) => boolean;
  /** What was found to be spoken at this address before, where it is not what we speak. */
  dialectOf?: (serviceUrl: string) => Dialect | undefined;
  /** Records the decision for traces. */
  onDecided?: (origin: InputOrigin, decided: Decided) => void;
  /** Hears what was written, and the floor it led to. */
  onWritten?: (floor: Floor, entries: readonly Entry[]) => void;
  /** Begins the work; the results come back as answers and timers. Never throws. */
  perform: (conversationId: string, effects: readonly Effect[]) => void;
};

/** What is to be written down about one input. */
export type Plan = {
  decision: Decision;
  dedupe?: readonly DedupeKey[];
  settled?: readonly string[];
  rung?: readonly string[];
  dead?: Change["dead"];
  request?: Change["request"];
};

type Taken = { floor: Floor; entries: readonly Entry[] };

/** The walk: load, decide, append, and only then act. Another writer in between means deciding again, from the start. */
export function takeTurn(
  shell: Shell,
  input: InputOrigin,
  plan: (floor: Floor | undefined) => Promise<Plan>,
  options: { isAwaited?: boolean } = {},
): Promise<Taken> {
  const { conversationId } = input;
  let planned: Plan;
  let begunAt = 0;
  const walk: Walk<Taken> = {
    async plan() {
      begunAt = shell.metrics.now();
      const stored = await shell.store.load(conversationId);
      planned = withDialects(await plan(stored), shell);
      const change = changeOf(planned);
      if (isNothing(change)) return undefined;
      return () => shell.store.append(conversationId, change, stored?.seq ?? 0);
    },
    finish() {
      const { floor, entries, effects } = planned.decision;
      shell.metrics.decided(shell.metrics.now() - begunAt);
      shell.onDecided?.(input, { entries, begunAtS: begunAt });
      if (planned.dead !== undefined) shell.metrics.died(planned.dead.length);
      shell.perform(conversationId, effects);
      if (entries.length > 0) shell.watcher.wake(conversationId);
      shell.onWritten?.(floor, entries);
      return { floor, entries };
    },
  };
  return shell.turns.take(conversationId, walk, options);
}

/** Whoever is invited, or written to without being here, has no seat yet that would know its dialect. */
function withDialects(plan: Plan, { dialectOf }: Shell): Plan {
  const { decision } = plan;
  if (dialectOf === undefined || !decision.effects.some(isToStranger)) return plan;
  const effects = decision.effects.map((effect) => {
    const dialect = isToStranger(effect) ? dialectOf(effect.to.serviceUrl) : undefined;
    return dialect === undefined ? effect : { ...effect, dialect };
  });
  return { ...plan, decision: { ...decision, effects } };
}

function isToStranger(effect: Effect): effect is DeliverEffect {
  return effect.kind === "deliver" && (effect.isInvite || effect.isForwarded === true);
}

function changeOf({ decision, dedupe = [], settled = [], rung = [], dead = [], request }: Plan): Change {
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

/** Nothing is decided, and nothing changes. */
export function unchanged(floor: Floor): Decision {
  return { floor, entries: [], effects: [], refusals: [] };
}

/** Remembered are utterances that took effect or are parked, not those ignored or refused (D29). */
export function dedupeOf(
  { floor, entries }: Decision,
  envelope: Envelope,
  { duplicates = [] }: { duplicates?: readonly number[] },
): { dedupe: readonly DedupeKey[] } {
  if (entries.every(({ kind }) => kind === "late")) return { dedupe: [] };
  const refused = refusalsOf(entries, envelope.events).map(({ index }) => index);
  const fresh = dedupeKeys(floor, envelope).filter(
    ({ index }) => !refused.includes(index) && !duplicates.includes(index),
  );
  return { dedupe: fresh.map(({ sender, dialogEventId, hash }) => ({ sender, dialogEventId, hash })) };
}
