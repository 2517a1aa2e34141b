import fc from "fast-check";
import { expect, test } from "vitest";
import { wildJson } from "../testing/wild.ts";
import { parseServerMessage } from "./parse-server-message.ts";
import { promptContent } from "./prompt.ts";

const parsed = (value: unknown) => parseServerMessage(JSON.stringify(value));
const response = (rest: object) => parsed({ type: "system_response_message", ...rest });

test("deltas are read, with text or without", () => {
  expect(response({ content: { text: "you " }, status: "in_progress" })).toMatchObject({ kind: "delta", text: "you " });
  expect(response({ content: { text: "" } })).toMatchObject({ kind: "delta", text: "" });
  expect(response({ content: { text: null } })).toMatchObject({ kind: "delta", text: "" });
  expect(response({})).toMatchObject({ kind: "delta", text: "", conversationId: "", parentId: "" });
  expect(response({ content: "plain" })).toMatchObject({ kind: "delta", text: "plain" });
});

test("answers of workflows that do not chat are read", () => {
  expect(response({ content: { output: "a" } })).toMatchObject({ text: "a" });
  expect(response({ content: { value: 4 } })).toMatchObject({ text: "4" });
  expect(response({ content: { value: { a: [1] } } })).toMatchObject({ text: '{"a":[1]}' });
});

test("a run ends with the status words of the toolkit and of the page", () => {
  const end = (status: string) => response({ content: { text: null }, status });
  expect(end("complete")).toMatchObject({ kind: "complete", isFailed: false, text: "" });
  expect(end("completed")).toMatchObject({ kind: "complete", isFailed: false });
  expect(end("failed")).toMatchObject({ kind: "complete", isFailed: true });
  expect(response({ content: { text: "bye" }, status: "complete" })).toMatchObject({ kind: "complete", text: "bye" });
});

test("a step is read with its parent, and `root` is no parent", () => {
  const step = {
    type: "system_intermediate_message",
    id: "s2",
    content: { name: "Tool: calc", payload: "2 &lt;b&gt;" },
  };
  expect(parsed({ ...step, parent_id: "s1" })).toMatchObject({
    kind: "step",
    step: { id: "s2", parent: "s1", name: "Tool: calc", payload: "2 &lt;b&gt;" },
  });
  const root = parsed({ ...step, parent_id: "root" });
  expect(root).toMatchObject({ kind: "step" });
  expect(root?.kind === "step" && "parent" in root.step).toBe(false);
  expect(parsed({ ...step, id: undefined })).toMatchObject({ step: { id: "Tool: calc" } });
});

const prompt = (content: object) =>
  parsed({ type: "system_interaction_message", thread_id: "default", parent_id: "um", content });

test("a prompt with missing fields is read", () => {
  expect(prompt({ input_type: "text", text: "Name?" })).toMatchObject({
    kind: "prompt",
    threadId: "default",
    parentId: "um",
    prompt: {
      inputType: "text",
      text: "Name?",
      options: [],
      isRequired: true,
      error: "This prompt is no longer available.",
    },
  });
  expect(prompt({})).toMatchObject({ kind: "prompt", prompt: { inputType: "text", text: "" } });
  expect(prompt({ input_type: "radio", text: "a", timeout: "30" })).toMatchObject({
    prompt: { inputType: "text", timeoutMs: 30_000 },
  });
  // A timer of JavaScript would fire at once for such a long time.
  expect(prompt({ text: "a", timeout: 25 * 86_400 })).not.toHaveProperty("prompt.timeoutMs");
  expect(prompt({ input_type: "binary_choice" })).toMatchObject({
    prompt: { options: [{ value: "yes" }, { value: "no" }] },
  });
});

test("every option gets a label and a value", () => {
  const given = [
    { id: "default", label: "default", value: true },
    { id: "a", label: "Go", value: "default" },
    { label: "Three", value: 3, description: "default" },
    "four",
    null,
  ];
  expect(prompt({ input_type: "dropdown", options: given })).toMatchObject({
    prompt: {
      inputType: "dropdown",
      options: [
        { id: "1", label: "true", value: "true" },
        { id: "a", label: "Go", value: "Go" },
        { id: "3", label: "Three", value: "3" },
        { id: "4", label: "four", value: "four" },
        { id: "5", label: "Option 5", value: "Option 5" },
      ],
    },
  });
});

