import { replyFeature } from "@plenary/protocol";
import { expect, test } from "vitest";
import { errorsIn, fox, me, owl, promptsIn, RendererFixture, startMs, textIn } from "../../testing/nemo-renderer.ts";

const tea = { id: "q1", input_type: "radio", text: "Which tea?", options: ["Green", "Black"] };
const sugar = { id: "q2", input_type: "text", text: "Sugar?" };

function withQuestion(question: object = tea, clientFeatures: { hasAllPrompts?: boolean } = {}): RendererFixture {
  const fixture = new RendererFixture(clientFeatures);
  fixture.joins(owl, "Owl");
  fixture.begins();
  fixture.asks(owl, question);
  return fixture;
}

const replies = (fixture: RendererFixture, ...texts: string[]) => fixture.renderer.reply(texts, fixture.nowMs);

test("a question is sent as a prompt and not as text", () => {
  const fixture = withQuestion();
  expect(promptsIn(fixture.output)).toMatchObject([{ input_type: "radio", text: "Which tea?", timeout: null }]);
  expect(textIn(fixture.output)).toBe("");
  expect(fixture.renderer.hasPrompt()).toBe(true);
});

test("with several conversants, the prompt names the one that asks", () => {
  const fixture = new RendererFixture();
  fixture.joins(owl, "Owl");
  fixture.joins(fox, "Fox");
  fixture.begins();
  expect(promptsIn(fixture.asks(fox, tea))).toMatchObject([{ text: "Fox: Which tea?" }]);
});

test("an answer goes to the agent that asked, and the bubble shows question and answer", () => {
  const fixture = withQuestion();
  expect(replies(fixture, "Green")).toEqual({
    kind: "reply",
    id: "q1",
    to: owl,
    isPrivate: false,
    values: ["Green"],
    words: "Green",
  });
  expect(textIn(fixture.renderer.replyAccepted(fixture.nowMs))).toBe("*Owl asked: Which tea? — You answered: Green*");
  expect(fixture.renderer.hasPrompt()).toBe(false);
  const features = { interactionReply: replyFeature("q1", ["Green"]) };
  expect(fixture.says(me, "Green", { to: owl, features })).toEqual([]);
});

test("the answer to a whispered question is a whisper", () => {
  const fixture = new RendererFixture();
  fixture.joins(owl, "Owl");
  fixture.begins();
  fixture.asks(owl, tea, { isPrivate: true });
  expect(replies(fixture, "1")).toMatchObject({ isPrivate: true, values: ["Green"] });
});

test("one question is shown at a time, in the order of asking", () => {
  const fixture = withQuestion();
  expect(promptsIn(fixture.asks(owl, sugar))).toEqual([]);
  replies(fixture, "Black");
  expect(promptsIn(fixture.renderer.replyAccepted(fixture.nowMs))).toMatchObject([{ text: "Sugar?" }]);
  replies(fixture, "Two lumps");
  expect(promptsIn(fixture.renderer.replyAccepted(fixture.nowMs))).toEqual([]);
});

test("a repeated question replaces the earlier one, and one answer is enough", () => {
  const fixture = withQuestion();
  expect(promptsIn(fixture.asks(owl, { ...tea, text: "No such tea. Which?" }))).toMatchObject([
    { text: "No such tea. Which?" },
  ]);
  expect(replies(fixture, "Green")).toMatchObject({ kind: "reply", id: "q1", values: ["Green"] });
  fixture.renderer.replyAccepted(fixture.nowMs);
  expect(fixture.renderer.hasPrompt()).toBe(false);
});

test("a withdrawn question is closed", () => {
  const fixture = withQuestion();
  const output = fixture.asks(owl, { id: "q1", input_type: "notification", text: "Never mind." });
  expect(textIn(output)).toBe("*Owl notes: Never mind.*");
  expect(promptsIn(output)).toMatchObject([{ input_type: "notification" }]);
  expect(fixture.renderer.hasPrompt()).toBe(false);
  expect(replies(fixture, "Green")).toMatchObject({ kind: "lack" });
});

test("a question from outside a turn is shown in the next turn", () => {
  const fixture = new RendererFixture();
  fixture.joins(owl, "Owl");
  expect(fixture.asks(owl, tea)).toEqual([]);
  expect(promptsIn(fixture.begins())).toMatchObject([{ text: "Which tea?" }]);
});

test("a question to another conversant is text, and a question to all is a prompt", () => {
  const fixture = new RendererFixture();
  fixture.joins(owl, "Owl");
  fixture.begins();
  const output = fixture.asks(owl, tea, { to: fox });
  expect(promptsIn(output)).toEqual([]);
  expect(textIn(output)).toBe("(asked in words)");
  const interaction = { mimeType: "application/vnd.plenary.interaction+json", tokens: [{ value: tea }] };
  expect(promptsIn(fixture.says(owl, "Tea?", { features: { interaction } }))).toHaveLength(1);
});

