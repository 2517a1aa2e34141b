// D18, D22, D23: deliveries that are stopped, promised for later or given up, with a test clock.
import { expect, test } from "vitest";
import { webhookId } from "../conversation/reply-authorization.ts";
import { StoreError } from "../errors.ts";
import type { FloorStore } from "../ports/store.ts";
import { createMemoryStore } from "../store/memory.ts";
import { answerOf, bot, type DeliveryFixture, startDeliveryFixture } from "../testing/delivery-fixture.ts";

const limits = { retryMs: 60_000, connectMs: 3_000, stoppedAnswerMs: 2_000, laterAnswerMs: 300_000 };

/** A floor with one agent, and an utterance for it. */
async function startWithUtterance(text = "hello", more: Parameters<typeof startDeliveryFixture>[0] = {}) {
  const floor = await startDeliveryFixture({ limits, ...more });
  await floor.open();
  await floor.seat();
  await floor.say(text);
  return { floor, delivery: await floor.last() };
}

const unsent = { because: "delivery/unsent", failure: "unreachable" };

test("D18: a delivery stopped before it is sent has a minute to be sent, then it is missed", async () => {
  const { floor, delivery } = await startWithUtterance();
  expect(delivery.message.stopped?.aborted).toBe(false);
  await floor.clock.advance(100_000);
  await floor.stop();
  expect(delivery.message.stopped?.aborted).toBe(true);
  await floor.clock.advance(59_999);
  expect(delivery.isAborted()).toBe(false);
  expect(await floor.pending()).toHaveLength(1);
  await floor.clock.advance(1);
  expect(delivery.isAborted()).toBe(true);
  const detail = "did not receive this: it was stopped before it could be sent";
  expect(await floor.missed()).toEqual([{ ...unsent, detail }]);
  expect(await floor.pending()).toEqual([]);
  expect(await floor.dead()).toMatchObject([{ failure: "unreachable" }]);
  expect(floor.errors).toEqual([]);
});

test("D18: a stopped delivery has at least the connect timeout", async () => {
  const { floor, delivery } = await startWithUtterance("hello", { limits: { ...limits, retryMs: 1_000 } });
  await floor.stop();
  await floor.clock.advance(2_999);
  expect(delivery.isAborted()).toBe(false);
  await floor.clock.advance(1);
  expect(delivery.isAborted()).toBe(true);
});

test("D18: deliveries queued behind a stopped one share its time, but have the connect timeout", async () => {
  const { floor, delivery } = await startWithUtterance("one");
  await floor.say("two");
  await floor.stop();
  await floor.clock.advance(60_000);
  expect(delivery.isAborted()).toBe(true);
  const second = await floor.last();
  expect(second.message.delivery).not.toBe(delivery.message.delivery);
  await floor.clock.advance(2_999);
  expect(second.isAborted()).toBe(false);
  await floor.clock.advance(1);
  expect(second.isAborted()).toBe(true);
  expect(await floor.missed()).toMatchObject([unsent, unsent]);
});

test("D18: a stopped delivery that is sent waits two seconds for its answer, and is not missed", async () => {
  const { floor, delivery } = await startWithUtterance();
  await floor.stop();
  await floor.clock.advance(30_000);
  delivery.message.onSent?.(true);
  await floor.clock.advance(1_000);
  delivery.message.onSent?.(true);
  await floor.clock.advance(999);
  expect(delivery.isAborted()).toBe(false);
  await floor.clock.advance(1);
  expect(delivery.isAborted()).toBe(true);
  expect(await floor.missed()).toEqual([]);
  expect(await floor.pending()).toEqual([]);
  expect(await floor.dead()).toEqual([]);
});

test("D18: after a rejected attempt a stopped delivery has the rest of its minute", async () => {
  const { floor, delivery } = await startWithUtterance();
  await floor.stop();
  delivery.message.onSent?.(true);
  await floor.clock.advance(1_000);
  delivery.message.onSent?.(false);
  await floor.clock.advance(58_999);
  expect(delivery.isAborted()).toBe(false);
  await floor.clock.advance(1);
  expect(delivery.isAborted()).toBe(true);
  expect(await floor.missed()).toMatchObject([unsent]);
});

test("D18: stopping a sent delivery aborts it at once, and its answer has no effect", async () => {
  const { floor, delivery } = await startWithUtterance();
  delivery.message.onSent?.(true);
  await floor.stop();
  expect(delivery.isAborted()).toBe(true);
  await floor.clock.advance(0);
  expect(await floor.missed()).toEqual([]);
  expect(await floor.pending()).toEqual([]);
  expect(floor.clock.pending()).toBe(0);
});

