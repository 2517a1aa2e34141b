import { BoundedMap } from "../bounded-map.ts";

/** Nobody waited for the answer any longer, and its handler gave up. */
export class CutShort extends Error {
  override readonly name = "CutShort";
}

type Delivery<Result> = { result: Promise<Result>; waiting: number; controller: AbortController };

/**
 * A repeated delivery has the same answer as the first, even while that is still being composed. When everybody who waited
 * is gone the work is told so; if it then fails, the next repetition starts it again.
 */
export class Deliveries<Result> {
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
      if (delivery.waiting === 0) delivery.controller.abort(new CutShort("nobody waits for this answer"));
    };
    caller.addEventListener("abort", leave, { once: true });
    if (caller.aborted) leave();
    try {
      return await delivery.result;
    } catch (error) {
      if (key !== undefined && this.#known.get(key) === delivery) this.#known.delete(key);
      if (error instanceof CutShort && !caller.aborted) return this.once(key, caller, work);
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
