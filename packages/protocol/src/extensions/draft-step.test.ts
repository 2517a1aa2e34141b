import { expect, test } from "vitest";
import { readDraftStep, runningStep, withStep } from "./draft-step.ts";

const step = { id: "1", title: "Searching flights", state: "running" } as const;

test("a step is read with its known fields and without other fields", () => {
  const given = { ...step, parent: "0", detail: "LHR", html: "<b>" };
  expect(readDraftStep(given)).toEqual({ step: { ...step, parent: "0", detail: "LHR" } });
});

test("a step that names itself as parent has no parent, and an empty detail is left out", () => {
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
])("readDraftStep reports %s with its pointer", (_, value, pointer) => {
  expect(readDraftStep(value)).toMatchObject({ fault: { pointer } });
});

test("a step with the same id replaces the earlier one in place, and the last running one is the current step", () => {
  const before = [step, { ...step, id: "2" }];
  const done = withStep(before, { ...step, id: "2", state: "done" });
  const after = withStep(done, { ...step, id: "3", state: "failed" });
  expect(after.map(({ id, state }) => `${id} ${state}`)).toEqual(["1 running", "2 done", "3 failed"]);
  expect(runningStep(before)?.id).toBe("2");
  expect(runningStep(after)?.id).toBe("1");
  expect(runningStep([])).toBeUndefined();
});
