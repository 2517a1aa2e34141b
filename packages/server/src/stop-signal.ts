/** The part of AbortSignal that this package uses. */
export type StopSignal = Pick<AbortSignal, "aborted"> & {
  addEventListener(type: "abort", listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: "abort", listener: () => void): void;
};

/** Like AbortController, but cheap to create: there are several per delivery, and almost none fires. */
export class Stop implements StopSignal {
  aborted = false;
  /** Most have a single listener, which needs no set. */
  #first: (() => void) | undefined;
  #others: Set<() => void> | undefined;
  #platform: AbortController | undefined;

  /** For consumers that need a signal of the platform, such as fetch. */
  get signal(): AbortSignal {
    this.#platform ??= new AbortController();
    if (this.aborted) this.#platform.abort();
    return this.#platform.signal;
  }

  abort(): void {
    if (this.aborted) return;
    this.aborted = true;
    this.#platform?.abort();
    const first = this.#first;
    this.#first = undefined;
    first?.();
    // A listener that is removed meanwhile is not called.
    for (const listener of this.#others ?? []) listener();
    this.#others = undefined;
  }

  addEventListener(_type: "abort", listener: () => void): void {
    if (this.aborted || this.#first === listener || this.#others?.has(listener) === true) return;
    if (this.#first === undefined) this.#first = listener;
    else {
      this.#others ??= new Set();
      this.#others.add(listener);
    }
  }

  removeEventListener(_type: "abort", listener: () => void): void {
    if (this.#first === listener) this.#first = undefined;
    else this.#others?.delete(listener);
  }
}
