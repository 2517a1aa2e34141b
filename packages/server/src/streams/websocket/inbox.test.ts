import { expect, test } from "vitest";
import { createAccessControl } from "../../auth/access.ts";
import { createIdentity } from "../../auth/authenticate.ts";
import { createMemoryCredentials } from "../../auth/memory-credentials.ts";
import type { ServerContext } from "../../context.ts";
import { defaultRateLimits, defaultStreamLimits } from "../../limits.ts";
import { noMetrics } from "../../ports/metrics.ts";
import { operator, type Principal } from "../../ports/principal.ts";
import { createMemoryStore } from "../../store/memory.ts";
import { createFakeClock } from "../../testing/fake-clock.ts";
import { createInbox, type InboxOptions } from "./inbox.ts";

const speaker = "tag:bot.example,2026:bot";
const agent: Principal = { id: "key:bot", kind: "agent", speakers: [speaker], scopes: [] };

/** Has only what is needed to refuse a frame: the frames of these tests are invalid. */
function openInbox(principal: Principal) {
  const clock = createFakeClock();
  const identity = createIdentity({ token: "secret", credentials: createMemoryCredentials(), clock });
  const rates = { ...defaultRateLimits, perPrincipal: { perS: 10, burst: 5 }, conversationsMax: 10 };
  const access = createAccessControl({ identity, clock, metrics: noMetrics, log: createMemoryStore().log }, rates);
  const server = { access, identity, clock, ids: { random: () => 0 }, onError: expect.unreachable };
  const sent: Record<string, unknown>[] = [];
  const closed: number[] = [];
  const options = { limits: { ...defaultStreamLimits, framesRefusedMax: 20 }, principal, speaker, isAgent: true };
  const inbox = createInbox({
    ...(options as InboxOptions),
    server: server as unknown as ServerContext,
    send: (frame) => sent.push(frame),
    close: (code) => closed.push(code),
  });
  const statuses = () => sent.splice(0).map(({ problem }) => (problem as { status: number }).status);
  return { inbox, clock, statuses, closed };
}

const many = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

test("a socket that keeps sending beyond the rate limit is closed with 1008, and gets no more answers", () => {
  const { inbox, statuses, closed } = openInbox(agent);
  for (let turn = 0; turn < 25; turn += 1) inbox.take("{");
  expect(statuses()).toEqual([...many(5, 400), ...many(20, 429)]);
  expect(closed).toEqual([]);
  inbox.take("{");
  expect(statuses()).toEqual([]);
  expect(closed).toEqual([1008]);
});

test("a socket that sometimes exceeds the rate limit stays open; one that mostly does is closed", async () => {
  const { inbox, clock, closed } = openInbox(agent);
  for (let second = 0; second < 30; second += 1) {
    for (let turn = 0; turn < 10; turn += 1) inbox.take("{");
    await clock.advance(1_000);
  }
  expect(closed).toEqual([]);
  for (let second = 0; second < 30 && closed.length === 0; second += 1) {
    for (let turn = 0; turn < 12; turn += 1) inbox.take("{");
    await clock.advance(1_000);
  }
  expect(closed).toEqual([1008]);
});

test("the operator's socket has no rate limit", () => {
  const { inbox, statuses, closed } = openInbox(operator);
  for (let turn = 0; turn < 50; turn += 1) inbox.take("{");
  expect(statuses()).toEqual(many(50, 400));
  expect(closed).toEqual([]);
});
