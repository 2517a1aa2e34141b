import { expect, test } from "vitest";
import type { NemoOutput } from "../participant.ts";
import type { HttpStyle } from "./endpoints.ts";
import { createHttpLines, wholeAnswer } from "./response-format.ts";
import { createResponseWriter } from "./response-writer.ts";

const head = { id: "chatcmpl-1", model: "clock", wantsUsage: false, createdS: 1 };
const step = { id: "s1", name: "Tool: calc", payload: "2" };
const error = { code: "workflow_error", message: "Clock", details: "it is broken" } as const;
const options = [
  { id: "a", label: "Email", value: "email", description: "to your inbox" },
  { id: "b", label: "SMS", value: "sms", description: "SMS" },
];
const prompt = { text: "Which?", timeout: null, error: "gone", required: true };

function textOf(output: readonly NemoOutput[], isAlone = false) {
  const writer = createResponseWriter({ isAlone });
  for (const one of output) writer.piece(one);
  return { writer, text: () => writer.text() };
}

function linesOf(style: HttpStyle, output: readonly NemoOutput[], stepTypes?: string[]) {
  const writer = createResponseWriter({ isAlone: false });
  const lines = createHttpLines(style, { ...head, ...(stepTypes && { stepTypes }) });
  const pieces = output.flatMap((one) => writer.piece(one) ?? []);
  const written = pieces.map((piece) => (piece.kind === "prompt" ? "" : lines.piece(piece)));
  return [lines.first(), ...written, lines.last()].join("").trimEnd().split("\n\n");
}

const everything: NemoOutput[] = [
  { kind: "delta", text: "It is " },
  { kind: "step", ...step },
  { kind: "error", error },
  { kind: "delta", text: "noon." },
  { kind: "complete", isFailed: false },
  { kind: "trace", traceId: "ab" },
];

test("a question is written with numbered options and how to answer", () => {
  const { text } = textOf([
    { kind: "delta", text: "Hello." },
    { kind: "prompt", content: { ...prompt, input_type: "radio", options } },
  ]);
  expect(text()).toBe("Hello.\n\nWhich?\n\n1. Email - to your inbox\n2. SMS\n\nAnswer with a number from 1 to 2.");
});

test("a checkbox question asks for several numbers", () => {
  const { text } = textOf([{ kind: "prompt", content: { ...prompt, input_type: "checkbox", options } }]);
  expect(text()).toMatch(/Answer with the numbers you choose, with commas between them\.$/u);
});

test("a text question is written as text; notices and consent addresses are not repeated", () => {
  const { text } = textOf([
    { kind: "prompt", content: { ...prompt, input_type: "text", placeholder: null } },
    { kind: "prompt", content: { ...prompt, text: "https://login.example/", input_type: "oauth_consent" } },
    { kind: "prompt", content: { ...prompt, text: "By the way", input_type: "notification" } },
  ]);
  expect(text()).toBe("Which?");
});

test("an empty answer gets a notice, unless the turn failed", () => {
  const silent = textOf([{ kind: "complete", isFailed: false }], true);
  expect(silent.writer.ended("complete")).toEqual({ kind: "text", text: "*(Nobody answered.)*" });
  expect(silent.text()).toBe("*(Nobody answered.)*");
  expect(textOf([{ kind: "error", error }]).writer.ended("failed")).toBeUndefined();
});

test("an answer that ended early says so, and whether the rest follows", () => {
  const named = textOf([{ kind: "delta", text: "Well\n" }]);
  named.writer.ended("late");
  expect(named.text()).toBe("Well\n\n*(An agent is still working on this. The answer comes with the next message.)*");
  const alone = textOf([], true);
  alone.writer.ended("cut");
  expect(alone.text()).toBe("*(This answer ends here. It is not waited for.)*");
  const output = textOf([{ kind: "delta", text: "Well" }]);
  expect([output.writer.ended("complete"), output.writer.ended("asked"), output.text()]).toEqual([
    undefined,
    undefined,
    "Well",
  ]);
});

test("the toolkit's chat streams text, steps, errors, the trace and [DONE]", () => {
  const lines = linesOf("chat", everything);
  expect(lines.map((line) => line.slice(0, line.indexOf(":")))).toEqual([
    ...["data", "data", "intermediate_data", "data", "data", "observability_trace", "data", "data"],
  ]);
  const chunks = lines.flatMap((line) => (/^data: \{/u.test(line) ? [JSON.parse(line.slice(6))] : []));
  expect(chunks.map(({ choices }) => choices?.[0].delta.content ?? "").join("")).toBe("It is noon.");
  expect(chunks[0].choices[0].delta.role).toBe("assistant");
  expect(chunks.at(-1)).toMatchObject({ model: "clock", choices: [{ finish_reason: "stop" }] });
  // Over HTTP the toolkit swaps `message` and `details`.
  expect(chunks[2]).toEqual({ code: "workflow_error", message: "it is broken", details: "Clock" });
  expect(lines.at(-1)).toBe("data: [DONE]");
});

test("the toolkit's generate streams values, and ends without [DONE]", () => {
  const lines = linesOf("generate", everything);
  expect(lines.filter((line) => line.startsWith('data: {"value"'))).toEqual([
    'data: {"value":"It is "}',
    'data: {"value":"noon."}',
  ]);
  expect(lines.at(-1)).toMatch(/^observability_trace: /u);
});

test("a full stream has typed steps, filtered by type", () => {
  const stepsOf = (types?: string[]) =>
    linesOf("full", everything, types).flatMap((line) =>
      line.startsWith("intermediate_data: ") ? [JSON.parse(line.slice(19))] : [],
    );
  const [raw] = stepsOf();
  expect(raw).toMatchObject({ id: "s1", parent_id: "root", type: "TOOL_START", name: "Tool: calc" });
  expect(JSON.parse(raw.payload)).toMatchObject({ event_type: "TOOL_START", UUID: "s1", data: { payload: "2" } });
  expect(stepsOf(["TOOL_START"])).toHaveLength(1);
  expect([...stepsOf(["LLM_END"]), ...stepsOf([])]).toEqual([]);
});

test("a failed stream of OpenAI ends with an error and without a stop chunk", () => {
  const last = createHttpLines("openai", head).last(error);
  expect(last).not.toContain("finish_reason");
  const [first = "", done] = last.trimEnd().split("\n\n");
  expect(JSON.parse(first.slice(6))).toEqual({
    error: { message: "Clock: it is broken", type: "server_error", param: null, code: "workflow_error" },
  });
  expect(done).toBe("data: [DONE]");
});

test("OpenAI clients get only chunks", () => {
  const lines = linesOf("openai", everything);
  expect(lines.at(-1)).toBe("data: [DONE]");
  for (const line of lines.slice(0, -1)) expect(JSON.parse(line.slice(6)).object).toBe("chat.completion.chunk");
});

test("an answer that is not streamed is a completion, or a value", () => {
  expect(wholeAnswer("chat", head, "noon")).toMatchObject({ choices: [{ message: { content: "noon" } }] });
  expect(wholeAnswer("generate", head, "noon")).toEqual({ value: "noon" });
});
