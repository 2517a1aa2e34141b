import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { atEnd, atStart, type Deed, nextStep, type Progress } from "./story.ts";
import { apology, callsForHelp, farewell, greeting, menu, praise, question, tasks } from "./words.ts";

const deed = (how: Deed["how"], text = "good morning", more: Partial<Deed> = {}): Deed => ({
  ...{ how, text, isEchoHere: true },
  ...more,
});
const at = (step: Progress["step"], misses = 0): Progress => ({ step, misses });
const steps = ["hello", "address", "whisper", "done"] as const;
const textFor = (value: string) => menu.find((choice) => choice.value === value)?.text;

describe("the lesson", () => {
  test("goes from everyone over one to a whisper, each answer with the next task", () => {
    const first = nextStep(atStart, deed("toEveryone"));
    expect(first).toMatchObject({ state: at("address"), answer: { asks: false } });
    expect(first.answer?.text).toBe(`${praise.heardWithEcho} ${tasks.address}`);
    const second = nextStep(first.state, deed("toAnother"));
    expect(second).toMatchObject({ state: at("whisper"), answer: { asks: false } });
    expect(second.answer?.text).toBe(`${praise.addressed} ${tasks.whisper}`);
    const third = nextStep(second.state, deed("whispered"));
    expect(third).toMatchObject({ state: atEnd, answer: { asks: true } });
    expect(third.answer?.text).toBe(`${praise.whispered} ${question}`);
  });

  test("without Echo leaves out what only Echo can show, and does not speak of it", () => {
    const { state, answer } = nextStep(atStart, deed("toEveryone", "hi", { isEchoHere: false }));
    expect(state).toEqual(at("whisper"));
    expect(answer?.text).toBe(`${praise.heard} ${tasks.whisper}`);
    expect(answer?.text).not.toContain("Echo");
  });

  test("lets nobody wait who is ahead of it", () => {
    expect(nextStep(atStart, deed("toAnother")).state).toEqual(at("whisper"));
    for (const step of ["hello", "address", "whisper"] as const) {
      expect(nextStep(at(step), deed("whispered"))).toMatchObject({ state: atEnd, answer: { asks: true } });
    }
  });

  test.each(["address", "whisper", "done"] as const)("is silent about public talk at the step %s", (step) => {
    expect(nextStep(at(step), deed("toEveryone"))).toEqual({ state: at(step) });
  });

  test.each(["whisper", "done"] as const)("is silent about what is said to others at the step %s", (step) => {
    expect(nextStep(at(step), deed("toAnother"))).toEqual({ state: at(step) });
  });
});

describe("the question", () => {
  test.each(callsForHelp)("comes again for %j, at any step, with what is still to be done", (text) => {
    for (const step of steps) {
      const { state, answer } = nextStep(at(step, 2), deed("toGuide", `@Guide ${text.toUpperCase()}?!`));
      expect(state).toEqual(at(step));
      expect(answer).toEqual({ text: `${tasks[step]} ${question}`.trim(), asks: true });
    }
  });

  test("is answered by value, by label or by plain words, and the lesson goes on where it was", () => {
    for (const { value, label } of menu.slice(0, 2)) {
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
  test("is answered with what it can do and the question", () => {
    const { state, answer } = nextStep(atEnd, deed("toGuide", "@Guide what is the weather?"));
    expect(state).toEqual(at("done", 1));
    expect(answer).toEqual({ text: `${apology} ${question}`, asks: true });
  });

  test("three times in a row is left alone until it understands again", () => {
    const parrot = deed("toGuide", `You said: ${apology} ${question} help`);
    const turns = [nextStep(atEnd, parrot)];
    for (let n = 1; n < 5; n += 1) turns.push(nextStep(turns.at(-1)?.state ?? atEnd, parrot));
    expect(turns.map(({ answer }) => answer?.text)).toEqual([
      `${apology} ${question}`,
      `${apology} ${question}`,
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
    const said = [greeting, farewell, ...Object.values(praise), ...menu.map(({ text }) => text)];
    for (const text of said) expect(nextStep(atEnd, deed("toGuide", text)).state.misses).toBe(1);
  });
});

describe("its words", () => {
  const withoutCode = (text: string) => text.replace(/```.*```/su, "");
  const wordsOf = (text: string) => withoutCode(text).split(/\s+/u).length;

  test("are at most sixty, whatever happens", () => {
    const hows = ["toEveryone", "toAnother", "toGuide", "whispered"] as const;
    const texts = ["hm", "help", ...menu.map(({ value }) => value)];
    const deeds = hows.flatMap((how) => texts.map((text) => deed(how, text)));
    const states = steps.flatMap((step) => [at(step), at(step, 2)]);
    const said = states.flatMap((state) => deeds.map((one) => nextStep(state, one).answer?.text ?? ""));
    for (const text of [greeting, ...said]) expect(wordsOf(text), text).toBeLessThanOrEqual(60);
  });

  test("take at most a second and a half, but for the one that is there to be stopped", () => {
    const slow = menu.filter(({ lastsMs }) => lastsMs > 1_500);
    expect(slow).toMatchObject([{ value: "floor", lastsMs: 8_000 }]);
    const { answer } = nextStep(atStart, deed("toEveryone"));
    expect(answer?.asks === false && answer.lastsMs).toBeLessThanOrEqual(1_500);
  });

  test("show the agent of the SDK's README", () => {
    const readme = readFileSync(new URL("../../../sdk/README.md", import.meta.url), "utf8");
    const [code] = /```js\n.*?```/su.exec(readme) ?? [];
    expect(code).toContain("createAgent");
    expect(textFor("agent")).toContain(code);
  });
});
