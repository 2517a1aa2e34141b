import { expect, test } from "vitest";
import { createNotifier } from "../conversation/notifier.ts";
import { defaultWebhookLimits, type WebhookLimits } from "../limits.ts";
import { createErrorReport } from "../observability/error-report.ts";
import type { Dialler, DialRequest } from "../ports/dialler.ts";
import { noMetrics } from "../ports/metrics.ts";
import { operator } from "../ports/principal.ts";
import type { FloorStore } from "../ports/store.ts";
import type { StoredWebhook } from "../ports/webhook-store.ts";
import { ann, changeOf, envelopeDecision, openConversation, utterance } from "../store/acceptance/fixture.ts";
import { createMemoryStore } from "../store/memory.ts";
import { createCollectingLogger } from "../testing/collecting-logger.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import { newWebhookSecret, type Webhook } from "./webhook.ts";
import { createWebhooks } from "./webhooks.ts";

type Answer = { status: number; headers?: Record<string, string> };
type Behaviour = (request: DialRequest) => Answer | Promise<Answer>;
type Options = {
  limits?: Partial<WebhookLimits>;
  store?: FloorStore;
  clock?: ReturnType<typeof createFakeClock>;
  isLive?: () => boolean;
  stored?: readonly StoredWebhook[];
};
const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000];

/** Webhooks on a clock that the test sets. `random` is 1: no jitter. */
function startWebhooks(behaviour: Behaviour, options: Options = {}) {
  const { limits, store = createMemoryStore(), clock = createFakeClock(), isLive = () => true, stored = [] } = options;
  const notifier = createNotifier();
  const watched = { count: 0 };
  const sent: { seq: number; conversation: string; atMs: number; id: string }[] = [];
  const { logger, lines: logged, errors } = createCollectingLogger();
  const dialler: Dialler = {
    async dial(request) {
      const { seq, conversation } = JSON.parse(request.body).data;
      sent.push({ seq, conversation, atMs: clock.now(), id: request.headers["webhook-id"] ?? "" });
      const { status, headers = {} } = await behaviour(request);
      return { status, headers: { get: (name) => headers[name] ?? null }, body: (async function* () {})() };
    },
  };
  const webhooks = createWebhooks({
    log: store.log,
    store: store.webhooks,
    stored,
    clock,
    dialler,
    notifier: {
      wake: notifier.wake,
      watch(id, wake) {
        watched.count += 1;
        const stop = notifier.watch(id, wake);
        return () => {
          watched.count -= 1;
          stop();
        };
      },
    },
    ids: { newId: () => "", random: () => 1 },
    metrics: noMetrics,
    self: { speakerUri: "tag:floor.example,2026:floor", serviceUrl: "http://floor.example/" },
    limits: { ...defaultWebhookLimits, ...limits },
    connectMs: 3_000,
    isLive: async () => isLive(),
    logger,
    onError: createErrorReport(logger),
  });
  return {
    webhooks,
    clock,
    store,
    sent,
    watched,
    logged,
    errors,
    async say(id: string, text: string) {
      const floor = (await store.log.load(id)) ?? (await openConversation(store, id));
      await store.log.append(id, changeOf(envelopeDecision(floor, utterance(text))), floor.seq);
      notifier.wake(id);
      await clock.advance(0);
    },
  };
}

function hookOf(more: Partial<Webhook> = {}): Webhook {
  return {
    id: "hook",
    url: "https://receiver.example/",
    kinds: ["event"],
    registrant: { id: operator.id, kind: "operator" },
    secrets: [{ secret: newWebhookSecret() }],
    createdAt: "2026-01-01T00:00:00.000Z",
    ...more,
  };
}

test("retries wait 5 s, twice as long each time, at most an hour; after a day the entry is a dead letter", async () => {
  const { webhooks, clock, sent, say, store } = startWebhooks(() => ({ status: 500 }));
  await webhooks.add(hookOf());
  await say("c", "hello");
  await clock.advance(dayMs + 2 * hourMs);
  const waitsS = sent.map(({ atMs }, index) => (atMs - (sent[index - 1]?.atMs ?? atMs)) / 1_000);
  expect(waitsS.slice(0, 12)).toEqual([0, 5, 10, 20, 40, 80, 160, 320, 640, 1_280, 2_560, 3_600]);
  expect(waitsS.slice(12).every((wait) => wait === 3_600)).toBe(true);
  const letters = await store.webhooks.webhookLetters({ webhook: "hook", limit: 9 });
  expect(letters).toMatchObject([{ conversationId: "c", failure: "it answered 500", id: sent[0]?.id }]);
  expect(await webhooks.view("hook")).toMatchObject({ state: "active", pending: 0 });
});

