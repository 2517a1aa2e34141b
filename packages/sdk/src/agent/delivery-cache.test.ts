import { expect, test } from "vitest";
import { CallersGone, DeliveryCache } from "./delivery-cache.ts";

/** Work that ends on demand and records whether its signal is aborted. */
function createWork() {
  const signals: AbortSignal[] = [];
  const endings: { resolve: (text: string) => void; reject: (error: Error) => void }[] = [];
  const work = (signal: AbortSignal) =>
    new Promise<string>((resolve, reject) => {
      signals.push(signal);
      endings.push({ resolve, reject });
    });
  return { work, signals, endings };
}

test("a caller that disconnects does not stop the work for another caller", async () => {
  const { work, signals, endings } = createWork();
  const deliveries = new DeliveryCache<string>(10);
  const [hasty, patient] = [new AbortController(), new AbortController()];
  const first = deliveries.once("d1", hasty.signal, work);
  const second = deliveries.once("d1", patient.signal, work);
  hasty.abort();
  expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  endings[0]?.resolve("done");
  expect(await Promise.all([first, second])).toEqual(["done", "done"]);
});

test("a caller that joins abandoned work starts it again", async () => {
  const { work, signals, endings } = createWork();
  const deliveries = new DeliveryCache<string>(10);
  const hasty = new AbortController();
  const first = deliveries.once("d1", hasty.signal, work);
  hasty.abort();
  expect(signals[0]?.reason).toBeInstanceOf(CallersGone);
  const second = deliveries.once("d1", new AbortController().signal, work);
  endings[0]?.reject(new CallersGone("stopped"));
  await expect(first).rejects.toThrow("stopped");
  endings[1]?.resolve("done");
  expect(await second).toBe("done");
});

test("a failure is not cached, and the oldest delivery is dropped first", async () => {
  const deliveries = new DeliveryCache<number>(2);
  const { signal } = new AbortController();
  let runs = 0;
  const count = async () => {
    runs += 1;
    if (runs === 1) throw new Error("our bug");
    return runs;
  };
  await expect(deliveries.once("a", signal, count)).rejects.toThrow("our bug");
  expect(await deliveries.once("a", signal, count)).toBe(2);
  expect(await deliveries.once("b", signal, count)).toBe(3);
  expect(await deliveries.once("a", signal, count)).toBe(2);
  expect(await deliveries.once("c", signal, count)).toBe(4);
  expect(await deliveries.once("b", signal, count)).toBe(5);
});

test("a delivery without an id is never a repetition", async () => {
  const deliveries = new DeliveryCache<number>(2);
  const { signal } = new AbortController();
  let runs = 0;
  const count = async () => ++runs;
  expect(await deliveries.once(undefined, signal, count)).toBe(1);
  expect(await deliveries.once(undefined, signal, count)).toBe(2);
});
