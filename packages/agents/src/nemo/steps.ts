import { type ClientClock, type Step, stepsFeature, stepsFeatureName } from "@plenary/nemo";
import { type DraftStep, draftStepLimits } from "@plenary/protocol";
import type { Streamed } from "@plenary/sdk";
import type { StepsShown } from "./settings.ts";
import { stepTitle } from "./step-title.ts";

/** What a workflow does, while it does it: steps of the draft (D43). */
export type LiveSteps = {
  step(step: Step): Streamed[];
  /** Nothing has come for a while. */
  later(): Streamed[];
  /** Words come. */
  words(): Streamed[];
};

/** An answer may have 1 MiB in all, its words included. */
const piecesMax = 400;
const detailCharsMax = 65_536;
/** A model tells each word of its output as the same step again. */
const updateMs = 2_000;
/** So long nobody wonders. */
const quietMs = 20_000;

type StepProgress = Pick<DraftStep, "state"> & { title: string; atMs: number };

export function createLiveSteps(shown: StepsShown, clock: Pick<ClientClock, "now">): LiveSteps {
  const known = new Map<string, StepProgress>();
  let quietSinceMs = clock.now();
  let waiting: DraftStep | undefined;
  let [pieces, detailChars] = [0, 0];

  const detailOf = (payload: string): { detail?: string } => {
    if (shown === "names" || detailChars > detailCharsMax) return {};
    const detail = unescaped(payload).slice(0, draftStepLimits.detail);
    detailChars += detail.length;
    return detail === "" ? {} : { detail };
  };
  return {
    step({ id: given, parent: above, name, payload }) {
      const id = given.slice(0, draftStepLimits.id);
      const before = known.get(id);
      const { title, isComplete } = stepTitle(name);
      const state = isComplete || before?.state === "done" || output.test(payload) ? "done" : "running";
      const isNews = before?.state !== state || clock.now() - before.atMs >= updateMs;
      if (shown === "off" || id.trim() === "" || !isNews || pieces >= piecesMax) return [];
      pieces += 1;
      known.set(id, { title: before?.title ?? title, state, atMs: clock.now() });
      const parent = above?.slice(0, draftStepLimits.id);
      const nested = parent !== undefined && parent !== id && known.has(parent) && { parent };
      return [{ step: { id, ...nested, title: before?.title ?? title, ...detailOf(payload), state } }];
    },
    later() {
      const ms = clock.now() - quietSinceMs;
      // Nothing is said by that, but whoever waits knows that somebody is there.
      if (shown === "off" || ms < quietMs) return [""];
      waiting = { id: "waiting", title: `Still working (${durationText(ms)})`, state: "running" };
      return [{ step: waiting }];
    },
    words() {
      quietSinceMs = clock.now();
      const before = waiting;
      waiting = undefined;
      return before === undefined ? [] : [{ step: { ...before, state: "done" } }];
    },
  };
}

/** The payload of the toolkit has it once something came of the step. */
const output = /\*\*(?:Function )?Output:\*\*/u;

const marks: Readonly<Record<string, string>> = { "&lt;": "<", "&gt;": ">", "&amp;": "&" };

/** A detail is plain text; the toolkit writes for HTML. */
function unescaped(payload: string): string {
  return payload.replaceAll(/&(?:lt|gt|amp);/gu, (mark) => marks[mark] ?? mark);
}

function durationText(ms: number): string {
  return ms < 60_000 ? `${Math.floor(ms / 10_000) * 10} s` : `${Math.floor(ms / 60_000)} min`;
}

const stepsMax = 100;
const charsMax = 32_768;

/** The same step again is the same one further on: its newest words count, at its first place. */
export function keepStep(steps: Step[], step: Step): void {
  const known = steps.findIndex(({ id }) => id === step.id);
  if (known !== -1) steps[known] = step;
  else if (steps.length < stepsMax) steps.push(step);
}

/** Nothing when there is nothing to show. As much as fits; what does not is named without its payload. */
export function stepsFeaturePiece(steps: readonly Step[], trace: string | undefined, shown: StepsShown): Streamed[] {
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
