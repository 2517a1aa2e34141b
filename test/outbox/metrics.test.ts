import { expect, test, vi } from "vitest";
import { ann, utterance } from "../support/envelopes.ts";
import { echo, silent, startAgent, textsIn } from "../support/http-agent.ts";
import { startTestFloor, type TestFloor, token } from "../support/start-test-floor.ts";
import { patience } from "../support/wait-for.ts";

async function metricsOf(floor: TestFloor): Promise<string> {
  const { status, text } = await floor.call("GET", "/metrics");
  expect(status).toBe(200);
  return text;
}

function numberIn(text: string, name: string): number | undefined {
  const line = text.split("\n").find((one) => one.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length + 1));
}

test("a floor counts accepted, refused, delivered and failed events, without names", async () => {
  const floor = await startTestFloor();
  const alive = await startAgent(echo);
  const broken = await startAgent((heard, self) =>
    textsIn(heard).length === 0 ? silent(heard, self) : { status: 500, body: "" },
  );
  await floor.invite("conversation-1", alive);
  await floor.invite("conversation-1", broken);
  const to = { speakerUri: alive.speakerUri, private: true };
  await floor.send("conversation-1", [utterance(ann, "canary-word", { to })]);
  await floor.say("conversation-1", "canary-word");
  expect((await floor.call("POST", "/openfloor", { openFloor: {} })).status).toBe(400);
  await vi.waitFor(
    async () => expect(numberIn(await metricsOf(floor), "plenary_dead_letters_total")).toBeGreaterThan(0),
    patience,
  );
  const text = await metricsOf(floor);
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
  await floor.close();
});

test("the metrics of an unreachable agent show a retry, then an open circuit breaker", async () => {
  const floor = await startTestFloor({ deliveryLimits: { retryMs: 60_000, retryBaseMs: 1, retryCapMs: 2 } });
  const agent = await startAgent(silent);
  await floor.invite("c", agent);
  await agent.close();
  await floor.say("c", "hello", { wait: 0 });
  await vi.waitFor(
    async () => expect(numberIn(await metricsOf(floor), 'plenary_breakers{kind="open"}')).toBe(1),
    patience,
  );
  const text = await metricsOf(floor);
  expect(numberIn(text, "plenary_deliveries_retried_total")).toBe(1);
  expect(numberIn(text, 'plenary_deliveries{kind="running"}')).toBe(1);
  expect(numberIn(text, 'plenary_requests_out{kind="out"}')).toBe(0);
  // An open circuit breaker means no request.
  const dialled = floor.dialler.dialled.length;
  await floor.say("c", "are you there?", { wait: 0 });
  expect(floor.dialler.dialled).toHaveLength(dialled);
  await floor.close();
});

test("the metrics are for the operator, and each floor has its own", async () => {
  const [one, other] = [await startTestFloor(), await startTestFloor()];
  await one.say("c", "hello", { wait: 0 });
  expect((await one.call("GET", "/metrics", undefined, { authorization: "Bearer nobody" })).status).toBe(401);
  expect(numberIn(await metricsOf(one), 'plenary_envelopes_total{status="2xx"}')).toBe(1);
  expect(numberIn(await metricsOf(other), 'plenary_envelopes_total{status="2xx"}')).toBeUndefined();
  await one.close();
  await other.close();
});
