import { type DraftStep, draftStepLimits as max } from "@plenary/protocol";
import { oneLine, plain } from "@plenary/transcript";

/** Maximum of different steps per draft. */
const stepsMax = 200;

/** Maximum of steps per frame interval; further steps wait. */
const perFrameMax = 20;

/** Queued steps of one draft, the newest of each id. */
export type DraftSteps = {
  add(step: DraftStep): void;
  /** The next steps; all of them at the end of the draft. Undefined when none is queued. */
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
      const steps = [...waiting.values()].slice(0, isEnd ? undefined : perFrameMax);
      for (const { id } of steps) waiting.delete(id);
      return steps;
    },
  };
}

/** Limits lengths and removes control characters. Undefined when no id or no title remains. */
function bounded({
  id: givenId,
  parent: givenParent,
  title: givenTitle,
  detail: givenDetail,
  state,
}: DraftStep): DraftStep | undefined {
  const id = cleanId(givenId);
  const title = oneLine(givenTitle, max.title - 1);
  if (id === "" || title === "") return undefined;
  const parent = cleanId(givenParent ?? "");
  const detail = plain((givenDetail ?? "").slice(0, max.detail));
  const isNested = parent !== "" && parent !== id;
  return { id, ...(isNested && { parent }), title, ...(detail !== "" && { detail }), state };
}

function cleanId(text: string): string {
  return plain(text.slice(0, max.id)).replaceAll(/[\n\t]/gu, "");
}