test("without any success for 5 days a webhook is disabled and keeps its place", async () => {
  const status = { now: 500 };
  const { webhooks, clock, sent, logged, say } = startWebhooks(() => ({ status: status.now }));
  await webhooks.add(hookOf());
  for (let count = 0; count < 9; count += 1) await say("c", `word ${count}`);
  await clock.advance(6 * dayMs);
  expect(await webhooks.view("hook")).toMatchObject({ state: "disabled", failure: expect.stringContaining("5 days") });
  expect(logged).toMatchObject([{ level: "warn", message: "a webhook was disabled", fields: { webhook: "hook" } }]);
  const tries = sent.length;
  await say("c", "while it is disabled");
  await clock.advance(dayMs);
  expect(sent).toHaveLength(tries);
  status.now = 200;
  expect(await webhooks.enable("hook")).toBeUndefined();
  await clock.advance(minuteMs);
  // Four entries became dead letters, the fifth failed last.
  expect(new Set(sent.slice(tries).map(({ seq }) => seq)).size).toBe(6);
});

test("Retry-After stops all conversations of the webhook for that time", async () => {
  const { webhooks, clock, sent, say } = startWebhooks(() =>
    sent.length > 1 ? { status: 200 } : { status: 429, headers: { "retry-after": "600" } },
  );
  await webhooks.add(hookOf());
  await say("c", "one");
  await say("d", "two");
  await clock.advance(599_000);
  expect(sent).toHaveLength(1);
  await clock.advance(1_000);
  expect(sent.map(({ conversation }) => conversation).sort()).toEqual(["c", "c", "d"]);
});

test("a conversation that fails delays no other, and the first success after a failure retries the rest", async () => {
  const broken = new Set(["c"]);
  const { webhooks, clock, sent, say } = startWebhooks(({ body }) => ({
    status: broken.has(JSON.parse(body).data.conversation) ? 500 : 200,
  }));
  await webhooks.add(hookOf());
  await say("c", "one");
  await say("d", "two");
  const countOf = (id: string) => sent.filter(({ conversation }) => conversation === id).length;
  // The success in `d` is the first one, so `c` is tried again at once; the next success is no news.
  expect([countOf("c"), countOf("d")]).toEqual([2, 1]);
  await say("d", "three");
  expect([countOf("c"), countOf("d")]).toEqual([2, 2]);
  broken.clear();
  await clock.advance(minuteMs);
  expect(await webhooks.view("hook")).toMatchObject({ state: "active", pending: 0 });
});

test("above the limit of lanes further conversations wait, and none is lost", async () => {
  const status = { now: 500 };
  const { webhooks, clock, sent, say } = startWebhooks(() => ({ status: status.now }), { limits: { lanesMax: 2 } });
  await webhooks.add(hookOf());
  for (const id of ["a", "b", "c", "d"]) for (const word of ["one", "two"]) await say(id, word);
  expect(new Set(sent.map(({ conversation }) => conversation))).toEqual(new Set(["a", "b"]));
  status.now = 200;
  const failed = sent.length;
  await clock.advance(hourMs);
  const places = sent.slice(failed).map(({ conversation, seq }) => `${conversation} ${seq}`);
  expect(new Set(places).size).toBe(8);
  for (const id of ["a", "b", "c", "d"]) {
    const seqs = sent.slice(failed).flatMap(({ conversation, seq }) => (conversation === id ? [seq] : []));
    expect(seqs).toEqual([...seqs].sort((one, other) => one - other));
  }
});

test("another process continues where the first one ended, with the time of failing counted on", async () => {
  const first = startWebhooks(() => ({ status: 500 }));
  const { store, clock } = first;
  await first.webhooks.add(hookOf());
  await first.say("c", "one");
  await clock.advance(23 * hourMs);
  await first.webhooks.close({ drainMs: 0 });
  const second = startWebhooks(() => ({ status: 500 }), { store, clock, stored: await store.webhooks.webhooks() });
  await clock.advance(2 * hourMs);
  expect(second.sent[0]?.id).toBe(first.sent[0]?.id);
  expect(await store.webhooks.webhookLetters({ webhook: "hook", limit: 9 })).toHaveLength(1);
});

