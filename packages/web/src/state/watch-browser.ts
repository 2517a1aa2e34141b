type Options = {
  /** The network came or went: what is open may be dead, and a floor on this machine may be there all the same. */
  onNetwork: () => void;
  /** Somebody looks at the page, or goes on looking. */
  onLook: () => void;
  everyMs: number;
};

export function watchBrowser({ onNetwork, onLook, everyMs }: Options): () => void {
  const look = () => document.visibilityState === "visible" && onLook();
  const timer = setInterval(look, everyMs);
  addEventListener("online", onNetwork);
  addEventListener("offline", onNetwork);
  document.addEventListener("visibilitychange", look);
  return () => {
    clearInterval(timer);
    removeEventListener("online", onNetwork);
    removeEventListener("offline", onNetwork);
    document.removeEventListener("visibilitychange", look);
  };
}
