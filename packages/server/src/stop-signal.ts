/** The part of AbortSignal that this package uses. */
export type StopSignal = Pick<AbortSignal, "aborted"> & {
  addEventListener(type: "abort", listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: "abort", listener: () => void): void;
};

/** Like AbortController, but cheap to create: there is one per delivery, and almost none fires. */
export class Stop implements StopSignal {
  aborted = false;
  #listeners: Set<() => void> | undefined;

  /** For consumers that need a platform signal. */
  get signal(): AbortSignal {
    const controller = new AbortController();
    if (this.aborted) controller.abort();
    else this.addEventListener("abort", () => controller.abort());
    return controller.signal;
  }

  abort(): void {
    if (this.aborted) return;
    this.aborted = true;
    const listeners = this.#listeners;
    this.#listeners = undefined;
    for (const listener of listeners ?? []) listener();
  }

  addEventListener(_type: "abort", listener: () => void): void {
    this.#listeners ??= new Set();
    this.#listeners.add(listener);
  }

  removeEventListener(_type: "abort", listener: () => void): void {
    this.#listeners?.delete(listener);
  }
}
