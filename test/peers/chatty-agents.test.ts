// Agents that answer every utterance, also each other's, beside an agent that needs longer.
import { afterEach, beforeEach, expect, test } from "vitest";
import { ann, said, utterance } from "../support/envelopes.ts";
import { startAgent } from "../support/http-agent.ts";
import { startTestFloor, type TestFloor } from "../support/start-test-floor.ts";
import { startRepeatsWhispersAloud } from "./repeats-whispers-aloud.ts";
import { thinksLong } from "./thinks-long.ts";

let floor: TestFloor;

beforeEach(async () => {
  floor = await startTestFloor();
});
afterEach(async () => {
  await floor.close();
  expect(floor.errors).toEqual([]);
});

const isPaused = async () => (await floor.log("c", ann)).some(({ kind }) => kind === "paused");

/** The utterances after Ann's hello, when the slow agent answers only after the loop guard has paused the turn. */
async function wordsAfterHello(isAddressed: boolean): Promise<string[]> {
  const { behaviour, release } = thinksLong();
  const thinker = await startAgent(behaviour);
  for (const agent of [await startRepeatsWhispersAloud(), await startRepeatsWhispersAloud(), thinker]) {
    await floor.invite("c", agent);
  }
  const { speakerUri } = thinker;
  const answered = floor.send("c", [utterance(ann, "hello", isAddressed ? { to: { speakerUri } } : {})], { wait: 60 });
  await expect.poll(isPaused, { timeout: 60_000 }).toBe(true);
  release();
  return said(await answered).map(([, text]) => text);
}

test.each([
  ["words to everyone", false],
  ["words to it", true],
])("agents that answer each other without end do not silence an agent that thinks about %s", async (_, isAddressed) => {
  const words = await wordsAfterHello(isAddressed);
  expect(words.filter((text) => text === "I thought about hello")).toHaveLength(1);
});
