// Agents that answer everything they hear, each other included, beside one that needs longer.
import { afterEach, beforeEach, expect, test } from "vitest";
import { startAgent, utterance } from "../floor/agents.ts";
import { ann, said, startWorld, type World } from "../floor/world.ts";
import { startRepeatsWhispersAloud } from "./repeats-whispers-aloud.ts";
import { thinksLong } from "./thinks-long.ts";

let world: World;

beforeEach(async () => {
  world = await startWorld();
});
afterEach(async () => {
  await world.close();
  expect(world.errors).toEqual([]);
});

const isPaused = async () => (await world.log("c", ann)).some(({ kind }) => kind === "paused");

/** What is said after Ann's hello, when the thinker answers only after the others talked the turn into its pause. */
async function wordsAfterHello(isAddressed: boolean): Promise<string[]> {
  const { behaviour, release } = thinksLong();
  const thinker = await startAgent(behaviour);
  for (const agent of [await startRepeatsWhispersAloud(), await startRepeatsWhispersAloud(), thinker]) {
    await world.invite("c", agent);
  }
  const { speakerUri } = thinker;
  const answered = world.send("c", [utterance(ann, "hello", isAddressed ? { to: { speakerUri } } : {})], { wait: 60 });
  await expect.poll(isPaused, { timeout: 60_000 }).toBe(true);
  release();
  return said(await answered).map(([, text]) => text);
}

test.each([
  ["words to everyone", false],
  ["words to it", true],
])("agents that talk to each other without end do not silence one that thinks about %s", async (_, isAddressed) => {
  const words = await wordsAfterHello(isAddressed);
  expect(words.filter((text) => text === "I thought about hello")).toHaveLength(1);
});
