import type { Step } from "@plenary/nemo";
import { afterEach, expect, test, vi } from "vitest";
import { bob, nemoFixture } from "../testing/nemo-fixture.ts";
import type { StepsShown } from "./settings.ts";
import { createLiveSteps, stepTitle } from "./steps.ts";

afterEach(() => vi.useRealTimers());

test.each([
  ["Function Start: search_flights", "Searching flights ..."],
  ["Function Complete: search_flights", "Searching flights ..."],
  ["Function Start: lookUpWeather", "Looking up weather ..."],
  ["Function Start: <workflow>", "Running the workflow ..."],
  ["Function Start: react_agent", "Running react agent ..."],
  ["Function Start: travel.book_hotel", "Booking hotel ..."],
  ["Function Start: travel__get_current_time", "Getting current time ..."],
  ["Tool: flight_tool", "Running flight tool ..."],
  ["Tool: flight", "Running flight tool ..."],
  ["Tool: constructor", "Running constructor tool ..."],
  ["Tool: search", "Searching ..."],
  ["Tool: ", "Running the workflow ..."],
  ["meta/llama-3.1-70b-instruct", "Thinking (meta/llama-3.1-70b-instruct) ..."],
])("%s has the title %s", (name, title) => {
  expect(stepTitle(name).title).toBe(title);
  expect(stepTitle(name).isComplete).toBe(name.startsWith("Function Complete"));
});

test("a name of any length gives a valid title", () => {
  for (const prefix of ["", "Tool: ", "Function Start: search_"]) {
    expect(stepTitle(prefix + "ab_".repeat(500)).title.length).toBeLessThanOrEqual(200);
  }
});

function live(shown: StepsShown = "full") {
  const clock = { ms: 0, now: () => clock.ms };
  const steps = createLiveSteps(shown, clock);
  const step = (id: string, name: string, more: Partial<Step> = {}) => steps.step({ id, name, payload: "", ...more });
  return { clock, steps, step };
}

test("a step goes from running to done under one title, with its payload as plain text", () => {
  const { step } = live();
  expect(step("f", "Function Start: search_flights", { payload: "**Function Input:**\n&lt;LHR&gt; &amp;" })).toEqual([
    {
      step: { id: "f", title: "Searching flights ...", detail: "**Function Input:**\n<LHR> &", state: "running" },
    },
  ]);
  const tool = { id: "t", parent: "f", title: "Running calc tool ..." };
  expect(step("t", "Tool: calc", { parent: "f" })).toEqual([{ step: { ...tool, state: "running" } }]);
  expect(step("t", "Tool: calc", { parent: "f", payload: "**Output:**\n2" })).toEqual([
    { step: { ...tool, detail: "**Output:**\n2", state: "done" } },
  ]);
  expect(step("f", "Function Complete: search_flights")).toMatchObject([
    { step: { id: "f", title: "Searching flights ...", state: "done" } },
  ]);
});

test("an unknown parent is left out", () => {
  const { step } = live();
  expect(step("t", "Tool: calc", { parent: "root" })).toEqual([
    { step: { id: "t", title: "Running calc tool ...", state: "running" } },
  ]);
});

test("a repeated model step is sent at most every two seconds", () => {
  const { step, clock } = live();
  expect(step("m", "llama")).toHaveLength(1);
  expect(step("m", "llama", { payload: "**Output:** a" })).toMatchObject([{ step: { state: "done" } }]);
  for (let count = 0; count < 1_000; count += 1) expect(step("m", "llama", { payload: "**Output:** ab" })).toEqual([]);
  clock.ms += 2_000;
  expect(step("m", "llama", { payload: "**Output:** abc" })).toMatchObject([{ step: { detail: "**Output:** abc" } }]);
});

test("`names` shows no details, `off` shows no steps", () => {
  expect(live("names").step("t", "Tool: calc", { payload: "secret" })).toEqual([
    { step: { id: "t", title: "Running calc tool ...", state: "running" } },
  ]);
  const off = live("off");
  expect(off.step("t", "Tool: calc")).toEqual([]);
  off.clock.ms = 60_000;
  expect([off.steps.stillWorking(), off.steps.words()]).toEqual([[""], []]);
});

test("endless steps, and endless details, leave room for the answer", () => {
  const { step } = live();
  const pieces = Array.from({ length: 2_000 }, (_, index) =>
    step(`${index}`.repeat(100), "Tool: calc", { payload: "x".repeat(16_000) }),
  ).flat();
  expect(JSON.stringify(pieces).length).toBeLessThan(300_000);
  expect(pieces.length).toBeGreaterThan(200);
  expect(step(" ", "Tool: calc")).toEqual([]);
});

test("a long silence shows a waiting step until text arrives", () => {
  const { steps, clock } = live();
  const titles: unknown[] = [];
  for (const ms of [10_000, 20_000, 50_000, 130_000]) {
    clock.ms = ms;
    titles.push(...steps.stillWorking());
  }
  const waiting = (time: string, state = "running") => ({
    step: { id: "waiting", title: `Still working (${time})`, state },
  });
  expect(titles).toEqual(["", waiting("20 s"), waiting("50 s"), waiting("2 min")]);
  expect(steps.words()).toEqual([waiting("2 min", "done")]);
  expect([steps.words(), steps.stillWorking()]).toEqual([[], [""]]);
});

test("a long silence of the workflow shows as still working, and steps show as they come", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const stage = nemoFixture();
  await stage.invite();
  const flow = await stage.workflow();
  const shown = stage.watch("flights?");
  const next = async () => (await shown.next()).value ?? "";
  const start = next();
  await flow.take();
  expect(await start).toContain("event: start");
  flow.step("s1");
  expect(await next()).toContain('"title":"Thinking (Tool s1) ..."');
  stage.advance(25_000);
  const waiting = next();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await waiting).toContain('"title":"Still working (20 s)","state":"running"');
  flow.delta("Three.");
  expect(await next()).toContain('"title":"Still working (20 s)","state":"done"');
  expect(await next()).toContain('"delta":"Three."');
  flow.complete();
  flow.trace();
  expect(await next()).toContain("event: envelope");
});

test("steps for a queued whisper do not show in the answer to another person", async () => {
  const stage = nemoFixture({ sharedSession: true });
  await stage.invite();
  const flow = await stage.workflow();
  let shown = "";
  const watching = (async () => {
    for await (const piece of stage.watch("flights?")) shown += piece;
  })();
  await flow.take();
  expect(await stage.whisper("psst", { from: bob })).toEqual([]);
  flow.step("s1");
  flow.delta("Three.");
  flow.complete();
  flow.trace();
  await flow.take();
  flow.step("canary-78");
  flow.delta("Found.");
  flow.complete();
  flow.trace();
  await watching;
  expect(shown).toContain('"title":"Thinking (Tool s1) ..."');
  expect(shown).toContain("Found.");
  expect(shown.split("event: envelope")[0]).not.toContain("canary-78");
});
