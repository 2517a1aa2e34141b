import type { Agent } from "@plenary/sdk";
import type { ReadyMadeOptions } from "../identity.ts";
import { budgetChair } from "./budget.ts";
import { createConvener } from "./create-convener.ts";
import { moderatedChair } from "./moderated.ts";
import { openChair } from "./open.ts";
import type { Chair } from "./policy.ts";
import { queueChair, singleSpeakerChair } from "./queue.ts";
import { roundRobinChair } from "./round-robin.ts";
import { type Self, type VirtualConvener, virtualConvenerIn } from "./virtual.ts";

type Offered = {
  name: string;
  asAgent: (options: ReadyMadeOptions) => Agent;
  /** For one conversation. */
  asVirtual: (self: Self) => VirtualConvener;
};

/** In the order in which they are listed to people. */
const gallery: readonly Offered[] = [
  offered(openChair),
  offered(queueChair()),
  offered(roundRobinChair()),
  offered(moderatedChair),
  offered(singleSpeakerChair()),
  offered(budgetChair()),
];

function offered<State>(chair: Chair<State>): Offered {
  return {
    name: chair.name,
    asAgent: (options) => createConvener(chair, options),
    asVirtual: (self) => virtualConvenerIn(chair, self),
  };
}

export const conveners: readonly [name: string, make: Offered["asAgent"]][] = gallery.map(({ name, asAgent }) => [
  `convener-${name}`,
  asAgent,
]);

/** Without `convener-` before them. */
export const virtualConvenerNames: readonly string[] = gallery.map(({ name }) => name);

/** Undefined when there is none of that name. */
export function virtualConvener(name: string, self: Self): VirtualConvener | undefined {
  return gallery.find((one) => one.name === name)?.asVirtual(self);
}
