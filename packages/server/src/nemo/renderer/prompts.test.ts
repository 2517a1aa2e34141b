import { replyFeature } from "@plenary/protocol";
import { expect, test } from "vitest";
import { errorsIn, fox, Listener, me, owl, promptsIn, startMs, textIn } from "../../testing/nemo-listener.ts";

const tea = { id: "q1", input_type: "radio", text: "Which tea?", options: ["Green", "Black"] };
const sugar = { id: "q2", input_type: "text", text: "Sugar?" };

function asked(question: object = tea, clientFeatures: { hasAllPrompts?: boolean } = {}): Listener {
  const listener = new Listener(clientFeatures);
  listener.participants(owl, "Owl");
  listener.begins();
  listener.asks(owl, question);
  return listener;
}

const replies = (listener: Listener, ...texts: string[]) => listener.renderer.reply(texts, listener.nowMs);

test("a question is shown as one and not told as words", () => {
  const listener = asked();
  expect(promptsIn(listener.output)).toMatchObject([{ input_type: "radio", text: "Which tea?", timeout: null }]);
  expect(textIn(listener.output)).toBe("");
  expect(listener.renderer.isAsking()).toBe(true);
});

test("where several could ask, the question says who does", () => {
  const listener = new Listener();
  listener.participants(owl, "Owl");
  listener.participants(fox, "Fox");
  listener.begins();
  expect(promptsIn(listener.asks(fox, tea))).toMatchObject([{ text: "Fox: Which tea?" }]);
});

test("an answer is given to whoever asked, and the bubble then says what was asked and answered", () => {
  const listener = asked();
  expect(replies(listener, "Green")).toEqual({
    ...{ kind: "reply", id: "q1", to: owl, isPrivate: false, values: ["Green"], words: "Green" },
  });
  expect(textIn(listener.renderer.replied(listener.nowMs))).toBe("*Owl asked: Which tea? — You answered: Green*");
  expect(listener.renderer.isAsking()).toBe(false);
  const features = { interactionReply: replyFeature("q1", ["Green"]) };
  expect(listener.says(me, "Green", { to: owl, features })).toEqual([]);
});

test("an answer to what was whispered is whispered", () => {
  const listener = new Listener();
  listener.participants(owl, "Owl");
  listener.begins();
  listener.asks(owl, tea, { isPrivate: true });
  expect(replies(listener, "1")).toMatchObject({ isPrivate: true, values: ["Green"] });
});

test("one question is shown at a time, in the order in which they were asked", () => {
  const listener = asked();
  expect(promptsIn(listener.asks(owl, sugar))).toEqual([]);
  replies(listener, "Black");
  expect(promptsIn(listener.renderer.replied(listener.nowMs))).toMatchObject([{ text: "Sugar?" }]);
  replies(listener, "Two lumps");
  expect(promptsIn(listener.renderer.replied(listener.nowMs))).toEqual([]);
});

test("what is asked again is shown in place of what was asked before, and one answer is enough", () => {
  const listener = asked();
  expect(promptsIn(listener.asks(owl, { ...tea, text: "No such tea. Which?" }))).toMatchObject([
    { text: "No such tea. Which?" },
  ]);
  expect(replies(listener, "Green")).toMatchObject({ kind: "reply", id: "q1", values: ["Green"] });
  listener.renderer.replied(listener.nowMs);
  expect(listener.renderer.isAsking()).toBe(false);
});

test("what is taken back is waited for no longer", () => {
  const listener = asked();
  const output = listener.asks(owl, { id: "q1", input_type: "notification", text: "Never mind." });
  expect(textIn(output)).toBe("*Owl notes: Never mind.*");
  expect(promptsIn(output)).toMatchObject([{ input_type: "notification" }]);
  expect(listener.renderer.isAsking()).toBe(false);
  expect(replies(listener, "Green")).toMatchObject({ kind: "lack" });
});

