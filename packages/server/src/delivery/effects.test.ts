// Effects of a running and of a closing floor, with a test clock.
import { expect, test } from "vitest";
import { StoreError } from "../errors.ts";
import type { FloorStore } from "../ports/store.ts";
import { createMemoryStore } from "../store/memory.ts";
import { answerOf, bot, startDeliveryFixture } from "../testing/delivery-fixture.ts";

async function opened(more: Parameters<typeof startDeliveryFixture>[0] = {}) {
  const floor = await startDeliveryFixture(more);
  await floor.open();
  await floor.seat();
  return floor;
}

test("a conversant gets one delivery per conversation at a time, in order, and the load counts them", async () => {
  const floor = await opened();
  for (const text of ["one", "two", "three"]) await floor.say(text);
  const first = await floor.last();
  expect(floor.sent).toHaveLength(1);
  expect(floor.effectRunner.load()).toEqual({ deliveriesRunning: 1, deliveriesQueued: 2, timers: 0 });
  first.end(answerOf(first));
  const second = await floor.last();
  expect(second.message.envelope.events).toMatchObject([{ parameters: { dialogEvent: { id: "two" } } }]);
  expect(floor.effectRunner.load()).toEqual({ deliveriesRunning: 1, deliveriesQueued: 1, timers: 0 });
});

test("a delivery beyond the queue limit is a dead letter at once, and its answer is not expected", async () => {
  const floor = await opened({ limits: { queueMax: 1 } });
  for (const text of ["one", "two", "three"]) await floor.say(text);
  await floor.clock.advance(0);
  expect(await floor.dead()).toEqual([{ failure: "timeout", detail: "too many deliveries wait for it" }]);
  expect(await floor.missed()).toMatchObject([{ failure: "timeout" }]);
  expect(await floor.pending()).toHaveLength(2);
});

test("a closing floor starts no delivery, no timer and no manifest request", async () => {
  const floor = await opened();
  const before = floor.clock.pending();
  await floor.close();
  await floor.say("too late");
  const at = new Date(floor.clock.now() + 1_000).toISOString();
  floor.effectRunner.perform("c", [
    { kind: "timer", id: "t", at },
    { kind: "askManifest", ...bot },
  ]);
  await floor.clock.advance(10_000);
  expect(floor.sent).toEqual([]);
  expect(floor.clock.pending()).toBe(before);
  expect(floor.effectRunner.load()).toEqual({ deliveriesRunning: 0, deliveriesQueued: 0, timers: 0 });
  expect(await floor.pending()).toHaveLength(1);
});

test("a closing floor still aborts stopped deliveries", async () => {
  const floor = await opened();
  await floor.say("hello");
  const delivery = await floor.last();
  delivery.message.onSent?.(true);
  const closed = floor.effectRunner.close({ drainMs: 30_000 });
  await floor.stop();
  expect(delivery.isAborted()).toBe(true);
  await closed;
});

test("a closing floor finishes deliveries within its drain time, and leaves the rest for the next process", async () => {
  const floor = await opened();
  await floor.say("one");
  await floor.say("two");
  const first = await floor.last();
  let isClosed = false;
  const closed = floor.effectRunner.close({ drainMs: 30_000 }).then(() => {
    isClosed = true;
  });
  await floor.clock.advance(29_999);
  expect([isClosed, first.isAborted()]).toEqual([false, false]);
  await floor.clock.advance(1);
  await closed;
  expect(first.isAborted()).toBe(true);
  expect(floor.sent).toHaveLength(1);
  expect(await floor.pending()).toHaveLength(2);
  expect(await floor.missed()).toEqual([]);
});

test("a floor that closes in time leaves no timer behind", async () => {
  const floor = await opened();
  await floor.say("one");
  const first = await floor.last();
  const closed = floor.effectRunner.close({ drainMs: 30_000 });
  first.end(answerOf(first, "hi"));
  await closed;
  await floor.clock.advance(29_999);
  expect(floor.clock.pending()).toBe(0);
  expect(await floor.pending()).toEqual([]);
});

