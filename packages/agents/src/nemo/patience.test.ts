// Long runs in virtual time, in which the floor gets something every ten seconds.
import { expect, test } from "vitest";
import { bob, featureIn, nemoFixture, summaryOf } from "../testing/nemo-fixture.ts";
import type { NemoSettings } from "./settings.ts";

async function arrived(settings: Partial<NemoSettings> = {}) {
  const stage = nemoFixture(settings);
  await stage.invite();
  return { ...stage, flow: await stage.workflow() };
}

const tickMs = 10_000;

test("the answer of a workflow that is silent for 20 minutes arrives, with signs of life before it", async () => {
  const { watch, flow, advance } = await arrived();
  const chunks = watch("hello");
  const next = async () => String((await chunks.next()).value);
  const first = next();
  await flow.take();
  await new Promise(setImmediate);
  advance(tickMs);
  expect(await first).toMatch(/^event: start/u);
  for (let passed = 2 * tickMs; passed <= 1_200_000; passed += tickMs) {
    expect(await next()).toMatch(/^event: delta.*"delta":""|^event: step.*Still working/su);
    await new Promise(setImmediate);
    advance(tickMs);
  }
  flow.delta("At last.");
  flow.complete();
  let rest = "";
  for await (const chunk of chunks) rest += chunk;
  expect(rest).toMatch(/event: envelope.*At last\./su);
  expect(flow.state.isOpen).toBe(true);
});

test.each([
  [undefined, 1_800_000, "30 minutes"],
  [90_000, 90_000, "90 seconds"],
])("a silent workflow ends with a clear text (patience %s ms)", async (patienceMs, endsMs, words) => {
  const { say, flow, advance, errors } = await arrived(patienceMs === undefined ? {} : { patienceMs });
  const answer = say("hello");
  await flow.take();
  for (let passed = 0; passed < endsMs; passed += tickMs) {
    expect(flow.state.isOpen).toBe(true);
    await new Promise(setImmediate);
    advance(tickMs);
  }
  const events = await answer;
  expect(summaryOf(events)).toEqual([
    `(Ann) Sorry, my workflow was not finished after ${words}. Please ask me again in a moment.`,
  ]);
  expect(featureIn(events[0], "error")).toMatchObject({ message: "TimeoutError" });
  expect(flow.state.isOpen).toBe(false);
  expect(errors).toMatchObject([{ code: "slow" }]);
});

test("an endless workflow is interrupted when its time is up", async () => {
  const { say, flow, advance } = await arrived({ patienceMs: 240_000 });
  const answer = say("hello");
  await flow.take();
  flow.delta("The answer is");
  for (const id of ["s1", "s2", "s3"]) {
    advance(100_000);
    flow.step(id);
    await new Promise(setImmediate);
  }
  expect(summaryOf(await answer)).toEqual([
    "The answer is … (interrupted: my workflow was not finished after 4 minutes)",
  ]);
  expect(flow.state.isOpen).toBe(false);
});

test("a queued utterance has only the time that is left", async () => {
  const { say, flow, advance } = await arrived({ sharedSession: true, patienceMs: 240_000 });
  const answer = say("hello");
  await flow.take();
  expect(await say("and me?", { from: bob })).toEqual([]);
  for (const id of ["s1", "s2"]) {
    advance(100_000);
    flow.step(id);
    await new Promise(setImmediate);
  }
  flow.delta("Yes.");
  flow.complete();
  flow.trace();
  await flow.take();
  advance(100_000);
  flow.step("s3");
  const late = "(Bob) Sorry, my workflow was not finished after 4 minutes. Please ask me again in a moment.";
  expect(summaryOf(await answer)).toEqual(["Yes.", late]);
});
