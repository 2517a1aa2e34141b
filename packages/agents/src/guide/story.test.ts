import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { welcome } from "../addressing.ts";
import type { Known } from "./knowledge.ts";
import { atEnd, atStart, type Deed, nextStep, type Progress } from "./story.ts";
import {
  apologyFor,
  callsForHelp,
  examples,
  farewell,
  greeting,
  greetings,
  menu,
  praise,
  question,
  taskOf,
} from "./words.ts";

const agents = ["Clock", "Calculator"];
const deed = (how: Deed["how"], text = "good morning", more: Partial<Deed> = {}): Deed => ({
  ...{ how, text, isPerson: true, agents, people: ["Ann"], isForAnother: false },
  ...more,
});
const at = (step: Progress["step"], misses = 0): Progress => ({ step, misses });
const steps = ["hello", "address", "whisper", "done"] as const;
const textFor = (value: string) => menu.find((choice) => choice.value === value)?.text(agents);
const heading = "What a convener is";
const known: Known = { isKnown: true, heading, text: "Like a chair.", isClear: true };
const unknown: Known = { isKnown: false, near: [heading, "What a floor is"] };

describe("the lesson", () => {
  test("goes from everyone over one to a whisper, each answer with the next task", () => {
    const first = nextStep(atStart, deed("toEveryone"));
    expect(first).toMatchObject({ state: at("address"), answer: { asks: false } });
    expect(first.answer?.text).toBe(`${praise.heard} ${taskOf("address", agents)}`);
    expect(first.answer?.text).toContain(`\`@Clock ${examples.Clock}\``);
    const second = nextStep(first.state, deed("toAnother"));
    expect(second).toMatchObject({ state: at("whisper"), answer: { asks: false } });
    expect(second.answer?.text).toBe(`${praise.addressed} ${taskOf("whisper", agents)}`);
    const third = nextStep(second.state, deed("whispered"));
    expect(third).toMatchObject({ state: atEnd, answer: { asks: true } });
    expect(third.answer?.text).toBe(`${praise.whispered} ${question}`);
  });

  test("names whoever is there", () => {
    const { answer } = nextStep(atStart, deed("toEveryone", "hi", { agents: ["Weather Bot"] }));
    expect(answer?.text).toMatch(/write `@Weather Bot what can you do\?`$/u);
  });

  test("alone with somebody leaves out what only others can show", () => {
    const { state, answer } = nextStep(atStart, deed("toEveryone", "hi", { agents: [] }));
    expect(state).toEqual(at("whisper"));
    expect(answer?.text).toBe(`${praise.heard} ${taskOf("whisper", [])}`);
  });

  test("begins with a greeting to the guide as well as with anything to everyone", () => {
    for (const text of greetings) expect(nextStep(atStart, deed("toGuide", text)).state).toEqual(at("address"));
    expect(nextStep(atStart, deed("toGuide", "sing a song")).state).toEqual(at("hello", 1));
  });

  test("waits while somebody asks what another agent is for", () => {
    const asked = deed("toEveryone", "what time is it?", { isForAnother: true });
    expect(nextStep(atStart, asked)).toEqual({ state: atStart });
  });

  test("lets nobody wait who is ahead of it", () => {
    expect(nextStep(atStart, deed("toAnother")).state).toEqual(at("whisper"));
    for (const step of ["hello", "address", "whisper"] as const) {
      expect(nextStep(at(step), deed("whispered"))).toMatchObject({ state: atEnd, answer: { asks: true } });
    }
  });

  test("answers a whispered question, too", () => {
    const { state, answer } = nextStep(at("whisper"), deed("whispered", "what is a convener?", { known }));
    expect(state).toEqual(atEnd);
    expect(answer?.text).toBe(`${known.text}\n\n${praise.whispered} ${question}`);
  });

  test.each(["address", "whisper", "done"] as const)("is silent about public talk at the step %s", (step) => {
    expect(nextStep(at(step), deed("toEveryone"))).toEqual({ state: at(step) });
  });

  test.each(["whisper", "done"] as const)("is silent about what is said to others at the step %s", (step) => {
    expect(nextStep(at(step), deed("toAnother"))).toEqual({ state: at(step) });
  });
});

describe("a question that its documents answer", () => {
  test.each(steps)("is answered at the step %s, and the lesson stays where it was", (step) => {
    for (const how of ["toGuide", "toEveryone"] as const) {
      const { state, answer } = nextStep(at(step, 2), deed(how, "what is a convener?", { known }));
      expect(state).toEqual(at(step));
      expect(answer).toMatchObject({ text: known.text, asks: false });
    }
  });

  test("is answered unasked only if it clearly is its subject", () => {
    const unclear = { ...known, isClear: false };
    expect(nextStep(atEnd, deed("toEveryone", "convener", { known: unclear }))).toEqual({ state: atEnd });
    expect(nextStep(atEnd, deed("toGuide", "convener", { known: unclear })).answer?.text).toBe(known.text);
    expect(nextStep(atEnd, deed("toAnother", "what is a convener?", { known }))).toEqual({ state: atEnd });
  });

  test("may be the heading it has offered, chosen for all to hear", () => {
    const unclear = { ...known, isClear: false };
    const chosen = deed("toEveryone", heading, { known: unclear, choice: heading });
    expect(nextStep(atEnd, chosen).answer?.text).toBe(known.text);
  });
});