test("a question that was asked outside a turn is shown in the next one", () => {
  const listener = new Listener();
  listener.participants(owl, "Owl");
  expect(listener.asks(owl, tea)).toEqual([]);
  expect(promptsIn(listener.begins())).toMatchObject([{ text: "Which tea?" }]);
});

test("questions to somebody else are words, and those to everyone are for this person too", () => {
  const listener = new Listener();
  listener.participants(owl, "Owl");
  listener.begins();
  const output = listener.asks(owl, tea, { to: fox });
  expect(promptsIn(output)).toEqual([]);
  expect(textIn(output)).toBe("(asked in words)");
  const interaction = { mimeType: "application/vnd.plenary.interaction+json", tokens: [{ value: tea }] };
  expect(promptsIn(listener.says(owl, "Tea?", { features: { interaction } }))).toHaveLength(1);
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
  const listener = asked({ ...tea, input_type: "checkbox" });
  expect(replies(listener, ...texts)).toMatchObject({ kind: "reply", values });
});

test("for a client without a control for it a choice of several is asked in words with numbers", () => {
  const listener = asked({ ...tea, input_type: "checkbox" }, { hasAllPrompts: false });
  const [prompt] = promptsIn(listener.output);
  expect(prompt).toMatchObject({ input_type: "text" });
  expect(prompt?.text).toMatch(/^Which tea\? \(1\) Green; \(2\) Black\. Answer with the numbers/u);
});

test("an answer that is none comes back with its reason in the question, with what is left of its time", () => {
  const listener = asked({ ...tea, timeout: 30 });
  listener.nowMs += 10_500;
  for (const text of ["", "  ", "7", "coffee"]) {
    const reply = replies(listener, text);
    if (reply.kind !== "lack") throw new Error(`${text} is no answer`);
    const asked = expect.stringMatching(
      /^[AT][a-z ]+\. Choose from: Green, Black\. Which tea\?$|^Choose a number from 1 to 2\. Which tea\?$/u,
    );
    expect(reply.output).toMatchObject([{ kind: "prompt", content: { text: asked, timeout: 20 } }]);
  }
  expect(replies(listener, "Green").kind).toBe("reply");
});

test("an empty answer is one where none is needed", () => {
  const listener = asked({ ...sugar, required: false });
  expect(replies(listener, "")).toMatchObject({ kind: "reply", values: [], words: "No answer" });
});

test("a reply that nobody asked for, a second one and a late one are answered, and nothing is said for them", () => {
  const listener = asked({ ...tea, timeout: 30 });
  replies(listener, "Green");
  const second = replies(listener, "Black");
  listener.renderer.replied(listener.nowMs);
  const unasked = replies(listener, "Black");
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
  const listener = asked({ ...tea, timeout: 30, error: "The kettle is cold." });
  listener.asks(owl, sugar);
  expect(listener.renderer.nextAtMs()).toBe(startMs + 30_000);
  expect(listener.passes(29_999)).toEqual([]);
  const output = listener.passes(1);
  expect(errorsIn(output)).toEqual([
    { code: "workflow_error", message: "TimeoutError", details: "The kettle is cold." },
  ]);
  expect(textIn(output)).toBe("*Owl asked: Which tea? — The kettle is cold.*");
  expect(promptsIn(output)).toMatchObject([{ text: "Sugar?" }]);
});

test("what comes when its time is up already is not waited for, and is said to be over", () => {
  const listener = new Listener();
  listener.participants(owl, "Owl");
  listener.begins();
  listener.passes(60_000);
  const output = listener.asks(owl, { id: "q", text: "Now?", input_type: "text", timeout: 30, error: "Too late." });
  expect([promptsIn(output), textIn(output)]).toEqual([[], "*Owl asked: Now? — Too late.*"]);
  expect(listener.renderer.isAsking()).toBe(false);
});

