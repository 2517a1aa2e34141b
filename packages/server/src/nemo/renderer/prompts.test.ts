import { replyFeature } from "@plenary/protocol";
import { expect, test } from "vitest";
import { errorsIn, fox, me, owl, promptsIn, RendererFixture, startMs, textIn } from "../../testing/nemo-renderer.ts";

const tea = { id: "q1", input_type: "radio", text: "Which tea?", options: ["Green", "Black"] };
const sugar = { id: "q2", input_type: "text", text: "Sugar?" };

function asked(question: object = tea, clientFeatures: { hasAllPrompts?: boolean } = {}): RendererFixture {
  const fixture = new RendererFixture(clientFeatures);
  fixture.joins(owl, "Owl");
  fixture.begins();
  fixture.asks(owl, question);
  return fixture;
}

const replies = (fixture: RendererFixture, ...texts: string[]) => fixture.renderer.reply(texts, fixture.nowMs);

test("a question is shown as one and not told as words", () => {
  const fixture = asked();
  expect(promptsIn(fixture.output)).toMatchObject([{ input_type: "radio", text: "Which tea?", timeout: null }]);
  expect(textIn(fixture.output)).toBe("");
  expect(fixture.renderer.hasPrompt()).toBe(true);
});

test("where several could ask, the question says who does", () => {
  const fixture = new RendererFixture();
  fixture.joins(owl, "Owl");
  fixture.joins(fox, "Fox");
  fixture.begins();
  expect(promptsIn(fixture.asks(fox, tea))).toMatchObject([{ text: "Fox: Which tea?" }]);
});

test("an answer is given to whoever asked, and the bubble then says what was asked and answered", () => {
  const fixture = asked();
  expect(replies(fixture, "Green")).toEqual({
    ...{ kind: "reply", id: "q1", to: owl, isPrivate: false, values: ["Green"], words: "Green" },
  });
  expect(textIn(fixture.renderer.replyAccepted(fixture.nowMs))).toBe("*Owl asked: Which tea? — You answered: Green*");
  expect(fixture.renderer.hasPrompt()).toBe(false);
  const features = { interactionReply: replyFeature("q1", ["Green"]) };
  expect(fixture.says(me, "Green", { to: owl, features })).toEqual([]);
});

test("an answer to what was whispered is whispered", () => {
  const fixture = new RendererFixture();
  fixture.joins(owl, "Owl");
  fixture.begins();
  fixture.asks(owl, tea, { isPrivate: true });
  expect(replies(fixture, "1")).toMatchObject({ isPrivate: true, values: ["Green"] });
});

test("one question is shown at a time, in the order in which they were asked", () => {
  const fixture = asked();
  expect(promptsIn(fixture.asks(owl, sugar))).toEqual([]);
  replies(fixture, "Black");
  expect(promptsIn(fixture.renderer.replyAccepted(fixture.nowMs))).toMatchObject([{ text: "Sugar?" }]);
  replies(fixture, "Two lumps");
  expect(promptsIn(fixture.renderer.replyAccepted(fixture.nowMs))).toEqual([]);
});

test("what is asked again is shown in place of what was asked before, and one answer is enough", () => {
  const fixture = asked();
  expect(promptsIn(fixture.asks(owl, { ...tea, text: "No such tea. Which?" }))).toMatchObject([
    { text: "No such tea. Which?" },
  ]);
  expect(replies(fixture, "Green")).toMatchObject({ kind: "reply", id: "q1", values: ["Green"] });
  fixture.renderer.replyAccepted(fixture.nowMs);
  expect(fixture.renderer.hasPrompt()).toBe(false);
});

test("what is taken back is waited for no longer", () => {
  const fixture = asked();
  const output = fixture.asks(owl, { id: "q1", input_type: "notification", text: "Never mind." });
  expect(textIn(output)).toBe("*Owl notes: Never mind.*");
  expect(promptsIn(output)).toMatchObject([{ input_type: "notification" }]);
  expect(fixture.renderer.hasPrompt()).toBe(false);
  expect(replies(fixture, "Green")).toMatchObject({ kind: "lack" });
});

test("a question that was asked outside a turn is shown in the next one", () => {
  const fixture = new RendererFixture();
  fixture.joins(owl, "Owl");
  expect(fixture.asks(owl, tea)).toEqual([]);
  expect(promptsIn(fixture.begins())).toMatchObject([{ text: "Which tea?" }]);
});

test("questions to somebody else are words, and those to everyone are for this person too", () => {
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
])("several may be chosen: %j", (texts, values) => {
  const fixture = asked({ ...tea, input_type: "checkbox" });
  expect(replies(fixture, ...texts)).toMatchObject({ kind: "reply", values });
});

test("for a client without a control for it a choice of several is asked in words with numbers", () => {
  const fixture = asked({ ...tea, input_type: "checkbox" }, { hasAllPrompts: false });
  const [prompt] = promptsIn(fixture.output);
  expect(prompt).toMatchObject({ input_type: "text" });
  expect(prompt?.text).toMatch(/^Which tea\? \(1\) Green; \(2\) Black\. Answer with the numbers/u);
});

test("an answer that is none comes back with its reason in the question, with what is left of its time", () => {
  const fixture = asked({ ...tea, timeout: 30 });
  fixture.nowMs += 10_500;
  for (const text of ["", "  ", "7", "coffee"]) {
    const reply = replies(fixture, text);
    if (reply.kind !== "lack") throw new Error(`${text} is no answer`);
    const asked = expect.stringMatching(
      /^[AT][a-z ]+\. Choose from: Green, Black\. Which tea\?$|^Choose a number from 1 to 2\. Which tea\?$/u,
    );
    expect(reply.output).toMatchObject([{ kind: "prompt", content: { text: asked, timeout: 20 } }]);
  }
  expect(replies(fixture, "Green").kind).toBe("reply");
});

