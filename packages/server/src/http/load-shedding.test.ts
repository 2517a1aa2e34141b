import { expect, test } from "vitest";
import { createFakeClock } from "../testing/fake-clock.ts";
import { createLoadShedder } from "./load-shedding.ts";

function gate() {
  let open: () => void = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

const ample = {
  clock: createFakeClock(),
  onRefused: () => {
    throw new Error("there is room");
  },
};

test("a limited number runs at once, the others follow in order, and a failed one makes room too", async () => {
  const admission = createLoadShedder({ atOnceMax: 2, waitingMax: 10, refuseAfterMs: 1_000 }, ample);
  const gates = [gate(), gate(), gate(), gate()];
  const begun: number[] = [];
  const all = gates.map(({ opened }, index) =>
    admission.run(async () => {
      begun.push(index);
      await opened;
      if (index === 1) throw new Error("bad");
      return index;
    }),
  );
  const settled = Promise.allSettled(all);
  expect(begun).toEqual([0, 1]);
  expect(admission.waiting()).toBe(2);
  gates[1]?.open();
  await expect(all[1]).rejects.toThrow("bad");
  await new Promise((resolve) => setImmediate(resolve));
  expect(begun).toEqual([0, 1, 2]);
  for (const { open } of gates) open();
  await settled;
  expect(begun).toEqual([0, 1, 2, 3]);
  expect(admission.waiting()).toBe(0);
});

test("when the queue is full, callers are refused after a delay", async () => {
  let refused = 0;
  const clock = createFakeClock();
  const onRefused = () => {
    refused += 1;
  };
  const admission = createLoadShedder({ atOnceMax: 1, waitingMax: 1, refuseAfterMs: 1_000 }, { clock, onRefused });
  const first = gate();
  const taken = [admission.run(() => first.opened), admission.run(async () => {})];
  const turnedAway = expect(admission.run(async () => {})).rejects.toMatchObject({ code: "overloaded" });
  await clock.advance(999);
  expect(refused).toBe(0);
  await clock.advance(1);
  await turnedAway;
  expect(refused).toBe(1);
  const lucky = admission.run(async () => "room");
  first.open();
  await Promise.all(taken);
  await clock.advance(1_000);
  expect(await lucky).toBe("room");
  expect(refused).toBe(1);
});

test("thousands run in order", async () => {
  const admission = createLoadShedder({ atOnceMax: 3, waitingMax: 10_000, refuseAfterMs: 1_000 }, ample);
  const seen: number[] = [];
  await Promise.all(Array.from({ length: 5_000 }, (_, index) => admission.run(async () => seen.push(index))));
  expect(seen).toEqual(Array.from({ length: 5_000 }, (_, index) => index));
});
