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
