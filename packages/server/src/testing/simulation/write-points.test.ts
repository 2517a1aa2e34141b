// T4: the process dies at each moment of each write, once, in each of the stories; everything comes to the same end.
import { expect, test } from "vitest";
import { scenarios } from "./scenarios.ts";
import { runScripted } from "./scripted-run.ts";

test.each(scenarios.map((scenario) => [scenario.name, scenario] as const))(
  "%s, whenever the floor dies",
  async (_name, scenario) => {
    const whole = await runScripted(scenario);
    expect(whole.problems).toEqual([]);
    expect(whole.points).toBeGreaterThan(3);
    for (let point = 1; point <= whole.points; point += 1) {
      const { problems, ending } = await runScripted(scenario, point);
      expect(problems, `dies at point ${point}`).toEqual([]);
      expect(ending, `dies at point ${point}`).toEqual(whole.ending);
    }
  },
);
