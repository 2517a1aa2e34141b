import { replyFeature } from "@plenary/protocol";
import { expect, test } from "vitest";
import { errorsIn, fox, Listener, me, owl, promptsIn, startMs, textIn } from "../../testing/nemo-listener.ts";

const tea = { id: "q1", input_type: "radio", text: "Which tea?", options: ["Green", "Black"] };
const sugar = { id: "q2", input_type: "text", text: "Sugar?" };

function asked(question: object = tea, manner: { hasAllPrompts?: boolean } = {}): Listener {
  const listener = new Listener(manner);
  listener.seats(owl, "Owl");
  listener.begins();
  listener.asks(owl, question);
  return listener;
}

const replies = (listener: Listener, ...texts: string[]) => listener.narrator.reply(texts, listener.nowMs);

test("a question is shown as one and not told as words", () => {
  const listener = asked();
  expect(promptsIn(listener.told)).toMatchObject([{ input_type: "radio", text: "Which tea?", timeout: null }]);
  expect(textIn(listener.told)).toBe("");
  expect(listener.narrator.isAsking()).toBe(true);
});

test("where several could ask, the question says who does", () => {
  const listener = new Listener();
  listener.seats(owl, "Owl");
  listener.seats(fox, "Fox");
  listener.begins();
  expect(promptsIn(listener.asks(fox, tea))).toMatchObject([{ text: "Fox: Which tea?" }]);
});

test("an answer is given to whoever asked, and the bubble then says what was asked and answered", () => {
  const listener = asked();
  expect(replies(listener, "Green")).toEqual({
    ...{ kind: "reply", id: "q1", to: owl, isPrivate: false, values: ["Green"], words: "Green" },
  });
  expect(textIn(listener.narrator.replied(listener.nowMs))).toBe("*Owl asked: Which tea? — You answered: Green*");
  expect(listener.narrator.isAsking()).toBe(false);
  const features = { interactionReply: replyFeature("q1", ["Green"]) };
  expect(listener.says(me, "Green", { to: owl, features })).toEqual([]);
});

test("an answer to what was whispered is whispered", () => {
  const listener = new Listener();
  listener.seats(owl, "Owl");
  listener.begins();
  listener.asks(owl, tea, { isPrivate: true });
  expect(replies(listener, "1")).toMatchObject({ isPrivate: true, values: ["Green"] });
});

test("one question is shown at a time, in the order in which they were asked", () => {
  const listener = asked();
  expect(promptsIn(listener.asks(owl, sugar))).toEqual([]);
  replies(listener, "Black");
  expect(promptsIn(listener.narrator.replied(listener.nowMs))).toMatchObject([{ text: "Sugar?" }]);
  replies(listener, "Two lumps");
  expect(promptsIn(listener.narrator.replied(listener.nowMs))).toEqual([]);
});

test("what is asked again is shown in place of what was asked before, and one answer is enough", () => {
  const listener = asked();
  expect(promptsIn(listener.asks(owl, { ...tea, text: "No such tea. Which?" }))).toMatchObject([
    { text: "No such tea. Which?" },
  ]);
  expect(replies(listener, "Green")).toMatchObject({ kind: "reply", id: "q1", values: ["Green"] });
  listener.narrator.replied(listener.nowMs);
  expect(listener.narrator.isAsking()).toBe(false);
});

test("what is taken back is waited for no longer", () => {
  const listener = asked();
  const told = listener.asks(owl, { id: "q1", input_type: "notification", text: "Never mind." });
  expect(textIn(told)).toBe("*Owl notes: Never mind.*");
  expect(promptsIn(told)).toMatchObject([{ input_type: "notification" }]);
  expect(listener.narrator.isAsking()).toBe(false);
  expect(replies(listener, "Green")).toMatchObject({ kind: "lack" });
});

test("a question that was asked outside a turn is shown in the next one", () => {
  const listener = new Listener();
  listener.seats(owl, "Owl");
  expect(listener.asks(owl, tea)).toEqual([]);
  expect(promptsIn(listener.begins())).toMatchObject([{ text: "Which tea?" }]);
});

test("questions to somebody else are words, and those to everyone are for this person too", () => {
  const listener = new Listener();
  listener.seats(owl, "Owl");
  listener.begins();
  const told = listener.asks(owl, tea, { to: fox });
  expect(promptsIn(told)).toEqual([]);
  expect(textIn(told)).toBe("(asked in words)");
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
  const [prompt] = promptsIn(listener.told);
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
    expect(reply.told).toMatchObject([{ kind: "prompt", content: { text: asked, timeout: 20 } }]);
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
  listener.narrator.replied(listener.nowMs);
  const unasked = replies(listener, "Black");
  const late = asked({ ...tea, timeout: 30 });
  late.nowMs += 30_000;
  for (const reply of [second, unasked, replies(late, "Green")]) {
    if (reply.kind !== "lack") throw new Error("nothing was asked");
    expect(errorsIn(reply.told)).toMatchObject([{ code: "invalid_message" }]);
    expect(errorsIn(reply.told)[0]?.details).toMatch(/^no question waits for an answer/u);
    expect(textIn(reply.told)).toContain("no question waits");
  }
});

