import { recordOf } from "@plenary/protocol";
import { useCallback, useEffect, useState } from "react";
import { browserStorage, onStorageChange, settingCharsMax } from "../state/storage.ts";
import type { Settings } from "../state/types.ts";
import { applyLanguage, languages } from "../texts/texts.ts";

export const captionSizes: readonly Settings["captionSize"][] = [0, 1, 1.5, 2];
export const themes: readonly Settings["theme"][] = ["system", "light", "dark"];

const defaults: Settings = {
  language: "browser",
  theme: "system",
  hasSingleKeys: true,
  isReadAloud: false,
  captionSize: 0,
};
const name = "settings";

/** Validates each setting alone: an invalid one does not reset the others. */
export function settingsOf(value: unknown): Settings {
  const given = recordOf(value);
  return {
    language: languages.find((language) => language === given.language) ?? defaults.language,
    theme: themes.find((theme) => theme === given.theme) ?? defaults.theme,
    hasSingleKeys: typeof given.hasSingleKeys === "boolean" ? given.hasSingleKeys : defaults.hasSingleKeys,
    isReadAloud: typeof given.isReadAloud === "boolean" ? given.isReadAloud : defaults.isReadAloud,
    captionSize: captionSizes.find((size) => size === given.captionSize) ?? defaults.captionSize,
  };
}

export function readSettings(): Settings {
  return settingsOf(browserStorage.read(name, settingCharsMax));
}

/** Applies the theme and follows the system's if chosen. The returned function stops following. */
export function applyTheme(theme: Settings["theme"]): () => void {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const show = () => {
    document.documentElement.dataset.theme = themeShown(theme, system.matches);
  };
  show();
  if (theme !== "system") return () => {};
  system.addEventListener("change", show);
  return () => system.removeEventListener("change", show);
}

export function themeShown(theme: Settings["theme"], isSystemDark: boolean): "light" | "dark" {
  if (theme !== "system") return theme;
  return isSystemDark ? "dark" : "light";
}

/** Settings of this browser, shared between its tabs. */
export function useSettings() {
  const [settings, setSettings] = useState(readSettings);
  useEffect(() => applyTheme(settings.theme), [settings.theme]);
  useEffect(() => void applyLanguage(settings.language), [settings.language]);
  useEffect(() => onStorageChange(name, () => setSettings(readSettings())), []);
  const change = useCallback((change: Partial<Settings>) => {
    setSettings((before) => {
      const after = settingsOf({ ...before, ...change });
      browserStorage.put(name, after, settingCharsMax);
      return after;
    });
  }, []);
  return { settings, change };
}