test.each([
  [["1,2"], ["Green", "Black"]],
  [
    ["Green", "Black"],
    ["Green", "Black"],
  ],
  [['["Black"]'], ["Black"]],
  [["[1, 2]"], ["Green", "Black"]],
  [["Black, green"], ["Black", "Green"]],
])("a checkbox question accepts several choices: %j", (texts, values) => {
  const fixture = withQuestion({ ...tea, input_type: "checkbox" });
  expect(replies(fixture, ...texts)).toMatchObject({ kind: "reply", values });
});

test("for a client without checkboxes, the choices are numbered in the text", () => {
  const fixture = withQuestion({ ...tea, input_type: "checkbox" }, { hasAllPrompts: false });
  const [prompt] = promptsIn(fixture.output);
  expect(prompt).toMatchObject({ input_type: "text" });
  expect(prompt?.text).toMatch(/^Which tea\? \(1\) Green; \(2\) Black\. Answer with the numbers/u);
});

test("an invalid answer repeats the prompt with the reason and the remaining time", () => {
  const fixture = withQuestion({ ...tea, timeout: 30 });
  fixture.nowMs += 10_500;
  for (const text of ["", "  ", "7", "coffee"]) {
    const reply = replies(fixture, text);
    if (reply.kind !== "lack") throw new Error(`${text} is no answer`);
    const withQuestion = expect.stringMatching(
      /^[AT][a-z ]+\. Choose from: Green, Black\. Which tea\?$|^Choose a number from 1 to 2\. Which tea\?$/u,
    );
    expect(reply.output).toMatchObject([{ kind: "prompt", content: { text: withQuestion, timeout: 20 } }]);
  }
  expect(replies(fixture, "Green").kind).toBe("reply");
});

test("an optional question accepts an empty answer", () => {
  const fixture = withQuestion({ ...sugar, required: false });
  expect(replies(fixture, "")).toMatchObject({ kind: "reply", values: [], words: "No answer" });
});

test("an unexpected reply, a second one and a late one get an error", () => {
  const fixture = withQuestion({ ...tea, timeout: 30 });
  replies(fixture, "Green");
  const second = replies(fixture, "Black");
  fixture.renderer.replyAccepted(fixture.nowMs);
  const unasked = replies(fixture, "Black");
  const late = withQuestion({ ...tea, timeout: 30 });
  late.nowMs += 30_000;
  for (const reply of [second, unasked, replies(late, "Green")]) {
    if (reply.kind !== "lack") throw new Error("nothing was asked");
    expect(errorsIn(reply.output)).toMatchObject([{ code: "invalid_message" }]);
    expect(errorsIn(reply.output)[0]?.details).toMatch(/^no question waits for an answer/u);
    expect(textIn(reply.output)).toContain("no question waits");
  }
});

test("an expired question ends with its own error text, and the next one is shown", () => {
  const fixture = withQuestion({ ...tea, timeout: 30, error: "The kettle is cold." });
  fixture.asks(owl, sugar);
  expect(fixture.renderer.nextAtMs()).toBe(startMs + 30_000);
  expect(fixture.passes(29_999)).toEqual([]);
  const output = fixture.passes(1);
  expect(errorsIn(output)).toEqual([
    { code: "workflow_error", message: "TimeoutError", details: "The kettle is cold." },
  ]);
  expect(textIn(output)).toBe("*Owl asked: Which tea? — The kettle is cold.*");
  expect(promptsIn(output)).toMatchObject([{ text: "Sugar?" }]);
});

test("a question that arrives expired is closed at once, with its error text", () => {
  const fixture = new RendererFixture();
  fixture.joins(owl, "Owl");
  fixture.begins();
  fixture.passes(60_000);
  const output = fixture.asks(owl, { id: "q", text: "Now?", input_type: "text", timeout: 30, error: "Too late." });
  expect([promptsIn(output), textIn(output)]).toEqual([[], "*Owl asked: Now? — Too late.*"]);
  expect(fixture.renderer.hasPrompt()).toBe(false);
});

test("a client that reconnects gets the question with the remaining time", () => {
  const fixture = withQuestion({ ...tea, timeout: 30 });
  expect(promptsIn(fixture.renderer.repeatPrompt(startMs + 12_300))).toMatchObject([{ timeout: 18 }]);
  expect(promptsIn(fixture.renderer.repeatPrompt(startMs + 29_999))).toMatchObject([{ timeout: 1 }]);
  expect(replies(fixture, "Green").kind).toBe("reply");
});

