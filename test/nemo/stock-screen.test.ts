// Tests of the peer itself: it records exactly the faults that would have occurred at the stock client.
import { expect, test } from "vitest";
import type { Json } from "./frame-checks.ts";
import { createScreen } from "./stock-screen.ts";

const stamp = "2026-11-15 20:40:56.753762+00:00";
const base = { id: "1", thread_id: "default", parent_id: "m", conversation_id: "c", timestamp: stamp };
const delta = (text: string | null, status = "in_progress"): Json => {
  return { ...base, type: "system_response_message", content: { text }, status };
};
const without = (field: string, frame: Json): Json =>
  Object.fromEntries(Object.entries(frame).filter(([name]) => name !== field));
const end = delta(null, "complete");
const step = (id: string, name: string, payload = "", parent = "root"): Json => ({
  ...base,
  id,
  parent_id: parent,
  intermediate_parent_id: "default",
  update_message_id: "default",
  type: "system_intermediate_message",
  content: { name, payload },
  status: "in_progress",
});
const content = { input_type: "text", text: "Name?", timeout: null, error: "Gone.", placeholder: null, required: true };
const prompt = (id: string, more: Json = {}): Json => ({
  ...base,
  id,
  type: "system_interaction_message",
  status: "in_progress",
  content: { ...content, ...more },
});
const error: Json = {
  ...base,
  type: "error_message",
  status: "in_progress",
  content: { code: "workflow_error", message: "Bob", details: "boom" },
};
const { thread_id: _thread, ...short } = base;
const trace: Json = { ...short, type: "observability_trace_message", content: { observability_trace_id: "t1" } };

function shownOf(frames: readonly Json[], { isStock = true, isAsking = true } = {}) {
  const screen = createScreen({ conversation: "c", words: "stock", isStock });
  if (isAsking) screen.asked("m");
  for (const frame of frames) screen.take(frame);
  return screen.shown;
}

test("a turn as the toolkit writes it has no fault", () => {
  const shown = shownOf([step("a", "Tool: x", "1"), delta("He"), step("b", "y", "", "a"), delta("llo"), end, trace]);
  expect(shown.faults).toEqual([]);
  expect(shown.bubbles).toMatchObject([{ text: "Hello", status: "complete", trace: "t1" }]);
});

test("a step with the same id and name replaces the earlier one; a step with another name does not", () => {
  const { bubbles } = shownOf([step("a", "Start", "1"), step("a", "Start", "2"), step("a", "Complete", "3")]);
  expect(bubbles[0]?.steps.map(({ payload }) => payload)).toEqual(["2", "3"]);
});

const binary = { input_type: "binary_choice", options: [{ id: "1", label: "Yes", value: true }] };

const troubles: [what: string, frames: Json[], fault: RegExp][] = [
  ["a frame after the end", [delta("x"), end, delta("y")], /nobody had asked/u],
  ["a second end", [delta("x"), end, end], /nobody had asked/u],
  ["a frame without conversation_id", [{ ...delta("x"), conversation_id: null }], /a toast, no conversation_id/u],
  ["a frame of another conversation", [{ ...delta("x"), conversation_id: "d" }], /another conversation/u],
  ["an unknown type", [{ ...delta("x"), type: "hello" }], /a toast, unknown type/u],
  ["a trace before the end", [trace, delta("x"), end], /not next to its end/u],
  ["a trace that is not next to the end", [delta("x"), end, delta("y"), trace], /not next to its end/u],
  ["an error alone", [error, end], /an error nobody sees/u],
  ["words of an earlier message", [{ ...delta("x"), parent_id: "before" }], /not of the message m/u],
  ["two dialogs at once", [prompt("1"), prompt("2")], /a second dialog/u],
  ["an end under a dialog", [delta("x"), prompt("1"), end], /ended under the dialog/u],
  ["a prompt with the id of another", [prompt("1", { timeout: 9 }), prompt("1")], /an old id/u],
  ["a checkbox", [prompt("1", { ...binary, input_type: "checkbox" })], /stuck/u],
  ["a binary_choice whose value is no text", [prompt("1", binary)], /the page crashes/u],
  ["a step whose parent nobody knows", [step("a", "x", "", "b"), delta("x"), end], /has no parent b/u],
  ["a step that would be HTML", [step("a", "<workflow>")], /content.name/u],
  ["words in the end", [delta("lost", "complete")], /content of the last/u],
  ["a status of the page", [delta(null, "completed")], /frame.status/u],
  ["a time of the page", [{ ...delta("x"), timestamp: "2025-01-13T10:00:00Z" }], /frame.timestamp/u],
  ["a field too few", [without("thread_id", delta("x"))], /thread_id is missing/u],
  ["a field too many", [{ ...delta("x"), speaker: "Bob" }], /speaker is unknown/u],
  [
    "an error of an unknown kind",
    [{ ...error, content: { code: "oops", message: "a", details: "b" } }],
    /content.code/u,
  ],
];

test.each(troubles)("%s is a fault", (_what, frames, fault) => {
  expect(shownOf(frames).faults.join("\n")).toMatch(fault);
});

test("a frame without a request is lost, and counts as a fault", () => {
  const shown = shownOf([delta("Hello!")], { isAsking: false });
  expect(shown).toMatchObject({ lost: [delta("Hello!")], faults: [expect.stringContaining("nobody had asked")] });
});
