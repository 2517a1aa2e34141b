import fc from "fast-check";
import { expect, test } from "vitest";
import { wildJson } from "../testing/wild.ts";
import {
  chatChunk,
  chatCompletion,
  dataLine,
  doneLine,
  eventLine,
  parseChatRequest,
  stepLine,
  stepTypeOf,
  traceLine,
  valueLine,
} from "./chat-completions.ts";

const hi = [{ type: "text", text: "hi" }];

test.each([
  ["OpenAI's messages", { messages: [{ role: "user", content: "hi" }] }],
  [
    "OpenAI's parts",
    {
      messages: [
        { role: "system", content: "s" },
        { role: "user", content: hi },
      ],
    },
  ],
  [
    "what a model said in parts of its own",
    {
      messages: [
        { role: "assistant", content: [{ type: "refusal", refusal: "no" }, ...hi] },
        { role: "user", content: "hi" },
      ],
    },
  ],
  ["the stock client's input_message", { input_message: "hi" }],
  ["input", { input: "hi" }],
  ["value", { value: "hi" }],
  ["a name of the workflow's own", { topic: "hi", model: "m" }],
  ["a bare text", "hi"],
])("a request with %s is read", (_name, body) => {
  const read = parseChatRequest(body);
  expect(read).toMatchObject({ ok: true, request: { parts: hi, isStream: false, isPrivate: false } });
});

test("the other fields of a request are read", () => {
  const body = {
    messages: ["hi"],
    stream: true,
    model: "floor",
    user: "Ada",
    to: "Clock",
    private: true,
    temperature: 1,
  };
  expect(parseChatRequest(body)).toEqual({
    ok: true,
    request: {
      messages: [{ role: "user", parts: hi }],
      parts: hi,
      isStream: true,
      isPrivate: true,
      wantsUsage: false,
      model: "floor",
      userName: "Ada",
      to: "Clock",
      ignored: ["temperature"],
    },
  });
});

test("fields for models are listed as ignored, except empty ones and the message itself", () => {
  const ignored = (body: object) => {
    const read = parseChatRequest(body);
    return read.ok ? read.request.ignored : read.error;
  };
  const tuned = { messages: ["hi"], tools: [], tool_choice: "auto", temperature: 0, logprobs: false, top_p: null };
  expect(ignored(tuned)).toEqual(["tools", "tool_choice", "temperature"]);
  expect(ignored({ text: "hi", metadata: {}, x: 1 })).toEqual([]);
});

test.each([
  ["nothing", {}, "invalid_user_message_content"],
  ["two texts without a name in use", { a: "x", b: "y" }, "invalid_user_message_content"],
  ["an empty text", { input_message: " " }, "invalid_user_message_content"],
  ["a number", { messages: 4 }, "invalid_data_content"],
  ["an unknown role", { messages: [{ role: "x", content: "a" }] }, "invalid_data_content"],
  ["a wish for two answers", { messages: ["hi"], n: 2 }, "invalid_data_content"],
])("a request with %s is refused", (_name, body, code) => {
  expect(parseChatRequest(body)).toMatchObject({ ok: false, error: { code } });
});

test("the parser never throws", () => {
  fc.assert(fc.property(wildJson, (value) => void parseChatRequest(value)));
  fc.assert(fc.property(fc.anything(), (value) => void parseChatRequest(value)));
});

const answer = { id: "a1", model: "floor", createdS: 1_760_000_000 };

test("an answer is a completion or its chunks", () => {
  expect(chatCompletion({ ...answer, text: "Hello" })).toMatchObject({
    object: "chat.completion",
    created: 1_760_000_000,
    choices: [{ index: 0, message: { role: "assistant", content: "Hello" }, finish_reason: "stop" }],
  });
  const choiceOf = (rest: object) => chatChunk({ ...answer, ...rest }).choices[0];
  expect(choiceOf({ role: "assistant", delta: "" })).toEqual({
    index: 0,
    delta: { role: "assistant", content: "" },
    finish_reason: null,
  });
  expect(choiceOf({ delta: "Hel" })).toEqual({ index: 0, delta: { content: "Hel" }, finish_reason: null });
  expect(choiceOf({ finish: "stop" })).toEqual({ index: 0, delta: {}, finish_reason: "stop" });
});

test("the lines of a stream have the format of the toolkit, one per value", () => {
  const step = { id: "s", name: "Tool: <calc>", payload: "a\nb" };
  expect(stepLine(step)).toBe(
    'intermediate_data: {"id":"s","parent_id":"root","type":"markdown","name":"Tool: &lt;calc&gt;","payload":"a\\nb"}\n\n',
  );
  expect(stepLine({ ...step, parent: "p" })).toContain('"parent_id":"p"');
  expect(traceLine("t")).toBe('observability_trace: {"observability_trace_id":"t"}\n\n');
  expect(valueLine('a\n"b"')).toBe('data: {"value":"a\\n\\"b\\""}\n\n');
  expect(dataLine(chatChunk({ ...answer, delta: "x" }))).toMatch(
    /^data: \{"id":"a1","object":"chat\.completion\.chunk".*\}\n\n$/u,
  );
  expect(doneLine).toBe("data: [DONE]\n\n");
});

test.each([
  ["Function Start: f", "", "FUNCTION_START"],
  ["Function Complete: f", "", "FUNCTION_END"],
  ["Tool: calc", "**Input:**\n2", "TOOL_START"],
  ["Tool: calc", "**Input:**\n2\n**Output:**\n4", "TOOL_END"],
  ["some/model", "**Input:**\nhi", "LLM_START"],
  ["some/model", "**Input:**\nhi\n**Output:**\nho", "LLM_END"],
  ["Floor: invite", "Alice", "CUSTOM_END"],
])("a step %s with %j has the type %s", (name, payload, type) => {
  expect(stepTypeOf({ name, payload })).toBe(type);
});

test("a named event has its name before the data", () => {
  expect(eventLine("interaction_required", { a: 1 })).toBe('event: interaction_required\ndata: {"a":1}\n\n');
});
