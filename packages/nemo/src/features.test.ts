import type { Feature } from "@plenary/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import { errorFeature, errorIn, type Step, stepsFeature, stepsIn, stepsMimeType } from "./features.ts";
import { wildJson } from "./testing/wild.ts";

const featureOf = (value: unknown) => ({ steps: { mimeType: stepsMimeType, tokens: [{ value }] } as Feature });

test("steps and their trace are read from the feature that was made of them", () => {
  const steps: Step[] = [
    { id: "a", name: "Function Start: run", payload: "**Input:**" },
    { id: "b", parent: "a", name: "Tool: calc", payload: "2" },
  ];
  expect(stepsIn({ steps: stepsFeature(steps, "t1") })).toEqual({ steps, trace: "t1" });
  expect(stepsIn({ other: stepsFeature(steps) })).toEqual({ steps });
  expect(stepsIn({})).toEqual({ steps: [] });
});

test("steps written by hand are read as far as possible", () => {
  const text = JSON.stringify({ steps: [{ name: "Look", payload: { a: 1 } }, 4, {}, { payload: "x", parent: 7 }] });
  const steps = [
    { id: "1", name: "Look", payload: '{"a":1}' },
    { id: "4", name: "Step", payload: "x", parent: "7" },
  ];
  expect(stepsIn(featureOf(text))).toEqual({ steps });
  expect(stepsIn(featureOf([{ id: "a", parent: "a", name: "n" }]))).toEqual({
    steps: [{ id: "a", name: "n", payload: "" }],
  });
});

test("the number and the length of steps are bounded", () => {
  const many = Array.from({ length: 500 }, (_, index) => ({
    id: `${index}`,
    name: "n".repeat(999),
    payload: "😀".repeat(20_000),
  }));
  const { steps } = stepsIn(featureOf({ steps: many, trace: "t".repeat(999) }));
  expect(steps).toHaveLength(200);
  expect(steps[199]?.id).toBe("499");
  expect(steps[0]?.name).toHaveLength(200);
  expect(steps[0]?.payload.length).toBeLessThanOrEqual(16_000);
  expect(steps[0]?.payload.isWellFormed()).toBe(true);
  expect(stepsIn(featureOf({ trace: "t".repeat(999) }))).toEqual({ steps: [] });
});

test("stepsIn never throws", () => {
  fc.assert(fc.property(wildJson, (value) => void stepsIn(featureOf(value))));
  fc.assert(
    fc.property(
      wildJson,
      (value) => void stepsIn(featureOf({ steps: [value, { name: value, id: value, parent: value }] })),
    ),
  );
  expect(stepsIn(featureOf("[".repeat(100_000)))).toEqual({ steps: [] });
});

const error = { code: "workflow_error", message: "ValueError", details: "boom" } as const;

test("an error feature is read back under every feature name", () => {
  expect(errorIn({ error: errorFeature(error) })).toEqual(error);
  expect(errorIn({ trouble: errorFeature(error) })).toEqual(error);
});

test("a feature of another MIME type is not an error", () => {
  expect(errorIn({ error: { mimeType: "text/plain", tokens: [{ value: "boom" }] } })).toBeUndefined();
  expect(errorIn({})).toBeUndefined();
  expect(errorIn({ error: { ...errorFeature(error), tokens: [] } })).toBeUndefined();
});
