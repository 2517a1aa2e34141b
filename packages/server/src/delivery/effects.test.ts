// What a floor performs while it runs and while it closes, by a clock that tests set.
import { expect, test } from "vitest";
import { StoreError } from "../errors.ts";
import type { FloorStore } from "../ports/store.ts";
import { createMemoryStore } from "../store/memory.ts";
import { answerOf, bot, startDelivering } from "../testing/delivering.ts";

async function opened(more: Parameters<typeof startDelivering>[0] = {}) {
  const floor = await startDelivering(more);
  await floor.open();
  await floor.seat();
  return floor;
}

test("a conversant gets one delivery of a conversation at a time, in order, and the load counts them", async () => {
  const floor = await opened();
  for (const words of ["one", "two", "three"]) await floor.say(words);
  const first = await floor.last();
  expect(floor.sent).toHaveLength(1);
  expect(floor.performer.load()).toEqual({ deliveriesRunning: 1, deliveriesQueued: 2, timers: 0 });
  first.end(answerOf(first));
  const second = await floor.last();
  expect(second.letter.envelope.events).toMatchObject([{ parameters: { dialogEvent: { id: "two" } } }]);
  expect(floor.performer.load()).toEqual({ deliveriesRunning: 1, deliveriesQueued: 1, timers: 0 });
});

test("what is too much for the queue of a conversant is a dead letter at once, and nobody expects its answer", async () => {
  const floor = await opened({ limits: { queueMax: 1 } });
  for (const words of ["one", "two", "three"]) await floor.say(words);
  await floor.clock.advance(0);
  expect(await floor.dead()).toEqual([{ failure: "timeout", detail: "too much waits for it" }]);
  expect(await floor.missed()).toMatchObject([{ failure: "timeout" }]);
  expect(await floor.pending()).toHaveLength(2);
});

test("a floor that closes begins nothing: neither a delivery nor a timer nor a question", async () => {
  const floor = await opened();
  const before = floor.clock.pending();
  await floor.close();
  await floor.say("too late");
  const at = new Date(floor.clock.now() + 1_000).toISOString();
  floor.performer.perform("c", [
    { kind: "timer", id: "t", at },
    { kind: "askManifest", ...bot },
  ]);
  await floor.clock.advance(10_000);
  expect(floor.sent).toEqual([]);
  expect(floor.clock.pending()).toBe(before);
  expect(floor.performer.load()).toEqual({ deliveriesRunning: 0, deliveriesQueued: 0, timers: 0 });
  expect(await floor.pending()).toHaveLength(1);
});

test("a floor that closes still cuts what is stopped meanwhile", async () => {
  const floor = await opened();
  await floor.say("hello");
  const delivery = await floor.last();
  delivery.letter.onSent?.(true);
  const closed = floor.performer.close({ drainMs: 30_000 });
  await floor.stop();
  expect(delivery.isCut()).toBe(true);
  await closed;
});

test("a floor that closes finishes what is in flight, for as long as it may, and leaves the rest for the next one", async () => {
  const floor = await opened();
  await floor.say("one");
  await floor.say("two");
  const first = await floor.last();
  let isClosed = false;
  const closed = floor.performer.close({ drainMs: 30_000 }).then(() => {
    isClosed = true;
  });
  await floor.clock.advance(29_999);
  expect([isClosed, first.isCut()]).toEqual([false, false]);
  await floor.clock.advance(1);
  await closed;
  expect(first.isCut()).toBe(true);
  expect(floor.sent).toHaveLength(1);
  expect(await floor.pending()).toHaveLength(2);
  expect(await floor.missed()).toEqual([]);
});

test("a floor that has finished in time leaves no timer behind", async () => {
  const floor = await opened();
  await floor.say("one");
  const first = await floor.last();
  const closed = floor.performer.close({ drainMs: 30_000 });
  first.end(answerOf(first, "hi"));
  await closed;
  await floor.clock.advance(29_999);
  expect(floor.clock.pending()).toBe(0);
  expect(await floor.pending()).toEqual([]);
});