describe("the question", () => {
  test.each(callsForHelp)("comes again for %j, at any step, with what is still to be done", (text) => {
    for (const step of steps) {
      const { state, answer } = nextStep(at(step, 2), deed("toGuide", `@Guide ${text.toUpperCase()}?!`));
      expect(state).toEqual(at(step));
      expect(answer).toEqual({ text: `${taskOf(step, agents)} ${question}`.trim(), asks: true, headings: [] });
    }
  });

  test("is answered by value, by label or by plain words, and the lesson goes on where it was", () => {
    for (const { value, label } of menu.slice(0, 3)) {
      for (const said of [deed("toGuide", "", { choice: value }), deed("whispered", label), deed("toGuide", value)]) {
        const { state, answer } = nextStep(at("address", 1), said);
        expect(state).toEqual(at("address"));
        expect(answer).toMatchObject({ text: textFor(value), asks: false });
      }
    }
  });

  test("may be answered for all to hear, once it was asked", () => {
    const answered = nextStep(atEnd, deed("toEveryone", "floor", { choice: "floor" }));
    expect(answered.answer?.text).toBe(textFor("floor"));
    expect(nextStep(atEnd, deed("toEveryone", "floor"))).toEqual({ state: atEnd });
    expect(nextStep(atEnd, deed("toEveryone", "so what", { choice: "so what" }))).toEqual({ state: atEnd });
  });

  test("answered by nothing ends the lesson", () => {
    const { state, answer } = nextStep(at("address"), deed("toGuide", "Nothing, thanks"));
    expect(state).toEqual(atEnd);
    expect(answer?.text).toBe(textFor("nothing"));
    expect(nextStep(state, deed("toEveryone"))).toEqual({ state: atEnd });
  });
});

describe("what it does not understand", () => {
  test("is answered with what it has that comes nearest, and the question", () => {
    const { state, answer } = nextStep(atEnd, deed("toGuide", "what is the weather?", { known: unknown }));
    expect(state).toEqual(at("done", 1));
    const near = [heading, "What a floor is"];
    expect(answer).toEqual({ text: `${apologyFor(near)} ${question}`, asks: true, headings: near });
    for (const one of near) expect(answer?.text).toContain(`_${one}_`);
  });

  test("may be thanks, which are bounded for agents like all of it", () => {
    const { state, answer } = nextStep(atEnd, deed("toGuide", "Thank you!", { known: unknown }));
    expect(state).toEqual(at("done", 1));
    expect(answer?.text).toBe(welcome);
    const agents = { known: unknown, isPerson: false };
    expect(nextStep(at("done", 3), deed("toGuide", "thanks", agents)).answer).toBeUndefined();
    expect(nextStep(at("done", 3), deed("toGuide", "thanks", { known: unknown })).answer?.text).toBe(welcome);
  });

  test("is answered in one line from the third time on, as people are always answered", () => {
    let { state, answer } = nextStep(at("done", 2), deed("toGuide", "eels"));
    for (let n = 0; n < 5; n += 1) {
      expect(answer?.text).toBe(farewell);
      ({ state, answer } = nextStep(state, deed("toGuide", "eels")));
    }
  });

  test("three times in a row by an agent is left alone until it understands again", () => {
    const parrot = deed("toGuide", `You said: ${apologyFor([])} ${question} help`, { isPerson: false });
    const turns = [nextStep(atEnd, parrot)];
    for (let n = 1; n < 5; n += 1) turns.push(nextStep(turns.at(-1)?.state ?? atEnd, parrot));
    expect(turns.map(({ answer }) => answer?.text)).toEqual([
      `${apologyFor([])} ${question}`,
      `${apologyFor([])} ${question}`,
      farewell,
      undefined,
      undefined,
    ]);
    expect(nextStep(turns.at(-1)?.state ?? atEnd, deed("toGuide", "help"))).toMatchObject({
      state: atEnd,
      answer: { asks: true },
    });
  });

  test("is never anything it has said itself", () => {
    const said = [greeting, farewell, welcome, ...Object.values(praise), ...menu.map(({ text }) => text(agents))];
    for (const text of said) expect(nextStep(atEnd, deed("toGuide", text)).state.misses).toBe(1);
  });
});

describe("its words", () => {
  const withoutCode = (text: string) => text.replace(/```.*```/su, "");
  const wordsOf = (text: string) => withoutCode(text).split(/\s+/u).length;

  test("are at most sixty, whatever happens", () => {
    const hows = ["toEveryone", "toAnother", "toGuide", "whispered"] as const;
    const texts = ["hm", "help", ...menu.map(({ value }) => value)];
    const deeds = hows.flatMap((how) => texts.map((text) => deed(how, text, { known: unknown })));
    const states = steps.flatMap((step) => [at(step), at(step, 2)]);
    const said = states.flatMap((state) => deeds.map((one) => nextStep(state, one).answer?.text ?? ""));
    for (const text of [greeting, ...said]) expect(wordsOf(text), text).toBeLessThanOrEqual(60);
  });

  test("are said at the usual pace, but for those that are there to be stopped", () => {
    const timed = menu.filter(({ lastsMs }) => lastsMs !== undefined);
    expect(timed).toMatchObject([{ value: "floor", lastsMs: 8_000 }]);
    expect(nextStep(atEnd, deed("toGuide", "floor")).answer).toMatchObject({ lastsMs: 8_000 });
    expect(nextStep(atStart, deed("toEveryone")).answer).not.toHaveProperty("lastsMs");
  });

  test("show the agent of the SDK's README", () => {
    const readme = readFileSync(new URL("../../../sdk/README.md", import.meta.url), "utf8");
    const [code] = /```js\n.*?```/su.exec(readme) ?? [];
    expect(code).toContain("createAgent");
    expect(textFor("agent")).toContain(code);
  });
});
