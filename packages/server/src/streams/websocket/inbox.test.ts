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

/** The door of a socket. Behind it nothing is needed: these frames do not get any further. */
function openInbox(principal: Principal) {
  const clock = createFakeClock();
  const identity = createIdentity({ token: "secret", credentials: createMemoryCredentials(), clock });
  const rates = { ...defaultRateLimits, perPrincipal: { perS: 10, burst: 5 }, conversationsMax: 10 };
  const access = createAccessControl({ identity, clock, metrics: noMetrics, store: createMemoryStore() }, rates);
  const server = { access, identity, clock, ids: { random: () => 0 }, onError: expect.unreachable };
  const sent: Record<string, unknown>[] = [];
  const hungUp: number[] = [];
  const options = { limits: { ...defaultStreamLimits, framesRefusedMax: 20 }, principal, speaker, isAgent: true };
  const inbox = createInbox({
    ...(options as InboxOptions),
    server: server as unknown as ServerContext,
    send: (frame) => sent.push(frame),
    hangUp: (code) => hungUp.push(code),
  });
  const statuses = () => sent.splice(0).map(({ problem }) => (problem as { status: number }).status);
  return { inbox, clock, statuses, hungUp };
}

const many = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

test("a socket that goes on after its frames came too often is closed with 1008, and not answered any more", () => {
  const { inbox, statuses, hungUp } = openInbox(agent);
  for (let turn = 0; turn < 25; turn += 1) inbox.take("{");
  expect(statuses()).toEqual([...many(5, 400), ...many(20, 429)]);
  expect(hungUp).toEqual([]);
  inbox.take("{");
  expect(statuses()).toEqual([]);
  expect(hungUp).toEqual([1008]);
});

test("a socket that comes too often now and then stays open, one that mostly does is closed", async () => {
  const { inbox, clock, hungUp } = openInbox(agent);
  for (let second = 0; second < 30; second += 1) {
    for (let turn = 0; turn < 10; turn += 1) inbox.take("{");
    await clock.advance(1_000);
  }
  expect(hungUp).toEqual([]);
  for (let second = 0; second < 30 && hungUp.length === 0; second += 1) {
    for (let turn = 0; turn < 12; turn += 1) inbox.take("{");
    await clock.advance(1_000);
  }
  expect(hungUp).toEqual([1008]);
});

test("the operator's socket is not counted", () => {
  const { inbox, statuses, hungUp } = openInbox(operator);
  for (let turn = 0; turn < 50; turn += 1) inbox.take("{");
  expect(statuses()).toEqual(many(50, 400));
  expect(hungUp).toEqual([]);
});