test("a prompt that is read and sent again is the same prompt", () => {
  const content = {
    input_type: "checkbox",
    text: "Which?",
    required: true,
    timeout: 300,
    error: "Too late.",
    options: [{ id: "e", label: "Email", value: "email", description: "By mail" }],
  } as const;
  const said = prompt(content);
  if (said?.kind !== "prompt") throw new Error(`read as ${said?.kind}`);
  expect(promptContent(said.prompt, { hasAllPrompts: true })).toEqual(content);
});

test("a timeout that is no number is ignored, an object with its own toString too", () => {
  const timeoutOf = (timeout: unknown) => {
    const said = prompt({ input_type: "text", text: "Name?", timeout });
    return said?.kind === "prompt" ? said.prompt.timeoutMs : "no prompt";
  };
  expect(timeoutOf("2.5")).toBe(2_500);
  for (const timeout of [{ toString: "5" }, ["5"], "soon", null, -1]) expect(timeoutOf(timeout)).toBeUndefined();
});

test("notifications and consent requests need no reply", () => {
  expect(prompt({ input_type: "notification", text: "Done" })).toMatchObject({ kind: "notification", text: "Done" });
  const url = "https://login.example/a";
  expect(prompt({ input_type: "oauth_consent", text: url })).toMatchObject({ kind: "oauth", url, text: "" });
  expect(prompt({ input_type: "oauth_consent", text: "Please", oauth_url: url })).toMatchObject({
    url,
    text: "Please",
  });
  expect(prompt({ input_type: "oauth_consent", redirect_url: url })).toMatchObject({ kind: "oauth", url });
});

test("errors are read, bare ones too", () => {
  const error = { code: "user_auth_error", message: "no", details: "default" };
  const read = { kind: "error", error: { code: "user_auth_error", message: "no", details: "" } };
  expect(parsed(error)).toMatchObject(read);
  expect(parsed({ type: "error_message", content: error })).toMatchObject(read);
  expect(parsed({ type: "error_message", content: { code: "new_one" } })).toMatchObject({
    error: { code: "unknown_error" },
  });
  expect(parsed({ type: "error_message" })).toMatchObject({ kind: "error" });
});

test("traces and auth responses are read", () => {
  const trace = { type: "observability_trace_message", content: { observability_trace_id: "t" } };
  expect(parsed(trace)).toMatchObject({ kind: "trace", traceId: "t" });
  expect(parsed({ type: "auth_response_message", status: "success", user_id: "u" })).toMatchObject({
    kind: "auth",
    userId: "u",
  });
  const refused = {
    type: "auth_response_message",
    status: "error",
    payload: { code: "user_auth_error", message: "m" },
  };
  expect(parsed(refused)).toMatchObject({ kind: "auth", error: { message: "m" } });
});

test("an unknown message differs from an invalid one", () => {
  expect(parsed({ type: "oauth_mode_preference" })).toMatchObject({ kind: "unknown" });
  expect(parsed({})).toMatchObject({ kind: "unknown" });
  expect(parsed([])).toBeUndefined();
  expect(parseServerMessage("oops")).toBeUndefined();
});

test("the parser never throws, and every parsed prompt can be sent", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => void parseServerMessage(text)));
  const types = ["response", "intermediate", "interaction"].map((name) => `system_${name}_message`);
  const type = fc.constantFrom(...types, "error_message", "observability_trace_message", "auth_response_message");
  fc.assert(
    fc.property(wildJson, wildJson, type, (value, content, name) => {
      parsed(value);
      parsed({ type: name, content: value, payload: value, status: content, id: content });
      const said = prompt({ options: value, text: content, timeout: value, input_type: "radio" });
      if (said?.kind === "prompt") promptContent(said.prompt, { hasAllPrompts: true });
    }),
    { numRuns: 500 },
  );
});
