import type { NemoOutput } from "../output.ts";

type StepOutput = Extract<NemoOutput, { kind: "step" }>;

/** A step before it has its id. Keys are unique within a turn; the same key and name again replaces the step. */
export type Step = { key: string; name: string; payload: string };

/** `parent` is the key of another step of that agent. */
export type AgentStep = Step & { parent?: string };

/** What clients show beside the bubble: what happened at the floor under one step for each turn, and what agents did. */
export type Steps = {
  /** Of the floor. Outside a turn it is kept for the next one. */
  note(step: Step): NemoOutput[];
  agent(steps: readonly AgentStep[]): NemoOutput[];
  /** `isBargeIn`: it takes the place of a turn that was open. */
  begin(nowMs: number, isBargeIn: boolean): NemoOutput[];
  end(): void;
};

const stepsMax = 200;
const keptMax = 50;
const floorKey = "floor";

/** `conversation` names it: one socket shows several, and each id there has to be unique. */
export function createSteps(conversation: string): Steps {
  let turns = 0;
  /** What ids of the open turn begin with: a restarted floor counts from the beginning, the clock does not. */
  let prefix: string | undefined;
  let kept: { step: AgentStep; isFloor: boolean }[] = [];
  let [shown, hasMore] = [new Set<string>(), false];

  const output = ({ key, parent, name, payload }: AgentStep): StepOutput => {
    const under = parent === undefined ? {} : { parent: `${prefix}${parent}` };
    return { kind: "step", id: `${prefix}${key}`, ...under, name, payload };
  };
  const within = (step: AgentStep): NemoOutput[] => {
    if (shown.size >= stepsMax && !shown.has(step.key)) {
      const isSent = hasMore;
      hasMore = true;
      return isSent ? [] : [output({ key: "more", name: "More", payload: `More than ${stepsMax} steps: not shown` })];
    }
    shown.add(step.key);
    return [output(step)];
  };
  const nested = (step: Step): NemoOutput[] => {
    const root = { key: floorKey, name: "Floor", payload: "At the floor" };
    return [...(shown.has(floorKey) ? [] : within(root)), ...within({ ...step, parent: floorKey })];
  };
  const keep = (steps: readonly AgentStep[], isFloor: boolean): NemoOutput[] => {
    kept = [...kept, ...steps.map((step) => ({ step, isFloor }))].slice(-keptMax);
    return [];
  };
  return {
    note: (step) => (prefix === undefined ? keep([step], true) : nested(step)),
    agent: (steps) => (prefix === undefined ? keep(steps, false) : steps.flatMap(within)),
    begin(nowMs, isBargeIn) {
      turns += 1;
      prefix = `${conversation}-${nowMs.toString(36)}-${turns}-`;
      [shown, hasMore] = [new Set(), false];
      const before = kept;
      kept = [];
      const earlier = before.flatMap(({ step, isFloor }) => (isFloor ? nested(step) : within(step)));
      return isBargeIn ? [...earlier, ...nested(stopped)] : earlier;
    },
    end() {
      prefix = undefined;
    },
  };
}

const stopped: Step = {
  key: "stopped",
  name: "Your earlier message was stopped",
  payload: "Your message before was stopped by this one.",
};