test("an empty answer is one where none is needed", () => {
  const fixture = asked({ ...sugar, required: false });
  expect(replies(fixture, "")).toMatchObject({ kind: "reply", values: [], words: "No answer" });
});

test("a reply that nobody asked for, a second one and a late one are answered, and nothing is said for them", () => {
  const fixture = asked({ ...tea, timeout: 30 });
  replies(fixture, "Green");
  const second = replies(fixture, "Black");
  fixture.renderer.replyAccepted(fixture.nowMs);
  const unasked = replies(fixture, "Black");
  const late = asked({ ...tea, timeout: 30 });
  late.nowMs += 30_000;
  for (const reply of [second, unasked, replies(late, "Green")]) {
    if (reply.kind !== "lack") throw new Error("nothing was asked");
    expect(errorsIn(reply.output)).toMatchObject([{ code: "invalid_message" }]);
    expect(errorsIn(reply.output)[0]?.details).toMatch(/^no question waits for an answer/u);
    expect(textIn(reply.output)).toContain("no question waits");
  }
});

test("when its time is up a question ends with its own words, and the next one is shown", () => {
  const fixture = asked({ ...tea, timeout: 30, error: "The kettle is cold." });
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

test("what comes when its time is up already is not waited for, and is said to be over", () => {
  const fixture = new RendererFixture();
  fixture.joins(owl, "Owl");
  fixture.begins();
  fixture.passes(60_000);
  const output = fixture.asks(owl, { id: "q", text: "Now?", input_type: "text", timeout: 30, error: "Too late." });
  expect([promptsIn(output), textIn(output)]).toEqual([[], "*Owl asked: Now? — Too late.*"]);
  expect(fixture.renderer.hasPrompt()).toBe(false);
});

test("a client that comes back is shown the question with the time that is left", () => {
  const fixture = asked({ ...tea, timeout: 30 });
  expect(promptsIn(fixture.renderer.repeatPrompt(startMs + 12_300))).toMatchObject([{ timeout: 18 }]);
  expect(promptsIn(fixture.renderer.repeatPrompt(startMs + 29_999))).toMatchObject([{ timeout: 1 }]);
  expect(replies(fixture, "Green").kind).toBe("reply");
});

test("a question that was answered elsewhere closes, and the next one is shown", () => {
  const fixture = asked();
  fixture.asks(owl, { ...tea, id: "q2", text: "Sugar?", options: ["None", "Some"] });
  const output = fixture.says(me, "green");
  expect(textIn(output)).toBe("*Owl asked: Which tea? — You answered: green*");
  expect(promptsIn(output)).toMatchObject([{ text: "Sugar?" }]);
});

test("whoever has left waits for no answer", () => {
  const fixture = asked();
  expect(textIn(fixture.event("bye", owl))).toBe("*Owl asked: Which tea? — and left*");
  expect(fixture.renderer.hasPrompt()).toBe(false);
});

test("an answer that the floor did not take may be given again", () => {
  const fixture = asked();
  replies(fixture, "Green");
  const output = fixture.renderer.showError({ code: "workflow_error", message: "Refused", details: "not now" });
  expect(promptsIn(output)).toHaveLength(1);
  expect(replies(fixture, "Green").kind).toBe("reply");
});

test("a notification is shown at once beside a question, and waits for nothing", () => {
  const fixture = asked();
  const output = fixture.asks(owl, { input_type: "notification", text: "Tea *is* ready" });
  expect(promptsIn(output)).toMatchObject([{ input_type: "notification", text: "Tea *is* ready" }]);
  expect(textIn(output)).toBe("*Owl notes: Tea ＊is＊ ready*");
  replies(fixture, "Green");
  fixture.renderer.replyAccepted(fixture.nowMs);
  expect(fixture.renderer.hasPrompt()).toBe(false);
});

test("an address where consent is given is opened before the question, if it is one that may be", () => {
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
  // Told to everyone it is a link, which nobody's client opens by itself.
  const open = asked({ ...sugar, url }).output;
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

test("what stands beside a question is short and steers nothing, and what is answered stays as it is", () => {
  const long = `\u202e${"a".repeat(1_000)}`;
  const option = { label: long, value: long, description: long };
  const fixture = asked({ ...tea, error: long, options: [option, { label: "b", value: "b" }] });
  const [prompt] = promptsIn(fixture.output);
  const short = `${"a".repeat(500)}…`;
  expect(prompt).toMatchObject({
    error: "a".repeat(1_000),
    options: [{ label: short, value: long, description: short }, {}],
  });
});

test("a question whose words were streamed already is told to its end, and shown", () => {
  const fixture = new RendererFixture();
  fixture.joins(owl, "Owl");
  fixture.begins();
  fixture.drafts(owl, "d", { delta: "(asked " });
  const output = fixture.asks(owl, tea, { id: "d" });
  expect(textIn(output)).toBe("in words)");
  expect(promptsIn(output)).toHaveLength(1);
});

test("what was asked and answered before is not shown again, what still waits is", () => {
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

test("more than 50 questions wait for nobody", () => {
  const fixture = asked();
  for (let number = 1; number <= 50; number += 1)
    fixture.asks(owl, { ...tea, id: `more-${number}`, text: `${number}?` });
  expect(promptsIn(fixture.output).map(({ text }) => text)).toEqual(["Which tea?", "1?"]);
  expect(textIn(fixture.output)).toBe("*Owl asked: Which tea? — left out: too many questions wait*");
});
