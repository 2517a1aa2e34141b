import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { welcome } from "../addressing.ts";
import type { KnowledgeAnswer } from "./knowledge.ts";
import { atEnd, atStart, type LearnerAction, nextLessonStep, type Progress } from "./lesson.ts";
import {
  apologyFor,
  examples,
  farewell,
  greeting,
  greetings,
  helpRequests,
  menu,
  praise,
  question,
  taskOf,
} from "./lesson-texts.ts";

const agents = ["Clock", "Calculator"];
const action = (
  how: LearnerAction["how"],
  text = "good morning",
  more: Partial<LearnerAction> = {},
): LearnerAction => ({
  how,
  text,
  isPerson: true,
  agents,
  people: ["Ann"],
  isForAnother: false,
  ...more,
});
const at = (step: Progress["step"], misses = 0): Progress => ({ step, misses });
const steps = ["hello", "address", "whisper", "done"] as const;
const textFor = (value: string) => menu.find((choice) => choice.value === value)?.text(agents);
const heading = "What a convener is";
const known: KnowledgeAnswer = { isKnown: true, heading, text: "Like a chair.", isClear: true };
const unknown: KnowledgeAnswer = { isKnown: false, near: [heading, "What a floor is"] };

describe("the lesson", () => {
  test("leads from everyone to one agent to a whisper, with the next task in each answer", () => {
    const first = nextLessonStep(atStart, action("toEveryone"));
    expect(first).toMatchObject({ state: at("address"), answer: { asks: false } });
    expect(first.answer?.text).toBe(`${praise.heard} ${taskOf("address", agents)}`);
    expect(first.answer?.text).toContain(`\`@Clock ${examples.Clock}\``);
    const second = nextLessonStep(first.state, action("toAnother"));
    expect(second).toMatchObject({ state: at("whisper"), answer: { asks: false } });
    expect(second.answer?.text).toBe(`${praise.addressed} ${taskOf("whisper", agents)}`);
    const third = nextLessonStep(second.state, action("whispered"));
    expect(third).toMatchObject({ state: atEnd, answer: { asks: true } });
    expect(third.answer?.text).toBe(`${praise.whispered} ${question}`);
  });

  test("names the agents that are there", () => {
    const { answer } = nextLessonStep(atStart, action("toEveryone", "hi", { agents: ["Weather Bot"] }));
    expect(answer?.text).toMatch(/write `@Weather Bot what can you do\?`$/u);
  });

  test("leaves out the step that needs another agent when none is there", () => {
    const { state, answer } = nextLessonStep(atStart, action("toEveryone", "hi", { agents: [] }));
    expect(state).toEqual(at("whisper"));
    expect(answer?.text).toBe(`${praise.heard} ${taskOf("whisper", [])}`);
  });

  test("starts with a greeting to the guide or any text to everyone", () => {
    for (const text of greetings) expect(nextLessonStep(atStart, action("toGuide", text)).state).toEqual(at("address"));
    expect(nextLessonStep(atStart, action("toGuide", "sing a song")).state).toEqual(at("hello", 1));
  });

  test("waits when the text is for another agent", () => {
    const asked = action("toEveryone", "what time is it?", { isForAnother: true });
    expect(nextLessonStep(atStart, asked)).toEqual({ state: atStart });
  });

  test("skips the steps that a person is ahead of", () => {
    expect(nextLessonStep(atStart, action("toAnother")).state).toEqual(at("whisper"));
    for (const step of ["hello", "address", "whisper"] as const) {
      expect(nextLessonStep(at(step), action("whispered"))).toMatchObject({ state: atEnd, answer: { asks: true } });
    }
  });

  test("also answers a whispered question", () => {
    const { state, answer } = nextLessonStep(at("whisper"), action("whispered", "what is a convener?", { known }));
    expect(state).toEqual(atEnd);
    expect(answer?.text).toBe(`${known.text}\n\n${praise.whispered} ${question}`);
  });

  test.each(["address", "whisper", "done"] as const)("is silent about public talk at the step %s", (step) => {
    expect(nextLessonStep(at(step), action("toEveryone"))).toEqual({ state: at(step) });
  });

  test.each(["whisper", "done"] as const)("is silent about what is said to others at the step %s", (step) => {
    expect(nextLessonStep(at(step), action("toAnother"))).toEqual({ state: at(step) });
  });
});

describe("a question that its documents answer", () => {
  test.each(steps)("is answered at the step %s, and the lesson stays where it was", (step) => {
    for (const how of ["toGuide", "toEveryone"] as const) {
      const { state, answer } = nextLessonStep(at(step, 2), action(how, "what is a convener?", { known }));
      expect(state).toEqual(at(step));
      expect(answer).toMatchObject({ text: known.text, asks: false });
    }
  });

  test("is answered without a call only if it is clearly about the floor", () => {
    const unclear = { ...known, isClear: false };
    expect(nextLessonStep(atEnd, action("toEveryone", "convener", { known: unclear }))).toEqual({ state: atEnd });
    expect(nextLessonStep(atEnd, action("toGuide", "convener", { known: unclear })).answer?.text).toBe(known.text);
    expect(nextLessonStep(atEnd, action("toAnother", "what is a convener?", { known }))).toEqual({ state: atEnd });
  });

  test("may be an offered heading, chosen in public", () => {
    const unclear = { ...known, isClear: false };
    const chosen = action("toEveryone", heading, { known: unclear, choice: heading });
    expect(nextLessonStep(atEnd, chosen).answer?.text).toBe(known.text);
  });
});

