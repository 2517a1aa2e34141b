import { useSyncExternalStore } from "react";

/** What the page looks like now, for what lives in a document of its own. */
export function useTheme(): "light" | "dark" {
  return useSyncExternalStore(onThemeChange, themeNow);
}

function themeNow(): "light" | "dark" {
  return document.documentElement.dataset.theme === "dark" ? "dark" : "light";
}

function onThemeChange(listener: () => void): () => void {
  const observer = new MutationObserver(listener);
  observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  return () => observer.disconnect();
}
