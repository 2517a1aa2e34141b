import { expect, test, vi } from "vitest";
import { echo, silent, startAgent, textsIn, utterance } from "../floor/agents.ts";
import { ann, patience, startWorld, token, type World } from "../floor/world.ts";

async function metricsOf(world: World): Promise<string> {
  const { status, body } = await world.call("GET", "/metrics");
  expect(status).toBe(200);
  return String(body.text);
}

function numberIn(text: string, name: string): number | undefined {
  const line = text.split("\n").find((one) => one.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length + 1));
}

test("a floor counts what it takes, refuses, delivers and gives up, and names nobody", async () => {
  const world = await startWorld();
  const alive = await startAgent(echo);
  const broken = await startAgent((heard, self) =>
    textsIn(heard).length === 0 ? silent(heard, self) : { status: 500, body: "" },
  );
  await world.invite("conversation-1", alive);
  await world.invite("conversation-1", broken);
  const to = { speakerUri: alive.speakerUri, private: true };
  await world.send("conversation-1", [utterance(ann, "canary-word", { to })]);
  await world.say("conversation-1", "canary-word");
  expect((await world.call("POST", "/openfloor", { openFloor: {} })).status).toBe(400);
  await vi.waitFor(
    async () => expect(numberIn(await metricsOf(world), "plenary_dead_letters_total")).toBeGreaterThan(0),
    patience,
  );
  const text = await metricsOf(world);
  expect(numberIn(text, 'plenary_envelopes_total{status="2xx"}')).toBe(4);
  expect(numberIn(text, 'plenary_envelopes_total{status="4xx"}')).toBe(1);
  expect(numberIn(text, 'plenary_deliveries_total{outcome="envelope"}')).toBeGreaterThan(2);
  expect(numberIn(text, 'plenary_deliveries_total{outcome="no-envelope"}')).toBeGreaterThan(0);
  expect(numberIn(text, "plenary_decision_seconds_count")).toBeGreaterThan(4);
  for (const gauge of ["plenary_turns_waiting", "plenary_timers_pending", "plenary_viewers", "plenary_agent_sockets"]) {
    expect(numberIn(text, gauge)).toBe(0);
  }
  expect(numberIn(text, 'plenary_deliveries{kind="queued"}')).toBe(0);
  expect(numberIn(text, 'plenary_breakers{kind="open"}')).toBe(0);
  for (const name of ["nodejs_eventloop_lag_seconds", "process_resident_memory_bytes"]) {
    expect(numberIn(text, name)).toBeDefined();
  }
  for (const secret of ["canary", ann, alive.speakerUri, alive.url, "conversation-1", "tag:", token]) {
    expect(text).not.toContain(secret);
  }
  await world.close();
});

test("an agent that cannot be reached shows as retried, then as spared", async () => {
  const world = await startWorld({ deliveryLimits: { retryMs: 60_000, retryBaseMs: 1, retryCapMs: 2 } });
  const agent = await startAgent(silent);
  await world.invite("c", agent);
  await agent.close();
  await world.say("c", "hello", { wait: 0 });
  await vi.waitFor(
    async () => expect(numberIn(await metricsOf(world), 'plenary_breakers{kind="open"}')).toBe(1),
    patience,
  );
  const text = await metricsOf(world);
  expect(numberIn(text, "plenary_deliveries_retried_total")).toBe(1);
  expect(numberIn(text, 'plenary_deliveries{kind="running"}')).toBe(1);
  expect(numberIn(text, 'plenary_requests_out{kind="out"}')).toBe(0);
  // Sparing means that nobody dials.
  const dialled = world.dialler.dialled.length;
  await world.say("c", "are you there?", { wait: 0 });
  expect(world.dialler.dialled).toHaveLength(dialled);
  await world.close();
});

test("the numbers are for the operator, and each floor has its own", async () => {
  const [one, other] = [await startWorld(), await startWorld()];
  await one.say("c", "hello", { wait: 0 });
  expect((await one.call("GET", "/metrics", undefined, { authorization: "Bearer nobody" })).status).toBe(401);
  expect(numberIn(await metricsOf(one), 'plenary_envelopes_total{status="2xx"}')).toBe(1);
  expect(numberIn(await metricsOf(other), 'plenary_envelopes_total{status="2xx"}')).toBeUndefined();
  await one.close();
  await other.close();
});
