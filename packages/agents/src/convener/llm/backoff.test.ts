import { expect, test } from "vitest";
import { afterFailure, type Backoff, mayAsk, noBackoff } from "./backoff.ts";

function failing(times: number, nowMs = 0): Backoff {
  let patience = noBackoff;
  for (let count = 0; count < times; count += 1) patience = afterFailure(patience, nowMs);
  return patience;
}

test("a model that failed once or twice is asked again at once", () => {
  expect([failing(0), failing(1), failing(2)].map((patience) => mayAsk(patience, 0))).toEqual([true, true, true]);
});

test("after three failures in a row the model rests, twice as long for each further one, up to a limit", () => {
  const rests = [3, 4, 5, 100].map((times) => failing(times).untilMs);
  expect(rests).toEqual([5_000, 10_000, 20_000, 120_000]);
  expect([mayAsk(failing(3), 4_999), mayAsk(failing(3), 5_000)]).toEqual([false, true]);
});

test("a retry time of the endpoint counts from the first failure, up to a limit", () => {
  expect(afterFailure(noBackoff, 1_000, 30_000).untilMs).toBe(31_000);
  expect(afterFailure(noBackoff, 1_000, Number.POSITIVE_INFINITY).untilMs).toBe(121_000);
});
