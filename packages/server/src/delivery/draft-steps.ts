import { type DraftStep, draftStepLimits as max } from "@plenary/protocol";
import { oneLine, plain } from "@plenary/transcript";

/** Different steps that one draft may have. */
const stepsMax = 200;

/** So many go out at once; the others wait for their turn. */
const atOnceMax = 20;

/** The steps of one draft that wait for their frames: of each id the newest. */
export type DraftSteps = {
  add(step: DraftStep): void;
  /** The next ones; all of them when the draft ends. Undefined when none waits. */
  take(isEnd: boolean): DraftStep[] | undefined;
};

export function createDraftSteps(): DraftSteps {
  const known = new Set<string>();
  const waiting = new Map<string, DraftStep>();
  return {
    add(given) {
      const step = bounded(given);
      if (step === undefined || (known.size >= stepsMax && !known.has(step.id))) return;
      known.add(step.id);
      waiting.set(step.id, step);
    },
    take(isEnd) {
      if (waiting.size === 0) return undefined;
      const steps = [...waiting.values()].slice(0, isEnd ? undefined : atOnceMax);
      for (const { id } of steps) waiting.delete(id);
      return steps;
    },
  };
}

/** Cut, and without control characters. Undefined when nothing is left of what it needs. */
function bounded({ id: named, parent: above, title: given, detail: told, state }: DraftStep): DraftStep | undefined {
  const id = nameIn(named);
  const title = oneLine(given, max.title - 1);
  if (id === "" || title === "") return undefined;
  const parent = nameIn(above ?? "");
  const detail = plain((told ?? "").slice(0, max.detail));
  const isNested = parent !== "" && parent !== id;
  return { id, ...(isNested && { parent }), title, ...(detail !== "" && { detail }), state };
}

function nameIn(text: string): string {
  return plain(text.slice(0, max.id)).replaceAll(/[\n\t]/gu, "");
}
