/** What a browser's page has beyond other runtimes. */
type PageGlobals = {
  document?: { visibilityState: string } & Partial<EventTarget>;
  requestAnimationFrame?: (run: () => void) => unknown;
  addEventListener?: EventTarget["addEventListener"];
  removeEventListener?: EventTarget["removeEventListener"];
};

const page = globalThis as PageGlobals;

/** Notifies listeners at most once per animation frame; without a visible page once per timer. */
export function createPublisher<State>(make: () => State) {
  const listeners = new Set<() => void>();
  let current: State | undefined;
  let isDue = false;
  const notify = () => {
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
      if (isDue || listeners.size === 0) return;
      isDue = true;
      // A hidden tab gets no animation frames.
      if (page.document?.visibilityState === "visible" && page.requestAnimationFrame)
        page.requestAnimationFrame(notify);
      else setTimeout(notify, page.document === undefined ? 0 : 100);
    },
  };
}

/**
 * Calls `onLook` regularly while the page is visible, and `onNetwork` when the network changes: connections may be dead,
 * but a local floor may still be reachable.
 */
export function watchBrowser(onNetwork: () => void, onLook: () => void, lookMs: number): () => void {
  const look = () => page.document?.visibilityState !== "hidden" && onLook();
  const timer = setInterval(look, lookMs);
  for (const type of ["online", "offline"]) page.addEventListener?.(type, onNetwork);
  page.document?.addEventListener?.("visibilitychange", look);
  return () => {
    clearInterval(timer);
    for (const type of ["online", "offline"]) page.removeEventListener?.(type, onNetwork);
    page.document?.removeEventListener?.("visibilitychange", look);
  };
}