/** A store that finishes what is settled when the test says so. */
function slowToSettle() {
  const store = createMemoryStore();
  let settle = () => {};
  const gate = new Promise<void>((resolve) => {
    settle = resolve;
  });
  const slow: FloorStore = {
    ...store,
    async settle(...delivery) {
      await gate;
      await store.settle(...delivery);
    },
  };
  return { store: slow, settle: () => settle() };
}

test("a floor does not close before what it lets go of is written", async () => {
  const { store, settle } = slowToSettle();
  const floor = await opened({ store });
  await floor.say("hello");
  const delivery = await floor.last();
  delivery.end({ kind: "later" });
  await floor.clock.advance(0);
  await floor.stop();
  let isClosed = false;
  const closed = floor.performer.close({ drainMs: 30_000 }).then(() => {
    isClosed = true;
  });
  await floor.clock.advance(0);
  expect(isClosed).toBe(false);
  settle();
  await closed;
  expect(await floor.pending()).toEqual([]);
});

test("what cannot be written while a floor closes is given up when its time is over", async () => {
  const store = createMemoryStore();
  let isFull = false;
  const full = new StoreError("store-failed", "no room", { retryable: true });
  const floor = await opened({
    store: { ...store, append: (...change) => (isFull ? Promise.reject(full) : store.append(...change)) },
  });
  await floor.say("hello");
  const delivery = await floor.last();
  isFull = true;
  delivery.end(answerOf(delivery, "hi"));
  await floor.clock.advance(10_000);
  await floor.close(1_000);
  expect(await floor.pending()).toHaveLength(1);
});

test("a dead letter that is sent again goes out once more, and none of another name does", async () => {
  const floor = await opened();
  await floor.say("hello");
  const delivery = await floor.last();
  delivery.end({ kind: "failure", failure: "unreachable", detail: "gone" });
  await floor.clock.advance(0);
  const key = { conversationId: "c", delivery: delivery.letter.delivery };
  expect(await floor.performer.redrive({ ...key, delivery: "d999.0" })).toBe(false);
  expect(await floor.performer.redrive(key)).toBe(true);
  const again = await floor.last();
  expect(floor.sent).toHaveLength(2);
  expect(again.letter.delivery).toBe(delivery.letter.delivery);
  // Nobody has stopped it: it has the time that every delivery has.
  expect(again.letter.stopped?.aborted).toBe(false);
  await floor.clock.advance(100_000);
  expect(again.isCut()).toBe(false);
  again.end(answerOf(again, "at last"));
  await floor.clock.advance(0);
  expect(await floor.dead()).toEqual([]);
  expect(await floor.pending()).toEqual([]);
  expect(JSON.stringify(await floor.log())).toContain("at last");
});

test("a dead letter whose answer is promised and does not come is a dead letter again", async () => {
  const floor = await opened({ limits: { laterAnswerMs: 300_000 } });
  await floor.say("hello");
  const delivery = await floor.last();
  delivery.end({ kind: "failure", failure: "unreachable", detail: "gone" });
  await floor.clock.advance(0);
  await floor.performer.redrive({ conversationId: "c", delivery: delivery.letter.delivery });
  const again = await floor.last();
  again.end({ kind: "later" });
  await floor.clock.advance(300_000);
  expect(await floor.dead()).toEqual([{ failure: "timeout", detail: "the answer it promised did not come" }]);
  expect(await floor.pending()).toEqual([]);
});

test("a timer rings once, and counts until then", async () => {
  const floor = await opened();
  const at = new Date(floor.clock.now() + 1_000).toISOString();
  floor.performer.perform("c", [{ kind: "timer", id: "t", at }]);
  expect(floor.performer.load().timers).toBe(1);
  await floor.clock.advance(999);
  expect(floor.performer.load().timers).toBe(1);
  await floor.clock.advance(1);
  expect(floor.performer.load().timers).toBe(0);
});
