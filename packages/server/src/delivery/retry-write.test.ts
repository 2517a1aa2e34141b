import { expect, test } from "vitest";
import { Problem, StoreError } from "../errors.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import { createUntilWritten } from "./retry-write.ts";

const full = new StoreError("store-failed", "no room", { retryable: true });

function entering(random = 1) {
  const clock = createFakeClock();
  const errors: unknown[] = [];
  const ids = { newId: () => "id", random: () => random };
  return { clock, errors, written: createUntilWritten({ clock, ids, onError: (error) => errors.push(error) }) };
}

test("what cannot be written now is entered again, ever more slowly, until it is", async () => {
  const { clock, errors, written } = entering();
  const triedAt: number[] = [];
  const start = clock.now();
  const done = written.enter(async () => {
    triedAt.push(clock.now() - start);
    if (triedAt.length < 10) throw full;
    return "written";
  });
  await clock.advance(60_000);
  expect(await done).toBe("written");
  expect(triedAt).toEqual([0, 100, 300, 700, 1_500, 3_100, 6_300, 11_300, 16_300, 21_300]);
  expect(errors).toEqual([full]);
});

test("a floor whose rivals write all the time tries again, too, and says so at the first failure", async () => {
  const { clock, errors, written } = entering();
  let tries = 0;
  const done = written.enter(async () => {
    tries += 1;
    if (tries === 1) throw new Problem("unavailable");
    return tries;
  });
  await clock.advance(1_000);
  expect(await done).toBe(2);
  expect(errors).toEqual([new Problem("unavailable")]);
});

test("what will not pass by itself is told at once", async () => {
  const { written } = entering();
  const corrupt = new StoreError("store-corrupt", "broken");
  await expect(written.enter(() => Promise.reject(corrupt))).rejects.toBe(corrupt);
  await expect(written.enter(() => Promise.reject(new Error("bug")))).rejects.toThrow("bug");
});

test("closing ends the waiting", async () => {
  const { clock, written } = entering();
  let tries = 0;
  const done = written.enter(async () => {
    tries += 1;
    throw full;
  });
  const ended = expect(done).rejects.toBe(full);
  await clock.advance(50);
  written.close();
  await ended;
  expect(tries).toBe(1);
  expect(clock.pending()).toBe(0);
  await expect(written.enter(() => Promise.reject(full))).rejects.toBe(full);
  expect(clock.pending()).toBe(0);
});

test("a pause is at least half as long as it may be", async () => {
  const { clock, written } = entering(0);
  let tries = 0;
  const done = written.enter(async () => {
    tries += 1;
    if (tries === 1) throw full;
  });
  await clock.advance(49);
  expect(tries).toBe(1);
  await clock.advance(1);
  expect(tries).toBe(2);
  await done;
});
