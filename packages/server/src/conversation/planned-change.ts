import type { Decision, DeliverEffect, Effect, Floor } from "@plenary/floor";
import type { Dialect } from "@plenary/protocol";
import type { Change, DedupeKey, Timer } from "../ports/conversation-log.ts";

/** What one input changes: the decision, and what is stored beside its entries. */
export type PlannedChange = {
  decision: Decision;
  dedupe?: readonly DedupeKey[];
  settled?: readonly string[];
  rung?: readonly string[];
  dead?: Change["dead"];
  request?: Change["request"];
};

const none: readonly never[] = [];

/** The change for the store; undefined when there is nothing to write. */
export function changeOf(planned: PlannedChange): Change | undefined {
  const { decision, dedupe = none, settled = none, rung = none, dead = none, request } = planned;
  const { floor, entries, effects } = decision;
  const isNothing = entries.length === 0 && (floor.seq === 0 || (settled.length + rung.length === 0 && !request));
  if (isNothing) return undefined;
  const deliveries = effects.length === 0 ? none : effects.filter((effect) => effect.kind === "deliver");
  const timers = effects.length === 0 ? none : timersIn(decision);
  const change: Change = { floor, entries, deliveries, timers, dedupe, settled, rung, dead };
  if (request !== undefined) change.request = request;
  return change;
}

function timersIn({ effects, entries }: Decision): readonly Timer[] {
  return effects.flatMap((effect) => {
    return effect.kind === "timer" ? [{ id: effect.id, at: effect.at, since: entries[0]?.at ?? effect.at }] : [];
  });
}

/** A decision without entries or effects. */
export function unchanged(floor: Floor): Decision {
  return { floor, entries: [], effects: [], refusals: [] };
}

/** A recipient without a seat has no stored dialect: it is looked up by address. */
export function withDialects(
  planned: PlannedChange,
  dialectOf: ((serviceUrl: string) => Dialect | undefined) | undefined,
): PlannedChange {
  const { decision } = planned;
  if (dialectOf === undefined || !decision.effects.some(isToUnseated)) return planned;
  const effects = decision.effects.map((effect) => {
    const dialect = isToUnseated(effect) ? dialectOf(effect.to.serviceUrl) : undefined;
    return dialect === undefined ? effect : { ...effect, dialect };
  });
  return { ...planned, decision: { ...decision, effects } };
}

function isToUnseated(effect: Effect): effect is DeliverEffect {
  return effect.kind === "deliver" && (effect.isInvite || effect.isForwarded === true);
}
