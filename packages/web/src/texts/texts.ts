import type { UtteranceLine } from "@plenary/transcript";
import { createElement, Fragment, type ReactNode, useSyncExternalStore } from "react";
import { en, type Texts } from "./en.ts";

export const languages = ["browser", "en", "de"] as const;

/** A language, or "browser" for the one the browser prefers. */
export type LanguageSetting = (typeof languages)[number];

type Language = Exclude<LanguageSetting, "browser">;

/** The texts of the current language. Components that are memoized read them by `useTexts`. */
export let texts: Texts = en;

const listeners = new Set<() => void>();
let changes = 0;

/** English loads with the page; other languages load on demand. */
const loaders: Readonly<Record<Language, () => Promise<Texts>>> = {
  en: async () => en,
  de: async () => (await import("./de.ts")).de,
};

/** The language of a setting. Without a known language the page is English. */
export function languageOf(setting: LanguageSetting, preferred: readonly string[]): Language {
  if (setting !== "browser") return setting;
  const bases = preferred.map((tag) => tag.toLowerCase().split("-")[0]);
  return bases.find((base): base is Language => base === "en" || base === "de") ?? "en";
}

/** Shows the page in a language. The last call wins; a language that does not load changes nothing. */
export async function applyLanguage(setting: LanguageSetting): Promise<void> {
  changes += 1;
  const change = changes;
  const next = await loaders[languageOf(setting, navigator.languages)]().catch(() => texts);
  if (change !== changes) return;
  texts = next;
  document.documentElement.lang = next.language;
  for (const listener of listeners) listener();
}

/** Renders a component again when the language changes. */
export function useTexts(): Texts {
  return useSyncExternalStore(subscribe, () => texts);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The locale for dates and numbers: the browser's own, such as en-GB, if it is of the current language. */
export function locale(): string {
  const own = globalThis.navigator?.languages?.find((tag) => tag.toLowerCase().split("-")[0] === texts.language);
  return own ?? texts.language;
}

/** A text with elements in it. */
export function Parts({ of }: { of: readonly ReactNode[] }) {
  return createElement(Fragment, null, ...of);
}

/** Names the sender of an utterance, and the original speaker if it is relayed. */
export function speakerText(
  { sender, relayedFrom }: Pick<UtteranceLine, "sender" | "relayedFrom">,
  nameFor: (speakerUri: string) => string,
): string {
  return relayedFrom === undefined ? nameFor(sender) : texts.common.relaying(nameFor(sender), nameFor(relayedFrom));
}