test("a question that is answered by an utterance closes, and the next one is shown", () => {
  const fixture = withQuestion();
  fixture.asks(owl, { ...tea, id: "q2", text: "Sugar?", options: ["None", "Some"] });
  const output = fixture.says(me, "green");
  expect(textIn(output)).toBe("*Owl asked: Which tea? — You answered: green*");
  expect(promptsIn(output)).toMatchObject([{ text: "Sugar?" }]);
});

test("the questions of a conversant that left are closed", () => {
  const fixture = withQuestion();
  expect(textIn(fixture.event("bye", owl))).toBe("*Owl asked: Which tea? — and left*");
  expect(fixture.renderer.hasPrompt()).toBe(false);
});

test("an answer that the floor refused can be repeated", () => {
  const fixture = withQuestion();
  replies(fixture, "Green");
  const output = fixture.renderer.showError({ code: "workflow_error", message: "Refused", details: "not now" });
  expect(promptsIn(output)).toHaveLength(1);
  expect(replies(fixture, "Green").kind).toBe("reply");
});

test("a notification is shown at once beside a question, and needs no answer", () => {
  const fixture = withQuestion();
  const output = fixture.asks(owl, { input_type: "notification", text: "Tea *is* ready" });
  expect(promptsIn(output)).toMatchObject([{ input_type: "notification", text: "Tea *is* ready" }]);
  expect(textIn(output)).toBe("*Owl notes: Tea ＊is＊ ready*");
  replies(fixture, "Green");
  fixture.renderer.replyAccepted(fixture.nowMs);
  expect(fixture.renderer.hasPrompt()).toBe(false);
});

test("a safe consent address in a whispered question is opened before the question", () => {
  const url = "https://login.example.org/authorize?x=1";
  const whispered = (address: unknown) => {
    const fixture = new RendererFixture();
    fixture.joins(owl, "Owl");
    fixture.begins();
    fixture.asks(owl, { ...sugar, url: address }, { isPrivate: true });
    return fixture.output;
  };
  const output = whispered(url);
  expect(promptsIn(output)).toMatchObject([{ input_type: "oauth_consent", text: url }, { input_type: "text" }]);
  expect(textIn(output)).toContain(`<${url}>`);
  // In a question to all it is only a link, which clients do not open themselves.
  const open = withQuestion({ ...sugar, url }).output;
  expect(promptsIn(open)).toMatchObject([{ input_type: "text" }]);
  expect(textIn(open)).toContain(`<${url}>`);
  for (const bad of [
    "javascript:alert(1)",
    "https://a:b@c.d/",
    "https://c.d/a b",
    `https://c.d/${"x".repeat(9_000)}`,
    7,
  ]) {
    expect(promptsIn(whispered(bad))).toMatchObject([{ input_type: "text" }]);
  }
});

test("labels of a question are shortened and sanitized, and values stay unchanged", () => {
  const long = `\u202e${"a".repeat(1_000)}`;
  const option = { label: long, value: long, description: long };
  const fixture = withQuestion({ ...tea, error: long, options: [option, { label: "b", value: "b" }] });
  const [prompt] = promptsIn(fixture.output);
  const short = `${"a".repeat(500)}…`;
  expect(prompt).toMatchObject({
    error: "a".repeat(1_000),
    options: [{ label: short, value: long, description: short }, {}],
  });
});

test("a question whose text was partly streamed is sent to its end, and shown as a prompt", () => {
  const fixture = new RendererFixture();
  fixture.joins(owl, "Owl");
  fixture.begins();
  fixture.drafts(owl, "d", { delta: "(asked " });
  const output = fixture.asks(owl, tea, { id: "d" });
  expect(textIn(output)).toBe("in words)");
  expect(promptsIn(output)).toHaveLength(1);
});

test("in the known log, an answered question is not shown and an open one is", () => {
  const fixture = new RendererFixture({ after: 5 });
  fixture.begins();
  fixture.joins(owl, "Owl");
  expect(fixture.asks(owl, tea)).toEqual([]);
  expect(fixture.says(me, "Green", { to: owl, features: { interactionReply: replyFeature("q1", ["Green"]) } })).toEqual(
    [],
  );
  expect(promptsIn(fixture.asks(owl, sugar))).toMatchObject([{ text: "Sugar?" }]);
  expect(textIn(fixture.output)).toBe("");
});

test("at most 50 questions are open", () => {
  const fixture = withQuestion();
  for (let number = 1; number <= 50; number += 1)
    fixture.asks(owl, { ...tea, id: `more-${number}`, text: `${number}?` });
  expect(promptsIn(fixture.output).map(({ text }) => text)).toEqual(["Which tea?", "1?"]);
  expect(textIn(fixture.output)).toBe("*Owl asked: Which tea? — left out: too many questions wait*");
});
