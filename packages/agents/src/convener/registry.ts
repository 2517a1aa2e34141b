import type { Envelope, FloorEvent } from "@plenary/protocol";
import type { Agent } from "@plenary/sdk";
import type { ReadyMadeOptions } from "../identity.ts";
import { budgetPolicy } from "./budget.ts";
import { ConvenerSession, createConvener, eventsMax } from "./create-convener.ts";
import { contextOf } from "./floor-view.ts";
import { moderatedPolicy } from "./moderated.ts";
import { openPolicy } from "./open.ts";
import type { ConvenerPolicy } from "./policy.ts";
import { queuePolicy, singleSpeakerPolicy } from "./queue-policy.ts";
import { roundRobinPolicy } from "./round-robin.ts";

/** A convener for one conversation, without a clock: the caller passes events and times, and it returns its events. */
export type VirtualConvener = {
  hear(
    heard: Pick<Envelope, "conversation" | "sender" | "events"> & { isDelegated: boolean },
    nowMs: number,
  ): VirtualRuling;
  /** For when the time of `wakeAtMs` has come. */
  wake(nowMs: number): VirtualRuling;
};

type VirtualRuling = { events: readonly FloorEvent[]; wakeAtMs?: number };

type ConvenerIdentity = { speakerUri: string; serviceUrl: string };

type ConvenerEntry = {
  name: string;
  asAgent: (options: ReadyMadeOptions) => Agent;
  asVirtual: (self: ConvenerIdentity) => VirtualConvener;
};

/** In the order of the lists that people see. */
const entries: readonly ConvenerEntry[] = [
  entryFor(openPolicy),
  entryFor(queuePolicy()),
  entryFor(roundRobinPolicy()),
  entryFor(moderatedPolicy),
  entryFor(singleSpeakerPolicy()),
  entryFor(budgetPolicy()),
];

function entryFor<State>(policy: ConvenerPolicy<State>): ConvenerEntry {
  return {
    name: policy.name,
    asAgent: (options) => createConvener(policy, options),
    asVirtual: (self) => createVirtualConvener(policy, self),
  };
}

function createVirtualConvener<State>(policy: ConvenerPolicy<State>, self: ConvenerIdentity): VirtualConvener {
  const session = new ConvenerSession(policy);
  const rulingOf = (events: readonly FloorEvent[]): VirtualRuling => {
    const { wakeAtMs } = session;
    return { events: events.slice(0, eventsMax), ...(wakeAtMs !== undefined && { wakeAtMs }) };
  };
  return {
    hear({ conversation, sender: { speakerUri: sender }, events, isDelegated }, nowMs) {
      if (session.observe(conversation, contextOf(conversation, self), nowMs) === undefined) return rulingOf([]);
      const kind = isDelegated ? "delegated" : "observed";
      const caughtUp = session.catchUp(nowMs);
      return rulingOf([...caughtUp, ...events.flatMap((event) => session.handle({ kind, event, sender }, nowMs))]);
    },
    wake: (nowMs) => rulingOf(session.handle({ kind: "timer" }, nowMs)),
  };
}

export const conveners: readonly [name: string, make: ConvenerEntry["asAgent"]][] = entries.map(({ name, asAgent }) => [
  `convener-${name}`,
  asAgent,
]);

/** Without the prefix `convener-`. */
export const virtualConvenerNames: readonly string[] = entries.map(({ name }) => name);

/** Undefined for an unknown name. */
export function virtualConvener(name: string, self: ConvenerIdentity): VirtualConvener | undefined {
  return entries.find((one) => one.name === name)?.asVirtual(self);
}