/** A store that completes a settle when the test says so. */
function slowToSettle() {
  const store = createMemoryStore();
  let settle = () => {};
  const allowed = new Promise<void>((resolve) => {
    settle = resolve;
  });
  const slow: FloorStore = {
    ...store,
    outbox: {
      ...store.outbox,
      async settle(...delivery) {
        await allowed;
        await store.outbox.settle(...delivery);
      },
    },
  };
  return { store: slow, settle: () => settle() };
}

test("a floor closes only after its background writes have ended", async () => {
  const { store, settle } = slowToSettle();
  const floor = await opened({ store });
  await floor.say("hello");
  const delivery = await floor.last();
  delivery.end({ kind: "later" });
  await floor.clock.advance(0);
  await floor.stop();
  let isClosed = false;
  const closed = floor.effectRunner.close({ drainMs: 30_000 }).then(() => {
    isClosed = true;
  });
  await floor.clock.advance(0);
  expect(isClosed).toBe(false);
  settle();
  await closed;
  expect(await floor.pending()).toEqual([]);
});

test("a closing floor gives up a failing write when the drain time is over", async () => {
  const store = createMemoryStore();
  let isFull = false;
  const full = new StoreError("store-failed", "no room", { retryable: true });
  const floor = await opened({
    store: {
      ...store,
      log: { ...store.log, append: (...change) => (isFull ? Promise.reject(full) : store.log.append(...change)) },
    },
  });
  await floor.say("hello");
  const delivery = await floor.last();
  isFull = true;
  delivery.end(answerOf(delivery, "hi"));
  await floor.clock.advance(10_000);
  await floor.close(1_000);
  expect(await floor.pending()).toHaveLength(1);
});

test("redriving sends a dead letter again, and reports an unknown one", async () => {
  const floor = await opened();
  await floor.say("hello");
  const delivery = await floor.last();
  delivery.end({ kind: "failure", failure: "unreachable", detail: "gone" });
  await floor.clock.advance(0);
  const key = { conversationId: "c", delivery: delivery.message.delivery };
  expect(await floor.effectRunner.redeliver({ ...key, delivery: "d999.0" })).toBe(false);
  expect(await floor.effectRunner.redeliver(key)).toBe(true);
  const again = await floor.last();
  expect(floor.sent).toHaveLength(2);
  expect(again.message.delivery).toBe(delivery.message.delivery);
  // It was not stopped, so it has the usual time.
  expect(again.message.stopped?.aborted).toBe(false);
  await floor.clock.advance(100_000);
  expect(again.isAborted()).toBe(false);
  again.end(answerOf(again, "at last"));
  await floor.clock.advance(0);
  expect(await floor.dead()).toEqual([]);
  expect(await floor.pending()).toEqual([]);
  expect(JSON.stringify(await floor.log())).toContain("at last");
});

test("a redelivered dead letter whose promised answer does not come is a dead letter again", async () => {
  const floor = await opened({ limits: { laterAnswerMs: 300_000 } });
  await floor.say("hello");
  const delivery = await floor.last();
  delivery.end({ kind: "failure", failure: "unreachable", detail: "gone" });
  await floor.clock.advance(0);
  await floor.effectRunner.redeliver({ conversationId: "c", delivery: delivery.message.delivery });
  const again = await floor.last();
  again.end({ kind: "later" });
  await floor.clock.advance(300_000);
  expect(await floor.dead()).toEqual([{ failure: "timeout", detail: "it did not send the answer it promised" }]);
  expect(await floor.pending()).toEqual([]);
});

test("a timer fires once, and counts as load until then", async () => {
  const floor = await opened();
  const at = new Date(floor.clock.now() + 1_000).toISOString();
  floor.effectRunner.perform("c", [{ kind: "timer", id: "t", at }]);
  expect(floor.effectRunner.load().timers).toBe(1);
  await floor.clock.advance(999);
  expect(floor.effectRunner.load().timers).toBe(1);
  await floor.clock.advance(1);
  expect(floor.effectRunner.load().timers).toBe(0);
});
