// D23': an agent that cannot read events about others stays in the conversation and gets the utterances beside them.
import { createMemoryStore } from "@plenary/server";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ann, utterance } from "../support/envelopes.ts";
import { type Agent, answer, type Behaviour, type Heard, silent, startAgent, textsIn } from "../support/http-agent.ts";
import { startTestFloor, type TestFloor } from "../support/start-test-floor.ts";
import { patience } from "../support/wait-for.ts";
import { greets, refusesNewsOfOthers, versionOf } from "./refuses-news-of-others.ts";

let floor: TestFloor;
beforeEach(async () => {
  floor = await startTestFloor();
});
afterEach(async () => {
  await floor.close();
  expect(floor.errors).toEqual([]);
});

type Conversant = { identification: { serviceUrl: string }; state: string; dialect?: string; misses: number };

async function seatOf({ url }: Agent): Promise<Conversant | undefined> {
  const { conversants } = await floor.state("c");
  return conversants.find(({ identification }) => identification.serviceUrl === url);
}

const wordsIn = (accepted: readonly Heard[]) => accepted.flatMap(textsIn);

for (const status of [400, 415, 422, 500]) {
  test(`an agent that answers ${status} to an acceptance in 1.1 gets 1.0 from then on`, async () => {
    const { behaviour, accepted } = refusesNewsOfOthers({ versions: ["1.1.0"], status });
    const strict = await startAgent(behaviour);
    await floor.invite("c", strict);
    expect(await seatOf(strict)).toMatchObject({ state: "joined", dialect: "1.1" });
    await floor.invite("c", await startAgent(greets("Bea")));
    await expect.poll(() => wordsIn(accepted), patience).toEqual(["Bea is here"]);
    await expect.poll(() => seatOf(strict), patience).toMatchObject({ dialect: "1.0", misses: 0 });
    await floor.say("c", "hello");
    expect(wordsIn(accepted)).toEqual(["Bea is here", "hello"]);
    expect(strict.heard.map(versionOf).at(-1)).toBe("1.0.0");
  });
}

test("an agent that refuses such events in each dialect gets the utterances without them, and stays", async () => {
  const { behaviour, accepted } = refusesNewsOfOthers();
  const strict = await startAgent(behaviour);
  await floor.invite("c", await startAgent(greets("Bea")));
  await floor.invite("c", strict);
  const spoken = ["manifest and hello?", "Bea is here"];
  for (let count = 1; count <= 4; count += 1) {
    await floor.say("c", "manifest and hello?");
    await expect.poll(() => wordsIn(accepted), patience).toEqual(Array(count).fill(spoken).flat());
  }
  expect(await seatOf(strict)).toMatchObject({ state: "joined", dialect: "1.1", misses: 0 });
});

test("a refused event about others never counts as missed, and people do not see it", async () => {
  const { behaviour, accepted } = refusesNewsOfOthers();
  const strict = await startAgent(behaviour);
  await floor.invite("c", await startAgent(greets("Bea")));
  await floor.invite("c", strict);
  for (let count = 0; count < 5; count += 1) await floor.say("c", "manifest?");
  await floor.until("c", (entries) => entries.filter(({ kind }) => kind === "missed").length >= 5);
  expect(wordsIn(accepted)).toEqual(Array(5).fill("manifest?"));
  expect(await seatOf(strict)).toMatchObject({ state: "joined", misses: 0 });
  const seen = await floor.log("c", ann);
  expect(seen.filter(({ kind }) => kind === "missed")).toEqual([]);
});

test("an agent that fails on utterances is still removed", async () => {
  const failing = await startAgent((heard, self) =>
    textsIn(heard).length === 0 ? silent(heard, self) : { status: 500, body: "" },
  );
  await floor.invite("c", failing);
  for (let count = 0; count < 3; count += 1) await floor.say("c", "hello");
  await floor.until("c", (entries) => entries.some(({ because }) => because === "delivery/given-up"));
  // A status after which half the work may be done is not retried.
  expect(failing.heard.filter((heard) => textsIn(heard).includes("hello"))).toHaveLength(3);
});

for (const stuckAt of [1, 2, 3]) {
  test(`a restart during request ${stuckAt} of a step down repeats the bytes of each request`, async () => {
    const store = createMemoryStore();
    const first = await startTestFloor({ store });
    const { behaviour, accepted } = refusesNewsOfOthers();
    let stuckAfter = Number.POSITIVE_INFINITY;
    const strict = await startAgent((heard, self) => {
      return strict.heard.length >= stuckAfter ? undefined : behaviour(heard, self);
    });
    await first.invite("c", await startAgent(greets("Bea")));
    await first.invite("c", strict);
    await first.say("c", "hello");
    const before = strict.heard.length + 1;
    stuckAfter = before + stuckAt;
    await first.say("c", "manifest and hello?", { wait: 0 });
    await expect.poll(() => strict.heard.length, patience).toBe(stuckAfter);
    await first.server.close();
    const tried = strict.heard.slice(before).map(({ text }) => text);
    stuckAfter = Number.POSITIVE_INFINITY;
    const second = await startTestFloor({ store });
    await expect.poll(() => wordsIn(accepted).at(-1), patience).toBe("Bea is here");
    const again = strict.heard.slice(before + stuckAt).map(({ text }) => text);
    expect(again.slice(0, tried.length)).toEqual(tried);
    expect(again.map((text) => text.includes("publishManifests"))).toEqual([true, true, false]);
    await second.close();
  });
}

test("an uninvite is sent first in the agent's dialect, with the events that were queued before", async () => {
  const speaks1_0: Behaviour = (heard, self) => {
    if (versionOf(heard) !== "1.0.0") return { status: 400, body: "" };
    return { body: answer(heard, self).body.replace("1.1.0", "1.0.0") };
  };
  const agent = await startAgent(speaks1_0);
  await floor.invite("c", agent);
  const before = agent.heard.length;
  const to = { speakerUri: agent.speakerUri };
  await floor.send("c", [utterance(ann, "goodbye"), { eventType: "uninvite", to }]);
  await expect.poll(() => agent.heard.slice(before).map(versionOf), patience).toContain("1.0.0");
  await expect.poll(() => agent.heard.some(({ text }) => text.includes('"uninvite"')), patience).toBe(true);
  expect(new Set(agent.heard.slice(before).map(versionOf))).toEqual(new Set(["1.0.0"]));
});
