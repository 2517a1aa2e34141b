/** Tells listeners of a new state at most once a frame, however much changes meanwhile. */
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
      // A hidden tab paints nothing and would never be told.
      if (document.visibilityState === "visible") requestAnimationFrame(tell);
      else setTimeout(tell, 100);
    },
  };
}
