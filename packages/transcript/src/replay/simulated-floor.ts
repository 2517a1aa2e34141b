import { type Decision, decide, type Entry, emptyFloor, type Floor, type Input, openDelivery } from "@plenary/floor";
import { createNaming, type Naming } from "./stable-names.ts";

/** A deadline of the floor, by what it is about. */
type Deadline = { id: string; atMs: number; name: string };

/** A floor that is only thought of: it is decided on and nothing is performed. */
export type Scratch = {
  floor: Floor;
  entries: Entry[];
  stepOfEntry: number[];
  naming: Naming;
  deadlines: Deadline[];
};

export function newScratch(id: string): Scratch {
  return { floor: emptyFloor(id), entries: [], stepOfEntry: [], naming: createNaming(), deadlines: [] };
}

export type Place = { at: string; step: number; input: string };

/** Decides, and keeps what a floor would keep. The envelopes that would go out are for the caller to look at. */
export function take(scratch: Scratch, input: Input, { at, step, input: name }: Place): Decision {
  const decision = decide(scratch.floor, input, at);
  scratch.floor = decision.floor;
  for (const entry of decision.entries) {
    scratch.naming.read(entry, name);
    scratch.entries.push(entry);
    scratch.stepOfEntry.push(step);
  }
  for (const effect of decision.effects) {
    if (effect.kind !== "timer") continue;
    const { id } = effect;
    scratch.deadlines.push({ id, atMs: Date.parse(effect.at), name: deadlineName(scratch.naming, id) });
  }
  return decision;
}

/** Deadlines of what nobody waits for any longer would change nothing. */
export function forgetMoot(scratch: Scratch): void {
  const { floor } = scratch;
  scratch.deadlines = scratch.deadlines.filter(({ id }) => {
    const about = id.slice(id.indexOf(":") + 1);
    if (id.startsWith("held:")) return floor.held.some(({ seq }) => seq === Number(about));
    return openDelivery(floor, about) !== undefined;
  });
}

function deadlineName(naming: Naming, id: string): string {
  const about = id.slice(id.indexOf(":") + 1);
  return (id.startsWith("held:") ? naming.heldName(Number(about)) : naming.deliveryName(about)) ?? id;
}
