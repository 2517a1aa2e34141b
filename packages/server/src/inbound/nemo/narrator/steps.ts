import type { Told } from "../told.ts";

type StepTold = Extract<Told, { kind: "step" }>;

/** What clients show beside the bubble: what happened at the floor under one step for each turn, and what agents did. */
export type Steps = {
  /** Of the floor. Outside a turn it is kept for the next one. */
  note(step: Omit<StepTold, "parent">): Told[];
  agent(steps: readonly StepTold[]): Told[];
  begin(turn: number): Told[];
  end(): void;
};

const stepsMax = 200;
const keptMax = 50;

export function createSteps(): Steps {
  let turn: number | undefined;
  let kept: (StepTold | Omit<StepTold, "parent">)[] = [];
  let [count, hasRoot] = [0, false];

  const root = (): StepTold => ({ kind: "step", id: `turn-${turn}`, name: "Floor", payload: "At the floor" });
  const within = (step: StepTold): Told[] => {
    count += 1;
    if (count > stepsMax + 1) return [];
    if (count <= stepsMax) return [step];
    return [{ kind: "step", id: `more-${turn}`, name: "More", payload: `More than ${stepsMax} steps: not shown` }];
  };
  const nested = (step: Omit<StepTold, "parent">): Told[] => {
    const first = hasRoot ? [] : [root()];
    hasRoot = true;
    return [...first, ...within({ ...step, parent: `turn-${turn}` })];
  };
  const keep = (steps: readonly (StepTold | Omit<StepTold, "parent">)[]): Told[] => {
    kept = [...kept, ...steps].slice(-keptMax);
    return [];
  };
  const isAgents = (step: StepTold | Omit<StepTold, "parent">) => step.id.startsWith("agent-");
  return {
    note: (step) => (turn === undefined ? keep([step]) : nested(step)),
    agent: (steps) => (turn === undefined ? keep(steps) : steps.flatMap(within)),
    begin(number) {
      turn = number;
      [count, hasRoot] = [0, false];
      const told = kept.flatMap((step) => (isAgents(step) ? within(step) : nested(step)));
      kept = [];
      return told;
    },
    end() {
      turn = undefined;
    },
  };
}
