import { type Step, stepsFeature, stepsFeatureName } from "@plenary/nemo";
import type { Streamed } from "@plenary/sdk";
import type { StepsShown } from "./settings.ts";

const stepsMax = 100;
const charsMax = 32_768;

/** The same step again is the same one further on: its newest words count, at its first place. */
export function keepStep(steps: Step[], step: Step): void {
  const known = steps.findIndex(({ id }) => id === step.id);
  if (known !== -1) steps[known] = step;
  else if (steps.length < stepsMax) steps.push(step);
}

/** Nothing when there is nothing to show. As much as fits; what does not is named without its payload. */
export function stepsShown(steps: readonly Step[], trace: string | undefined, shown: StepsShown): Streamed[] {
  if (shown === "off" || (steps.length === 0 && trace === undefined)) return [];
  let left = charsMax;
  const fitting = steps.flatMap((step) => {
    const bare = { ...step, payload: "" };
    const whole = shown === "names" || sizeOf(step) > left - reserve ? bare : step;
    left -= sizeOf(whole);
    return left < 0 ? [] : [whole];
  });
  return [{ features: { [stepsFeatureName]: stepsFeature(fitting, trace) } }];
}

/** For the names of the steps that come after a long one. */
const reserve = 8_192;

function sizeOf(step: Step): number {
  return new TextEncoder().encode(JSON.stringify(step)).length;
}