test("a client that comes back is shown the question with the time that is left", () => {
  const listener = asked({ ...tea, timeout: 30 });
  expect(promptsIn(listener.renderer.resumed(startMs + 12_300))).toMatchObject([{ timeout: 18 }]);
  expect(promptsIn(listener.renderer.resumed(startMs + 29_999))).toMatchObject([{ timeout: 1 }]);
  expect(replies(listener, "Green").kind).toBe("reply");
});

test("a question that was answered elsewhere closes, and the next one is shown", () => {
  const listener = asked();
  listener.asks(owl, { ...tea, id: "q2", text: "Sugar?", options: ["None", "Some"] });
  const output = listener.says(me, "green");
  expect(textIn(output)).toBe("*Owl asked: Which tea? — You answered: green*");
  expect(promptsIn(output)).toMatchObject([{ text: "Sugar?" }]);
});

test("whoever has left waits for no answer", () => {
  const listener = asked();
  expect(textIn(listener.event("bye", owl))).toBe("*Owl asked: Which tea? — and left*");
  expect(listener.renderer.isAsking()).toBe(false);
});

test("an answer that the floor did not take may be given again", () => {
  const listener = asked();
  replies(listener, "Green");
  const output = listener.renderer.trouble({ code: "workflow_error", message: "Refused", details: "not now" });
  expect(promptsIn(output)).toHaveLength(1);
  expect(replies(listener, "Green").kind).toBe("reply");
});

test("a notification is shown at once beside a question, and waits for nothing", () => {
  const listener = asked();
  const output = listener.asks(owl, { input_type: "notification", text: "Tea *is* ready" });
  expect(promptsIn(output)).toMatchObject([{ input_type: "notification", text: "Tea *is* ready" }]);
  expect(textIn(output)).toBe("*Owl notes: Tea ＊is＊ ready*");
  replies(listener, "Green");
  listener.renderer.replied(listener.nowMs);
  expect(listener.renderer.isAsking()).toBe(false);
});

test("an address where consent is given is opened before the question, if it is one that may be", () => {
  const url = "https://login.example.org/authorize?x=1";
  const whispered = (address: unknown) => {
    const listener = new Listener();
    listener.participants(owl, "Owl");
    listener.begins();
    listener.asks(owl, { ...sugar, url: address }, { isPrivate: true });
    return listener.output;
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
  const listener = asked({ ...tea, error: long, options: [option, { label: "b", value: "b" }] });
  const [prompt] = promptsIn(listener.output);
  const short = `${"a".repeat(500)}…`;
  expect(prompt).toMatchObject({
    error: "a".repeat(1_000),
    options: [{ label: short, value: long, description: short }, {}],
  });
});

test("a question whose words were streamed already is told to its end, and shown", () => {
  const listener = new Listener();
  listener.participants(owl, "Owl");
  listener.begins();
  listener.drafts(owl, "d", { delta: "(asked " });
  const output = listener.asks(owl, tea, { id: "d" });
  expect(textIn(output)).toBe("in words)");
  expect(promptsIn(output)).toHaveLength(1);
});

test("what was asked and answered before is not shown again, what still waits is", () => {
  const listener = new Listener({ after: 5 });
  listener.begins();
  listener.participants(owl, "Owl");
  expect(listener.asks(owl, tea)).toEqual([]);
  expect(
    listener.says(me, "Green", { to: owl, features: { interactionReply: replyFeature("q1", ["Green"]) } }),
  ).toEqual([]);
  expect(promptsIn(listener.asks(owl, sugar))).toMatchObject([{ text: "Sugar?" }]);
  expect(textIn(listener.output)).toBe("");
});

test("more than 50 questions wait for nobody", () => {
  const listener = asked();
  for (let number = 1; number <= 50; number += 1)
    listener.asks(owl, { ...tea, id: `more-${number}`, text: `${number}?` });
  expect(promptsIn(listener.output).map(({ text }) => text)).toEqual(["Which tea?", "1?"]);
  expect(textIn(listener.output)).toBe("*Owl asked: Which tea? — left out: too many questions wait*");
});