test("when its time is up a question ends with its own words, and the next one is shown", () => {
  const listener = asked({ ...tea, timeout: 30, error: "The kettle is cold." });
  listener.asks(owl, sugar);
  expect(listener.narrator.nextAtMs()).toBe(startMs + 30_000);
  expect(listener.passes(29_999)).toEqual([]);
  const told = listener.passes(1);
  expect(errorsIn(told)).toEqual([{ code: "workflow_error", message: "TimeoutError", details: "The kettle is cold." }]);
  expect(textIn(told)).toBe("*Owl asked: Which tea? — The kettle is cold.*");
  expect(promptsIn(told)).toMatchObject([{ text: "Sugar?" }]);
});

test("what comes when its time is up already is not waited for, and is said to be over", () => {
  const listener = new Listener();
  listener.seats(owl, "Owl");
  listener.begins();
  listener.passes(60_000);
  const told = listener.asks(owl, { id: "q", text: "Now?", input_type: "text", timeout: 30, error: "Too late." });
  expect([promptsIn(told), textIn(told)]).toEqual([[], "*Owl asked: Now? — Too late.*"]);
  expect(listener.narrator.isAsking()).toBe(false);
});

test("a client that comes back is shown the question with the time that is left", () => {
  const listener = asked({ ...tea, timeout: 30 });
  expect(promptsIn(listener.narrator.resumed(startMs + 12_300))).toMatchObject([{ timeout: 18 }]);
  expect(promptsIn(listener.narrator.resumed(startMs + 29_999))).toMatchObject([{ timeout: 1 }]);
  expect(replies(listener, "Green").kind).toBe("reply");
});

test("a question that was answered elsewhere closes, and the next one is shown", () => {
  const listener = asked();
  listener.asks(owl, { ...tea, id: "q2", text: "Sugar?", options: ["None", "Some"] });
  const told = listener.says(me, "green");
  expect(textIn(told)).toBe("*Owl asked: Which tea? — You answered: green*");
  expect(promptsIn(told)).toMatchObject([{ text: "Sugar?" }]);
});

test("whoever has left waits for no answer", () => {
  const listener = asked();
  expect(textIn(listener.event("bye", owl))).toBe("*Owl asked: Which tea? — and left*");
  expect(listener.narrator.isAsking()).toBe(false);
});

test("an answer that the floor did not take may be given again", () => {
  const listener = asked();
  replies(listener, "Green");
  const told = listener.narrator.trouble({ code: "workflow_error", message: "Refused", details: "not now" });
  expect(promptsIn(told)).toHaveLength(1);
  expect(replies(listener, "Green").kind).toBe("reply");
});

test("a notification is shown at once beside a question, and waits for nothing", () => {
  const listener = asked();
  const told = listener.asks(owl, { input_type: "notification", text: "Tea *is* ready" });
  expect(promptsIn(told)).toMatchObject([{ input_type: "notification", text: "Tea *is* ready" }]);
  expect(textIn(told)).toBe("*Owl notes: Tea ＊is＊ ready*");
  replies(listener, "Green");
  listener.narrator.replied(listener.nowMs);
  expect(listener.narrator.isAsking()).toBe(false);
});

test("an address where consent is given is opened before the question, if it is one that may be", () => {
  const url = "https://login.example.org/authorize?x=1";
  const whispered = (address: unknown) => {
    const listener = new Listener();
    listener.seats(owl, "Owl");
    listener.begins();
    listener.asks(owl, { ...sugar, url: address }, { isPrivate: true });
    return listener.told;
  };
  const told = whispered(url);
  expect(promptsIn(told)).toMatchObject([{ input_type: "oauth_consent", text: url }, { input_type: "text" }]);
  expect(textIn(told)).toContain(`<${url}>`);
  // Told to everyone it is a link, which nobody's client opens by itself.
  const open = asked({ ...sugar, url }).told;
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
  const [prompt] = promptsIn(listener.told);
  const short = `${"a".repeat(500)}…`;
  expect(prompt).toMatchObject({
    error: "a".repeat(1_000),
    options: [{ label: short, value: long, description: short }, {}],
  });
});

test("a question whose words were streamed already is told to its end, and shown", () => {
  const listener = new Listener();
  listener.seats(owl, "Owl");
  listener.begins();
  listener.drafts(owl, "d", { delta: "(asked " });
  const told = listener.asks(owl, tea, { id: "d" });
  expect(textIn(told)).toBe("in words)");
  expect(promptsIn(told)).toHaveLength(1);
});

test("what was asked and answered before is not shown again, what still waits is", () => {
  const listener = new Listener({ after: 5 });
  listener.begins();
  listener.seats(owl, "Owl");
  expect(listener.asks(owl, tea)).toEqual([]);
  expect(
    listener.says(me, "Green", { to: owl, features: { interactionReply: replyFeature("q1", ["Green"]) } }),
  ).toEqual([]);
  expect(promptsIn(listener.asks(owl, sugar))).toMatchObject([{ text: "Sugar?" }]);
  expect(textIn(listener.told)).toBe("");
});

test("more than 50 questions wait for nobody", () => {
  const listener = asked();
  for (let number = 1; number <= 50; number += 1)
    listener.asks(owl, { ...tea, id: `more-${number}`, text: `${number}?` });
  expect(promptsIn(listener.told).map(({ text }) => text)).toEqual(["Which tea?", "1?"]);
  expect(textIn(listener.told)).toBe("*Owl asked: Which tea? — left out: too many questions wait*");
});