describe("the menu", () => {
  test.each(helpRequests)("comes again for %j at any step, with the open task", (text) => {
    for (const step of steps) {
      const { state, answer } = nextLessonStep(at(step, 2), action("toGuide", `@Guide ${text.toUpperCase()}?!`));
      expect(state).toEqual(at(step));
      expect(answer).toEqual({ text: `${taskOf(step, agents)} ${question}`.trim(), asks: true, headings: [] });
    }
  });

  test("is answered by value, label or plain text, and the lesson stays where it was", () => {
    for (const { value, label } of menu.slice(0, 3)) {
      for (const said of [
        action("toGuide", "", { choice: value }),
        action("whispered", label),
        action("toGuide", value),
      ]) {
        const { state, answer } = nextLessonStep(at("address", 1), said);
        expect(state).toEqual(at("address"));
        expect(answer).toMatchObject({ text: textFor(value), asks: false });
      }
    }
  });

  test("may be answered in public once it was shown", () => {
    const answered = nextLessonStep(atEnd, action("toEveryone", "floor", { choice: "floor" }));
    expect(answered.answer?.text).toBe(textFor("floor"));
    expect(nextLessonStep(atEnd, action("toEveryone", "floor"))).toEqual({ state: atEnd });
    expect(nextLessonStep(atEnd, action("toEveryone", "so what", { choice: "so what" }))).toEqual({ state: atEnd });
  });

  test("answered with `nothing` ends the lesson", () => {
    const { state, answer } = nextLessonStep(at("address"), action("toGuide", "Nothing, thanks"));
    expect(state).toEqual(atEnd);
    expect(answer?.text).toBe(textFor("nothing"));
    expect(nextLessonStep(state, action("toEveryone"))).toEqual({ state: atEnd });
  });
});

describe("a text that the guide does not understand", () => {
  test("gets the nearest headings and the menu", () => {
    const { state, answer } = nextLessonStep(atEnd, action("toGuide", "what is the weather?", { known: unknown }));
    expect(state).toEqual(at("done", 1));
    const near = [heading, "What a floor is"];
    expect(answer).toEqual({ text: `${apologyFor(near)} ${question}`, asks: true, headings: near });
    for (const one of near) expect(answer?.text).toContain(`_${one}_`);
  });

  test("may be thanks, which count as misses for agents", () => {
    const { state, answer } = nextLessonStep(atEnd, action("toGuide", "Thank you!", { known: unknown }));
    expect(state).toEqual(at("done", 1));
    expect(answer?.text).toBe(welcome);
    const agents = { known: unknown, isPerson: false };
    expect(nextLessonStep(at("done", 3), action("toGuide", "thanks", agents)).answer).toBeUndefined();
    expect(nextLessonStep(at("done", 3), action("toGuide", "thanks", { known: unknown })).answer?.text).toBe(welcome);
  });

  test("gets one line from the third time on, because people are always answered", () => {
    let { state, answer } = nextLessonStep(at("done", 2), action("toGuide", "eels"));
    for (let n = 0; n < 5; n += 1) {
      expect(answer?.text).toBe(farewell);
      ({ state, answer } = nextLessonStep(state, action("toGuide", "eels")));
    }
  });

  test("gets no answer after three in a row from an agent, until it understands one", () => {
    const parrot = action("toGuide", `You said: ${apologyFor([])} ${question} help`, { isPerson: false });
    const turns = [nextLessonStep(atEnd, parrot)];
    for (let n = 1; n < 5; n += 1) turns.push(nextLessonStep(turns.at(-1)?.state ?? atEnd, parrot));
    expect(turns.map(({ answer }) => answer?.text)).toEqual([
      `${apologyFor([])} ${question}`,
      `${apologyFor([])} ${question}`,
      farewell,
      undefined,
      undefined,
    ]);
    expect(nextLessonStep(turns.at(-1)?.state ?? atEnd, action("toGuide", "help"))).toMatchObject({
      state: atEnd,
      answer: { asks: true },
    });
  });

  test("is never one of its own texts", () => {
    const said = [greeting, farewell, welcome, ...Object.values(praise), ...menu.map(({ text }) => text(agents))];
    for (const text of said) expect(nextLessonStep(atEnd, action("toGuide", text)).state.misses).toBe(1);
  });
});

describe("the texts of the guide", () => {
  const withoutCode = (text: string) => text.replace(/```.*```/su, "");
  const wordsOf = (text: string) => withoutCode(text).split(/\s+/u).length;

  test("have at most sixty words", () => {
    const hows = ["toEveryone", "toAnother", "toGuide", "whispered"] as const;
    const texts = ["hm", "help", ...menu.map(({ value }) => value)];
    const deeds = hows.flatMap((how) => texts.map((text) => action(how, text, { known: unknown })));
    const states = steps.flatMap((step) => [at(step), at(step, 2)]);
    const said = states.flatMap((state) => deeds.map((one) => nextLessonStep(state, one).answer?.text ?? ""));
    for (const text of [greeting, ...said]) expect(wordsOf(text), text).toBeLessThanOrEqual(60);
  });

  test("take the usual time, except the one that shows how to stop", () => {
    const timed = menu.filter(({ lastsMs }) => lastsMs !== undefined);
    expect(timed).toMatchObject([{ value: "floor", lastsMs: 8_000 }]);
    expect(nextLessonStep(atEnd, action("toGuide", "floor")).answer).toMatchObject({ lastsMs: 8_000 });
    expect(nextLessonStep(atStart, action("toEveryone")).answer).not.toHaveProperty("lastsMs");
  });

  test("show the agent of the SDK's README", () => {
    const readme = readFileSync(new URL("../../../sdk/README.md", import.meta.url), "utf8");
    const [code] = /```js\n.*?```/su.exec(readme) ?? [];
    expect(code).toContain("createAgent");
    expect(textFor("agent")).toContain(code);
  });
});
