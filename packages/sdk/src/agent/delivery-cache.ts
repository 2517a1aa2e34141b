import { BoundedMap } from "../bounded-map.ts";

/** All callers of a delivery have gone, and its handler has stopped. */
export class CallersGone extends Error {
  override readonly name = "CallersGone";
}

type Delivery<Result> = { result: Promise<Result>; waiting: number; controller: AbortController };

/**
 * A repeated delivery gets the same answer as the first one, even while that is being composed. When all callers have gone,
 * the signal of the work is aborted. If the work then fails, the next repetition starts it again.
 */
export class DeliveryCache<Result> {
  readonly #known: BoundedMap<Delivery<Result>>;

  constructor(max: number) {
    this.#known = new BoundedMap(max);
  }

  async once(
    key: string | undefined,
    caller: AbortSignal,
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const delivery = (key === undefined ? undefined : this.#known.get(key)) ?? start(work);
    if (key !== undefined) this.#known.set(key, delivery);
    delivery.waiting += 1;
    const leave = () => {
      delivery.waiting -= 1;
      if (delivery.waiting === 0) delivery.controller.abort(new CallersGone("all callers of this delivery have gone"));
    };
    caller.addEventListener("abort", leave, { once: true });
    if (caller.aborted) leave();
    try {
      return await delivery.result;
    } catch (error) {
      if (key !== undefined && this.#known.get(key) === delivery) this.#known.delete(key);
      if (error instanceof CallersGone && !caller.aborted) return this.once(key, caller, work);
      throw error;
    } finally {
      caller.removeEventListener("abort", leave);
    }
  }
}

function start<Result>(work: (signal: AbortSignal) => Promise<Result>): Delivery<Result> {
  const controller = new AbortController();
  return { result: work(controller.signal), waiting: 0, controller };
}
