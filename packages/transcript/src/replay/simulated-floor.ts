import { type Decision, decide, type Entry, emptyFloor, type Floor, type Input, openDelivery } from "@plenary/floor";
import { createStableNames, type StableNames } from "./stable-names.ts";

/** A deadline of the floor with its stable name. */
type Deadline = { id: string; atMs: number; name: string };

/** A floor whose effects are not performed. */
export type SimulatedFloor = {
  floor: Floor;
  entries: Entry[];
  stepOfEntry: number[];
  naming: StableNames;
  deadlines: Deadline[];
};

export function newSimulatedFloor(id: string): SimulatedFloor {
  return { floor: emptyFloor(id), entries: [], stepOfEntry: [], naming: createStableNames(), deadlines: [] };
}

export type InputPosition = { at: string; step: number; input: string };

/** Decides one input and keeps its entries and deadlines. The caller reads the other effects. */
export function decideInput(
  simulated: SimulatedFloor,
  input: Input,
  { at, step, input: name }: InputPosition,
): Decision {
  const decision = decide(simulated.floor, input, at);
  simulated.floor = decision.floor;
  for (const entry of decision.entries) {
    simulated.naming.read(entry, name);
    simulated.entries.push(entry);
    simulated.stepOfEntry.push(step);
  }
  for (const effect of decision.effects) {
    if (effect.kind !== "timer") continue;
    const { id } = effect;
    simulated.deadlines.push({ id, atMs: Date.parse(effect.at), name: deadlineName(simulated.naming, id) });
  }
  return decision;
}

/** Drops deadlines of settled deliveries and requests. */
export function dropSettledDeadlines(simulated: SimulatedFloor): void {
  const { floor } = simulated;
  simulated.deadlines = simulated.deadlines.filter(({ id }) => {
    const about = id.slice(id.indexOf(":") + 1);
    if (id.startsWith("held:")) return floor.held.some(({ seq }) => seq === Number(about));
    return openDelivery(floor, about) !== undefined;
  });
}

function deadlineName(naming: StableNames, id: string): string {
  const about = id.slice(id.indexOf(":") + 1);
  return (id.startsWith("held:") ? naming.heldName(Number(about)) : naming.deliveryName(about)) ?? id;
}
