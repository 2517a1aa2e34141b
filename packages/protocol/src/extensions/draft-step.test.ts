import { expect, test } from "vitest";
import { readDraftStep, runningStep, withStep } from "./draft-step.ts";

const step = { id: "1", title: "Searching flights", state: "running" } as const;

test("a step is read with what it has, and nothing that it should not have", () => {
  const given = { ...step, parent: "0", detail: "LHR", html: "<b>" };
  expect(readDraftStep(given)).toEqual({ step: { ...step, parent: "0", detail: "LHR" } });
});

test("a step is no part of itself, and an empty detail is none", () => {
  expect(readDraftStep({ ...step, parent: "1", detail: "" })).toEqual({ step });
});

test.each([
  ["no object", "step", ""],
  ["a list", [step], ""],
  ["no id", { ...step, id: undefined }, "/id"],
  ["an empty title", { ...step, title: " " }, "/title"],
  ["an unknown state", { ...step, state: "paused" }, "/state"],
  ["a parent that is no text", { ...step, parent: 1 }, "/parent"],
  ["a detail that is no text", { ...step, detail: {} }, "/detail"],
])("%s is named with its place", (_, value, pointer) => {
  expect(readDraftStep(value)).toMatchObject({ fault: { pointer } });
});

test("the same id again replaces the step at its place, and the last that runs is what is being done", () => {
  const before = [step, { ...step, id: "2" }];
  const done = withStep(before, { ...step, id: "2", state: "done" });
  const after = withStep(done, { ...step, id: "3", state: "failed" });
  expect(after.map(({ id, state }) => `${id} ${state}`)).toEqual(["1 running", "2 done", "3 failed"]);
  expect(runningStep(before)?.id).toBe("2");
  expect(runningStep(after)?.id).toBe("1");
  expect(runningStep([])).toBeUndefined();
});
