import { expect, test } from "vitest";
import { type PromptQuestion, promptContent } from "./prompt.ts";

const options = [
  { id: "email", label: "Email", value: "email", description: "By mail" },
  { id: "sms", label: "SMS", value: "sms" },
  { id: "push", label: "Push", value: "push" },
];
const asked = (inputType: PromptQuestion["inputType"], rest: Partial<PromptQuestion> = {}): PromptQuestion => ({
  inputType,
  text: "Which?",
  options,
  isRequired: true,
  ...rest,
});
const others = { hasAllPrompts: true };
const stock = { hasAllPrompts: false };

test("a checkbox stays a checkbox for clients with a control, and is a numbered text for others", () => {
  expect(promptContent(asked("checkbox"), others)).toMatchObject({ input_type: "checkbox", options });
  expect(promptContent(asked("checkbox"), stock)).toEqual({
    input_type: "text",
    text: "Which? (1) Email - By mail; (2) SMS; (3) Push. Answer with the numbers you choose, with commas between them.",
    placeholder: null,
    required: true,
    timeout: null,
    error: "This prompt is no longer available.",
  });
});

test("a dropdown is radio buttons for clients without a control", () => {
  expect(promptContent(asked("dropdown"), others)).toMatchObject({ input_type: "dropdown", options });
  expect(promptContent(asked("dropdown"), stock)).toMatchObject({ input_type: "radio", options });
});

test("only two options are a binary choice", () => {
  const two = options.slice(0, 2);
  expect(promptContent(asked("binary_choice", { options: two }), stock)).toMatchObject({ input_type: "binary_choice" });
  expect(promptContent(asked("binary_choice"), others)).toMatchObject({ input_type: "radio", options });
});

test("a choice without options is a text prompt, and the options of a text prompt are listed in the text", () => {
  expect(promptContent(asked("radio", { options: [] }), others)).toMatchObject({ input_type: "text", text: "Which?" });
  expect(promptContent(asked("text"), others)).toMatchObject({
    input_type: "text",
    text: "Which? (1) Email - By mail; (2) SMS; (3) Push",
  });
});

test("a notification has no input", () => {
  expect(promptContent(asked("notification"), stock)).toEqual({
    input_type: "notification",
    text: "Which?",
    timeout: null,
    error: "This prompt is no longer available.",
  });
});

test("the remaining time is in whole seconds, at least one", () => {
  const timeoutOf = (leftMs: number) =>
    promptContent(asked("radio", { timeoutMs: 9_000 }), { ...stock, leftMs }).timeout;
  expect([1_001, 1_000, 1, 0, -5].map(timeoutOf)).toEqual([2, 1, 1, 1, 1]);
  expect(promptContent(asked("radio", { timeoutMs: 9_000 }), stock).timeout).toBe(9);
});

test("the own error text and placeholder of a question are kept", () => {
  const own = asked("text", { options: [], error: "Too late.", placeholder: "Ada", isRequired: false });
  expect(promptContent(own, stock)).toMatchObject({ error: "Too late.", placeholder: "Ada", required: false });
});
