import { expect, test } from "vitest";
import type { Outbox } from "../ports/outbox.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import { startSweeping } from "./retention.ts";

test("dead letters, requests and ended credentials are swept at once, then hourly", async () => {
  const swept: Parameters<Outbox["sweep"]>[0][] = [];
  const errors: unknown[] = [];
  const outbox: Pick<Outbox, "sweep"> = {
    sweep: async (before) => {
      swept.push(before);
      if (swept.length === 2) throw new Error("not now");
    },
  };
  const clock = createFakeClock(Date.UTC(2026, 0, 10));
  const ended: string[] = [];
  const credentials = {
    sweepCredentials: async (before: string) => {
      ended.push(before);
    },
  };
  const stop = startSweeping({ outbox, credentials, clock, onError: (error) => errors.push(error) });
  expect(ended).toEqual(["2025-12-11T00:00:00.000Z"]);
  expect(swept).toEqual([{ deadLetters: "2026-01-03T00:00:00.000Z", requests: "2026-01-09T00:00:00.000Z" }]);
  await clock.advance(3 * 3_600_000);
  expect(swept).toHaveLength(4);
  expect(swept.at(-1)).toEqual({ deadLetters: "2026-01-03T03:00:00.000Z", requests: "2026-01-09T03:00:00.000Z" });
  expect(errors).toHaveLength(1);
  stop();
  await clock.advance(24 * 3_600_000);
  expect([swept.length, ended.length]).toEqual([4, 4]);
});
