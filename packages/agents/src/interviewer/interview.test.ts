import { describe, expect, test } from "vitest";
import {
  continueInterview,
  type Interview,
  type Item,
  isClearAnswer,
  ownScript,
  requestIn,
  type Script,
  startInterview,
} from "./interview.ts";

const scriptOf = (text: string): Script => {
  const request = requestIn(text);
  if (request?.kind !== "start") throw new Error(`not asked for: ${text}`);
  return request.script;
};

/** Gives the answers in order; returns the last step. */
function play(script: Script, ...said: (string | readonly string[])[]) {
  let interview: Interview = startInterview(script);
  for (const [at, words] of said.entries()) {
    const turn = continueInterview(interview, typeof words === "string" ? [words] : words);
    if (at === said.length - 1) return turn;
    if (turn.kind === "over") throw new Error(`over at ${words}: ${turn.text}`);
    interview = turn.interview;
  }
  throw new Error("nothing was said");
}

describe("an interview request", () => {
  test.each([
    ...[
      "interview me",
      "Interview me!",
      "please interview me",
      "could you interview me, please?",
      "interview me please",
    ],
    ...["I want to be interviewed", "I'd like to be interviewed.", "start an interview", "ask me some questions"],
  ])("%s", (text) => {
    expect(requestIn(text)).toEqual({ kind: "start", script: ownScript });
  });

  test("starts an interview with every kind of question", () => {
    const kinds = ownScript.items.map(({ inputType }) => inputType);
    expect(kinds).toEqual(["text", "radio", "checkbox", "dropdown", "binary_choice"]);
  });

  test("may bring its own questions", () => {
    const text =
      "interview me about lunch: which day? (Mon, Tue, Wed); how hungry?; vegetarian? (yes, no); drinks (any: tea, water); size (1,2,3,4,5,6)";
    expect(scriptOf(text)).toEqual({
      topic: "lunch",
      items: [
        { text: "which day?", inputType: "radio", options: ["Mon", "Tue", "Wed"], isRequired: false },
        { text: "how hungry?", inputType: "text", options: [], isRequired: false },
        { text: "vegetarian?", inputType: "binary_choice", options: ["yes", "no"], isRequired: false },
        { text: "drinks", inputType: "checkbox", options: ["tea", "water"], isRequired: false },
        { text: "size", inputType: "dropdown", options: ["1", "2", "3", "4", "5", "6"], isRequired: false },
      ],
    });
    expect(scriptOf("interview me: how are you?").items).toMatchObject([{ text: "how are you?", inputType: "text" }]);
  });

  test("is cut to a maximum of questions and characters", () => {
    const { items } = scriptOf(
      `interview me: ${`${"why ".repeat(100)}(${"a".repeat(99)}, ${"b, c, d, e,".repeat(9)});`.repeat(30)}`,
    );
    expect(items).toHaveLength(10);
    expect(items[0]?.text.length).toBeLessThanOrEqual(200);
    expect(items[0]?.options.every(({ length }) => length <= 60)).toBe(true);
  });

  test.each(["interview me about lunch", "interview me: ", "interview me about lunch: ;;", "interview me: (a, b)"])(
    "without a question it asks for them: %s",
    (text) => {
      expect(requestIn(text)).toEqual({ kind: "howTo" });
    },
  );

  test.each([
    ...["", "I have a job interview", "the interview went well", "interview Bob", "did they interview me?"],
    ...["nobody would interview me", "interview", "ask me anything", "questions?"],
  ])("is not in: %s", (text) => {
    expect(requestIn(text)).toBeUndefined();
  });
});