test("Retry-After outlives a restart", async () => {
  const first = startWebhooks(() => ({ status: 503, headers: { "retry-after": "600" } }));
  const { store, clock } = first;
  await first.webhooks.add(hookOf());
  await first.say("c", "one");
  await first.webhooks.close({ drainMs: 0 });
  const second = startWebhooks(() => ({ status: 200 }), { store, clock, stored: await store.webhooks.webhooks() });
  await clock.advance(599_000);
  expect(second.sent).toHaveLength(0);
  await clock.advance(1_000);
  expect(second.sent).toHaveLength(1);
});

test("nothing is sent after the credential of the registrant has ended", async () => {
  let isLive = true;
  const { webhooks, say, sent, watched } = startWebhooks(() => ({ status: 200 }), { isLive: () => isLive });
  await say("c", "before the registration");
  const registrant = { id: "key:1", kind: "person" as const };
  await webhooks.add(hookOf({ conversation: "c", speaker: ann, registrant }));
  await say("c", "one");
  isLive = false;
  await say("c", "two");
  expect([sent.length, watched.count]).toEqual([1, 0]);
  expect(await webhooks.view("hook")).toMatchObject({ state: "disabled", failure: expect.stringContaining("ended") });
});

test("an old secret signs for a day after it was replaced", async () => {
  const signatures: string[] = [];
  const { webhooks, clock, say } = startWebhooks(({ headers }) => {
    signatures.push(headers["webhook-signature"] ?? "");
    return { status: 200 };
  });
  await webhooks.add(hookOf());
  await webhooks.rotateSecret("hook");
  await say("c", "one");
  await clock.advance(dayMs);
  await say("c", "two");
  expect(signatures.map((text) => text.split(" ").length)).toEqual([2, 1]);
});

test("nothing watches the log without an enabled webhook", async () => {
  const { webhooks, watched, say, sent, store } = startWebhooks(() => ({ status: 200 }));
  expect(watched.count).toBe(0);
  await webhooks.add(hookOf());
  await webhooks.add(hookOf({ id: "other" }));
  expect(watched.count).toBe(1);
  await webhooks.remove("hook");
  await webhooks.remove("other");
  expect(watched.count).toBe(0);
  await say("c", "hello");
  expect([sent, await store.webhooks.webhooks()]).toEqual([[], []]);
});

test("an entry that is written while the end of the log is read is not missed", async () => {
  const store = createMemoryStore();
  let onEnd: (() => Promise<void>) | undefined;
  const slow: FloorStore = {
    ...store,
    log: {
      ...store.log,
      async entries(...query) {
        const found = await store.log.entries(...query);
        const late = found.length === 0 ? onEnd : undefined;
        if (late !== undefined) onEnd = undefined;
        await late?.();
        return found;
      },
    },
  };
  const { webhooks, clock, say, sent } = startWebhooks(() => ({ status: 200 }), { store: slow });
  await say("c", "before the registration");
  await webhooks.add(hookOf({ conversation: "c" }));
  await clock.advance(0);
  onEnd = () => say("c", "late");
  await say("c", "one");
  await clock.advance(minuteMs);
  expect(sent).toHaveLength(2);
});

test("a store that fails is read again, and the receiver is not blamed", async () => {
  const store = createMemoryStore();
  let failures = 4;
  const fail = () => {
    failures -= 1;
    if (failures >= 0) throw new Error("the disk is away");
  };
  const failing: FloorStore = {
    ...store,
    log: {
      ...store.log,
      entries: async (...query) => {
        fail();
        return store.log.entries(...query);
      },
    },
    webhooks: {
      ...store.webhooks,
      logRanges: async (query) => {
        fail();
        return store.webhooks.logRanges(query);
      },
    },
  };
  const { webhooks, clock, say, sent, errors } = startWebhooks(() => ({ status: 200 }), { store: failing });
  await webhooks.add(hookOf());
  await say("c", "hello");
  expect(await webhooks.view("hook")).toMatchObject({ state: "active" });
  await clock.advance(minuteMs);
  expect([sent.length, errors.length]).toEqual([1, 4]);
});
