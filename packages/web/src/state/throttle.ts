type ThrottleOptions = {
  /** Requests within this time share one run. */
  afterMs: number;
  /** Minimum pause after a run. */
  restMs: number;
};

/** Limits how often `run` is called. A request during a run causes one more run. */
export function createThrottle(run: () => Promise<void>, { afterMs, restMs }: ThrottleOptions) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isRunning = false;
  let isWanted = false;
  const start = async () => {
    timer = undefined;
    isRunning = true;
    isWanted = false;
    await run();
    timer = setTimeout(() => {
      timer = undefined;
      isRunning = false;
      if (isWanted) ask();
    }, restMs);
  };
  const ask = () => {
    if (isRunning) isWanted = true;
    else timer ??= setTimeout(() => void start(), afterMs);
  };
  return { ask, stop: () => clearTimeout(timer) };
}

/** Notifies listeners at most once per animation frame. */
export function createPublisher<State>(make: () => State) {
  const listeners = new Set<() => void>();
  let current: State | undefined;
  let isDue = false;
  const tell = () => {
    isDue = false;
    for (const listener of listeners) listener();
  };
  return {
    get: (): State => {
      current ??= make();
      return current;
    },
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    publish: () => {
      current = undefined;
      if (isDue) return;
      isDue = true;
      // A hidden tab gets no animation frames.
      if (document.visibilityState === "visible") requestAnimationFrame(tell);
      else setTimeout(tell, 100);
    },
  };
}
