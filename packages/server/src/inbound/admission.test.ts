import { expect, test } from "vitest";
import { createAdmission } from "./admission.ts";

function gate() {
  let open: () => void = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

function never(): void {
  throw new Error("there is room");
}

test("so many run at once, the others follow in order, and one that fails makes room too", async () => {
  const admission = createAdmission({ atOnceMax: 2, waitingMax: 10 }, never);
  const gates = [gate(), gate(), gate(), gate()];
  const begun: number[] = [];
  const all = gates.map(({ opened }, index) =>
    admission.enter(async () => {
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

test("beyond those that may wait callers are told to come back, until there is room", async () => {
  let full = 0;
  const admission = createAdmission({ atOnceMax: 1, waitingMax: 1 }, () => {
    full += 1;
  });
  const first = gate();
  const taken = [admission.enter(() => first.opened), admission.enter(async () => {})];
  await expect(admission.enter(async () => {})).rejects.toMatchObject({ code: "overloaded" });
  expect(full).toBe(1);
  first.open();
  await Promise.all(taken);
  expect(await admission.enter(async () => "room")).toBe("room");
});

test("thousands pass one after the other in the order they came", async () => {
  const admission = createAdmission({ atOnceMax: 3, waitingMax: 10_000 }, never);
  const seen: number[] = [];
  await Promise.all(Array.from({ length: 5_000 }, (_, index) => admission.enter(async () => seen.push(index))));
  expect(seen).toEqual(Array.from({ length: 5_000 }, (_, index) => index));
});
