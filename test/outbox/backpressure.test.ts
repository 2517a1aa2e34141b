import { createMemoryStore, type FloorStore } from "@plenary/server";
import { expect, test, vi } from "vitest";
import { silent, startAgent, textsIn } from "../support/http-agent.ts";
import { startTestFloor } from "../support/start-test-floor.ts";
import { patience } from "../support/wait-for.ts";

/** A store that holds writes until the test releases them. */
function createStuckStore() {
  const inner = createMemoryStore();
  let release: () => void = () => {};
  const state = { isStuck: false };
  const freed = new Promise<void>((resolve) => {
    release = resolve;
  });
  const store: FloorStore = {
    ...inner,
    log: {
      ...inner.log,
      append: async (...change) => {
        if (state.isStuck) await freed;
        return inner.log.append(...change);
      },
    },
  };
  return { store, state, release: () => release() };
}

test("an overloaded conversation answers 429 and a floor 503 with Retry-After, but not to health checks", async () => {
  const { store, state, release } = createStuckStore();
  const floor = await startTestFloor({ store, queueLimits: { perConversationMax: 2, totalMax: 3 } });
  for (const id of ["c1", "c2", "c3"]) await floor.say(id, "first", { wait: 0 });
  state.isStuck = true;
  const taken = [
    floor.say("c1", "one", { wait: 0 }),
    floor.say("c1", "two", { wait: 0 }),
    floor.say("c2", "one", { wait: 0 }),
  ];
  const waiting = async () => (await floor.call("GET", "/metrics")).text;
  await vi.waitFor(async () => expect(await waiting()).toContain("plenary_turns_waiting 3\n"), patience);
  const answers = [await floor.say("c1", "three", { wait: 0 }), await floor.say("c3", "one", { wait: 0 })];
  expect(answers.map(({ status }) => status)).toEqual([429, 503]);
  expect(answers.map(({ body }) => body.type)).toEqual(["urn:plenary:problem:busy", "urn:plenary:problem:overloaded"]);
  for (const { body, headers } of answers) {
    expect(body.retryAfter).toBeGreaterThanOrEqual(1);
    expect(Number(headers.get("retry-after"))).toBe(body.retryAfter);
  }
  for (const code of ["busy", "overloaded"]) {
    expect(await waiting()).toContain(`plenary_turned_away_total{code="${code}"} 1\n`);
  }
  for (const path of ["/livez", "/readyz", "/version", "/metrics"]) {
    expect((await floor.call("GET", path)).status).toBe(200);
  }
  release();
  for (const { status } of await Promise.all(taken)) expect(status).toBe(200);
  expect((await floor.say("c3", "again", { wait: 0 })).status).toBe(200);
  // Overload is not an error of the floor.
  expect(floor.errors).toEqual([]);
  await floor.close();
});

test("a delivery over the limit of an agent is a dead letter, and no delivery is lost", async () => {
  const floor = await startTestFloor({ deliveryLimits: { queueMax: 2, silenceMs: 60_000, answerMs: 60_000 } });
  const agent = await startAgent((heard, self) => (textsIn(heard).length > 0 ? undefined : silent(heard, self)));
  await floor.invite("c", agent);
  for (const word of ["one", "two", "three", "four", "five"]) await floor.say("c", word, { wait: 0 });
  await vi.waitFor(async () => expect(await floor.store.outbox.deadLetters({ limit: 9 })).toHaveLength(2), patience);
  const dead = await floor.store.outbox.deadLetters({ limit: 9 });
  const pending = (await floor.store.outbox.pending()).deliveries;
  const text = JSON.stringify([dead, pending]);
  for (const word of ["one", "two", "three", "four", "five"]) expect(text).toContain(`"${word}"`);
  expect(dead.map(({ detail }) => detail)).toEqual([
    "too many deliveries wait for it",
    "too many deliveries wait for it",
  ]);
  await floor.close();
});

test("silent agents in many conversations hold a limited number of connections, and other deliveries pass", async () => {
  const floor = await startTestFloor({
    deliveryLimits: { inFlightMax: 6, inFlightPerTargetMax: 4, silenceMs: 60_000, answerMs: 60_000 },
  });
  let open = 0;
  let openMax = 0;
  const dead = await startAgent((heard, self) => {
    if (textsIn(heard).length === 0) return silent(heard, self);
    open += 1;
    openMax = Math.max(openMax, open);
    return undefined;
  });
  const ids = Array.from({ length: 12 }, (_, index) => `c${index}`);
  for (const id of ids) await floor.invite(id, dead);
  for (const id of ids) await floor.say(id, "hello", { wait: 0 });
  await vi.waitFor(() => expect(open).toBe(4), patience);
  const alive = await startAgent(silent);
  await floor.invite("other", alive);
  await floor.say("other", "hello");
  expect(textsIn(alive.heard.at(-1) ?? never())).toEqual(["hello"]);
  expect(openMax).toBe(4);
  await floor.close();
});

function never(): never {
  throw new Error("the agent heard nothing");
}