describe("an interview", () => {
  test("asks one question after another, and sums up", () => {
    expect(play(ownScript, "Ann")).toMatchObject({ kind: "ask", item: { text: "What brought you here?" } });
    const whole = play(ownScript, "Ann", "work", ["Whispering", "Passing the floor"], "3", "yeah");
    expect(whole).toEqual({
      kind: "over",
      text: `Thank you. Your answers:
- What shall I call you? **Ann**
- What brought you here? **Work**
- Which of these would you like to try? **Whispering, Passing the floor**
- How many agents make a good conversation? **Three to five**
- Should an agent speak up when nobody has called it? **Yes**`,
    });
  });

  test("names its topic at the end", () => {
    const script = scriptOf("interview me about lunch: which day? (Mon, Tue)");
    expect(play(script, "TUE")).toEqual({
      kind: "over",
      text: "Thank you. Your answers about lunch:\n- which day? **Tue**",
    });
  });

  test("repeats a question after an invalid answer, and says why", () => {
    const again = play(ownScript, "Ann", "pizza");
    expect(again).toMatchObject({ kind: "ask", item: { text: "What brought you here?" } });
    expect(again).toMatchObject({ error: "One of these, please: Curiosity, Work, Somebody invited me." });
    expect(play(ownScript, "Ann", ["Work", "Curiosity"])).toMatchObject({
      error: expect.stringMatching(/^One of these/),
    });
    expect(play(ownScript, "Ann", "work", "Whispering and singing")).toMatchObject({
      error: expect.stringMatching(/^Any of these/),
    });
    expect(play(ownScript, "x".repeat(301))).toMatchObject({ error: expect.stringMatching(/too long/) });
    expect(play(ownScript, "")).toMatchObject({ error: expect.stringMatching(/“skip”/) });
  });

  test("skips a question after three invalid answers", () => {
    expect(play(ownScript, "Ann", "a", "b", "c")).toMatchObject({
      remark: "I skip that one.",
      item: { inputType: "checkbox" },
    });
  });

  test("reads several choices from plain text", () => {
    const script = scriptOf("interview me: drinks (any: tea, water, salt and pepper)");
    expect(play(script, "tea and water")).toMatchObject({ text: expect.stringMatching(/\*\*tea, water\*\*/) });
    expect(play(script, "salt and pepper")).toMatchObject({ text: expect.stringMatching(/\*\*salt and pepper\*\*/) });
    expect(play(script, "1, 2, 2")).toMatchObject({ text: expect.stringMatching(/\*\*tea, water\*\*/) });
  });

  test("skips a question on `skip` or an empty answer, and ends on `stop`", () => {
    expect(play(ownScript, "skip", [])).toMatchObject({ kind: "ask", item: { inputType: "checkbox" } });
    expect(play(ownScript, "Ann", "skip", "stop")).toEqual({
      kind: "over",
      text: "Stopped. Thank you. Your answers:\n- What shall I call you? **Ann**\n- What brought you here? (skipped)",
    });
    expect(play(ownScript, "stop!")).toMatchObject({
      text: expect.stringMatching(/^Stopped. You answered no question/),
    });
  });

  test("takes `stop` as an answer when it is a choice", () => {
    const script = scriptOf("interview me: what now? (go, stop)");
    expect(play(script, "stop")).toMatchObject({ text: expect.stringMatching(/\*\*stop\*\*/) });
  });

  test("escapes Markdown in the summary", () => {
    const script = scriptOf("interview me: your name?");
    expect(play(script, "**Ann**\n# <b>")).toMatchObject({
      text: "Thank you. Your answers:\n- your name? **\\*\\*Ann\\*\\* # \\<b\\>**",
    });
  });
});

test("text to everyone counts as an answer only if it is a command or a valid choice", () => {
  const [text, radio] = ownScript.items as [Item, Item];
  expect(isClearAnswer(text, "Ann")).toBe(false);
  expect(isClearAnswer(text, "2 + 2")).toBe(false);
  expect(isClearAnswer(text, "skip")).toBe(true);
  expect(isClearAnswer(radio, "Work")).toBe(true);
  expect(isClearAnswer(radio, "work, you know")).toBe(false);
  expect(isClearAnswer(radio, "stop")).toBe(true);
});