test("D18: a stopped unsent whisper is shown as missed only to its sender and addressee", async () => {
  const floor = await startDeliveryFixture({ limits });
  await floor.open();
  await floor.seat();
  await floor.say("psst", { to: { speakerUri: bot.speakerUri, private: true } });
  await floor.last();
  await floor.stop();
  await floor.clock.advance(60_000);
  const missed = (await floor.log()).filter(({ kind }) => kind === "missed");
  expect(missed).toMatchObject([{ because: "delivery/unsent", audience: ["tag:ann.example,2026:1", bot.speakerUri] }]);
});

test("a removal that does not reach the removed conversant is not in the log", async () => {
  const floor = await startDeliveryFixture({ limits });
  await floor.open();
  await floor.seat();
  await floor.send([{ eventType: "uninvite", to: { speakerUri: bot.speakerUri } }]);
  const removal = await floor.last();
  expect(removal.message.envelope.events).toMatchObject([{ eventType: "uninvite" }]);
  removal.end({ kind: "failure", failure: "unreachable", detail: "gone" });
  await floor.clock.advance(60_000);
  expect(await floor.missed()).toEqual([]);
  expect(await floor.pending()).toEqual([]);
});

test("D18: after a restart a stopped delivery has a minute to be sent, then it is missed", async () => {
  const store = createMemoryStore();
  const { floor } = await startWithUtterance("hello", { store });
  await floor.stop();
  await floor.close();
  expect(await floor.pending()).toHaveLength(1);
  const next = await startDeliveryFixture({ store, limits, startMs: floor.clock.now() });
  next.effectRunner.resume(await store.outbox.pending());
  const again = await next.last();
  expect(again.message.stopped?.aborted).toBe(true);
  await next.clock.advance(60_000);
  expect(again.isAborted()).toBe(true);
  expect(await next.missed()).toMatchObject([unsent]);
});

async function promised(more: Parameters<typeof startDeliveryFixture>[0] = {}) {
  const { floor, delivery } = await startWithUtterance("hello", more);
  delivery.end({ kind: "later" });
  await floor.clock.advance(0);
  return { floor, delivery };
}

const webhookIdOf = ({ server }: DeliveryFixture, delivery: string) =>
  webhookId({ conversationId: "c", delivery }, server.deliverySecret);

test("D22: an answer promised for later is awaited for five minutes, then it counts as missed", async () => {
  const { floor, delivery } = await promised();
  await floor.clock.advance(299_999);
  expect(await floor.missed()).toEqual([]);
  expect(await floor.pending()).toHaveLength(1);
  await floor.clock.advance(1);
  expect(await floor.missed()).toMatchObject([{ because: "delivery/timeout", failure: "timeout" }]);
  expect(await floor.dead()).toEqual([{ failure: "timeout", detail: "it did not send the answer it promised" }]);
  expect(await floor.pending()).toEqual([]);
  expect(floor.server.expectedAnswers.take(webhookIdOf(floor, delivery.message.delivery))).toBe(false);
});

test("D22: a later answer is expected once; after a direct answer none is expected", async () => {
  const { floor, delivery } = await promised();
  expect(floor.server.expectedAnswers.take(webhookIdOf(floor, delivery.message.delivery))).toBe(true);
  const { floor: other, delivery: answered } = await startWithUtterance();
  answered.end(answerOf(answered, "hi"));
  await other.clock.advance(0);
  expect(other.server.expectedAnswers.take(webhookIdOf(other, answered.message.delivery))).toBe(false);
});

test("D22: the answer to a stopped delivery is not expected, and the delivery is not sent again", async () => {
  const { floor, delivery } = await promised();
  const before = floor.clock.pending();
  await floor.stop();
  await floor.clock.advance(0);
  expect(await floor.pending()).toEqual([]);
  expect(floor.server.expectedAnswers.take(webhookIdOf(floor, delivery.message.delivery))).toBe(false);
  expect(floor.clock.pending()).toBe(before - 1);
});

test("D22: a closing floor does not wait for a promised answer, and sends again after its restart", async () => {
  const { floor } = await promised();
  const before = floor.clock.pending();
  await floor.close();
  expect(floor.clock.pending()).toBe(before - 1);
  await floor.clock.advance(300_000);
  expect(await floor.pending()).toHaveLength(1);
  expect(await floor.missed()).toEqual([]);
});

