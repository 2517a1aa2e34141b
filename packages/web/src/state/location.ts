import { useSyncExternalStore } from "react";

/** Conversation and entry named in the address bar. */
type PageLocation = { conversation?: string; seq?: number };

const listeners = new Set<() => void>();
let current = read();
addEventListener("popstate", () => {
  current = read();
  for (const listener of listeners) listener();
});

function read(): PageLocation {
  const query = new URLSearchParams(location.search);
  const conversation = query.get("conversation");
  const seq = Number(query.get("seq"));
  return { ...(conversation && { conversation }), ...(Number.isInteger(seq) && seq > 0 && { seq }) };
}

export function pathOf({ conversation, seq }: PageLocation): string {
  const query = new URLSearchParams({
    ...(conversation !== undefined && { conversation }),
    ...(seq !== undefined && { seq: String(seq) }),
  });
  return query.size === 0 ? "/" : `/?${query}`;
}

export function navigate(next: PageLocation, how: "push" | "replace" = "push"): void {
  history[how === "push" ? "pushState" : "replaceState"](null, "", pathOf(next));
  current = next;
  for (const listener of listeners) listener();
}

export function usePageLocation(): PageLocation {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => current,
  );
}
