import { expect, test } from "vitest";
import { Problem, StoreError } from "../errors.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import { createRetryWrite } from "./retry-write.ts";

const full = new StoreError("store-failed", "no room", { retryable: true });

function startRetry(random = 1) {
  const clock = createFakeClock();
  const errors: unknown[] = [];
  const ids = { newId: () => "id", random: () => random };
  return { clock, errors, retryWrite: createRetryWrite({ clock, ids, onError: (error) => errors.push(error) }) };
}

test("a failed write is retried with growing pauses until it succeeds", async () => {
  const { clock, errors, retryWrite } = startRetry();
  const triedAt: number[] = [];
  const start = clock.now();
  const done = retryWrite.run(async () => {
    triedAt.push(clock.now() - start);
    if (triedAt.length < 10) throw full;
    return "written";
  });
  await clock.advance(60_000);
  expect(await done).toBe("written");
  expect(triedAt).toEqual([0, 100, 300, 700, 1_500, 3_100, 6_300, 11_300, 16_300, 21_300]);
  expect(errors).toEqual([full]);
});

test("a write that loses conflicts is retried too, and reported at the first failure", async () => {
  const { clock, errors, retryWrite } = startRetry();
  let tries = 0;
  const done = retryWrite.run(async () => {
    tries += 1;
    if (tries === 1) throw new Problem("unavailable");
    return tries;
  });
  await clock.advance(1_000);
  expect(await done).toBe(2);
  expect(errors).toEqual([new Problem("unavailable")]);
});

test("a permanent failure is rejected at once", async () => {
  const { retryWrite } = startRetry();
  const corrupt = new StoreError("store-corrupt", "broken");
  await expect(retryWrite.run(() => Promise.reject(corrupt))).rejects.toBe(corrupt);
  await expect(retryWrite.run(() => Promise.reject(new Error("bug")))).rejects.toThrow("bug");
});

test("closing ends the pauses", async () => {
  const { clock, retryWrite } = startRetry();
  let tries = 0;
  const done = retryWrite.run(async () => {
    tries += 1;
    throw full;
  });
  const ended = expect(done).rejects.toBe(full);
  await clock.advance(50);
  retryWrite.close();
  await ended;
  expect(tries).toBe(1);
  expect(clock.pending()).toBe(0);
  await expect(retryWrite.run(() => Promise.reject(full))).rejects.toBe(full);
  expect(clock.pending()).toBe(0);
});

test("a pause is at least half of its maximum", async () => {
  const { clock, retryWrite } = startRetry(0);
  let tries = 0;
  const done = retryWrite.run(async () => {
    tries += 1;
    if (tries === 1) throw full;
  });
  await clock.advance(49);
  expect(tries).toBe(1);
  await clock.advance(1);
  expect(tries).toBe(2);
  await done;
});