test("D4: a delivery counts as retrying from its first failure to its end", async () => {
  const { floor, delivery } = await startWithUtterance();
  const isRetrying = () => floor.effectRunner.isRetrying("c", delivery.message.delivery);
  expect(isRetrying()).toBe(false);
  delivery.message.onRetry();
  expect(isRetrying()).toBe(true);
  delivery.end(answerOf(delivery));
  await floor.clock.advance(0);
  expect(isRetrying()).toBe(false);
});

test("a delivery to an address that no transport reaches is a dead letter", async () => {
  const floor = await startDeliveryFixture({ limits });
  await floor.open();
  await floor.seat({ ...bot, serviceUrl: "mailto:bot@bot.example" });
  await floor.say("hello");
  await floor.clock.advance(0);
  expect(floor.sent).toEqual([]);
  expect(await floor.dead()).toMatchObject([{ failure: "unreachable", detail: "no transport reaches this address" }]);
});

test("a message has the kind of a recipient seated by the host, and the timeout of the conversation", async () => {
  const { floor, delivery } = await startWithUtterance("hello", { floorOptions: { agentTimeoutMs: 5_000 } });
  expect(delivery.message).toMatchObject({ seatedAs: "agent", agentTimeoutMs: 5_000, isInvite: false });
  const otherUrl = "http://far.example/";
  await floor.send([{ eventType: "invite", to: { serviceUrl: otherUrl } }]);
  const invited = await floor.last();
  expect(invited.message).toMatchObject({ to: { serviceUrl: otherUrl }, isInvite: true });
  expect(invited.message.seatedAs).toBeUndefined();
});

test("a delivery that ended in the log is neither sent again nor missed when the next process finds it in the outbox", async () => {
  const store = createMemoryStore();
  const unsettled: FloorStore = {
    ...store,
    log: { ...store.log, append: (id, change, seq) => store.log.append(id, { ...change, settled: [] }, seq) },
  };
  const { floor, delivery } = await startWithUtterance("hello", { store: unsettled });
  delivery.end(answerOf(delivery, "hi"));
  await floor.clock.advance(0);
  await floor.close();
  const pending = await store.outbox.pending();
  expect(pending.deliveries.map(({ effect }) => effect.delivery)).toContain(delivery.message.delivery);
  const next = await startDeliveryFixture({ store, limits, startMs: floor.clock.now() });
  next.effectRunner.resume(pending);
  await next.clock.advance(60_000);
  expect([next.sent, await next.pending(), await next.missed()]).toEqual([[], [], []]);
});

test("a delivery repeated after a restart has the usual time, unless it was stopped", async () => {
  const store = createMemoryStore();
  const { floor } = await startWithUtterance("hello", { store });
  await floor.close();
  const next = await startDeliveryFixture({ store, limits, startMs: floor.clock.now() });
  next.effectRunner.resume(await store.outbox.pending());
  const again = await next.last();
  expect(again.message.stopped?.aborted).toBe(false);
  await next.clock.advance(100_000);
  expect(again.isAborted()).toBe(false);
});

test("an answer that cannot be written is reported, and its delivery stays in the outbox", async () => {
  const store = createMemoryStore();
  const broken = new StoreError("store-corrupt", "broken");
  let isBroken = false;
  const { floor, delivery } = await startWithUtterance("hello", {
    store: {
      ...store,
      log: { ...store.log, append: (...change) => (isBroken ? Promise.reject(broken) : store.log.append(...change)) },
    },
  });
  isBroken = true;
  delivery.end(answerOf(delivery, "hi"));
  await floor.clock.advance(0);
  expect(floor.errors).toEqual([broken]);
  expect(await floor.pending()).toHaveLength(1);
});

test("outcomes and retries of deliveries are counted", async () => {
  const { floor, delivery } = await startWithUtterance();
  delivery.message.onRetry();
  delivery.end({ kind: "failure", failure: "timeout", detail: "slow" });
  await floor.clock.advance(0);
  await floor.say("again");
  const second = await floor.last();
  second.end(answerOf(second));
  await floor.clock.advance(0);
  const { text: metricsText } = await floor.server.metrics.text();
  expect(metricsText).toMatch(/^plenary_deliveries_retried_total 1$/mu);
  expect(metricsText).toMatch(/deliver\w*\{\w+="timeout"\} 1/u);
  expect(metricsText).toMatch(/deliver\w*\{\w+="envelope"\} 1/u);
});
