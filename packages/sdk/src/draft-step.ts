import { type DraftStep, draftStepLimits, readDraftStep } from "@plenary/protocol";

/** A step as a handler has yielded it. Throws what the developer has to change: a floor would cut it, or leave it out. */
export function checkedStep(given: unknown): DraftStep {
  const { step, fault } = readDraftStep(given);
  if (fault !== undefined) throw new TypeError(`step${fault.pointer}: ${fault.rule}; ${fault.fix}`);
  const lengths = { id: step.id, title: step.title, detail: step.detail ?? "" };
  for (const name of ["id", "title", "detail"] as const) {
    const [length, max] = [lengths[name].length, draftStepLimits[name]];
    if (length <= max) continue;
    throw new TypeError(`step/${name}: ${name} has at most ${max} characters, this one has ${length}; shorten it`);
  }
  return step;
}
