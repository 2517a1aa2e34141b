// T4: the process crashes once at each point of each write, in each scenario; the final state is the same.
import { expect, test } from "vitest";
import { scenarios } from "./scenarios.ts";
import { runScripted } from "./scripted-run.ts";

test.each(scenarios.map((scenario) => [scenario.name, scenario] as const))(
  "%s: a crash at any write point gives the same final state",
  async (_name, scenario) => {
    const whole = await runScripted(scenario);
    expect(whole.problems).toEqual([]);
    expect(whole.points).toBeGreaterThan(3);
    for (let point = 1; point <= whole.points; point += 1) {
      const { problems, finalState } = await runScripted(scenario, point);
      expect(problems, `dies at point ${point}`).toEqual([]);
      expect(finalState, `dies at point ${point}`).toEqual(whole.finalState);
    }
  },
);
