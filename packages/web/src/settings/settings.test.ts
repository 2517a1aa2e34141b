import { afterEach, describe, expect, test, vi } from "vitest";
import { browserStorage, settingCharsMax } from "../state/storage.ts";
import { readSettings, settingsOf, themeShown } from "./settings.ts";

afterEach(() => vi.unstubAllGlobals());

/** The browser's storage, as far as it is used. */
function storage(rows: Map<string, string> = new Map()) {
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => rows.get(key) ?? null,
    setItem: (key: string, value: string) => void rows.set(key, value),
    removeItem: (key: string) => void rows.delete(key),
  });
  return rows;
}

const chosen = { language: "de", theme: "dark", hasSingleKeys: false, isReadAloud: true, captionSize: 1.5 } as const;
const untouched = { language: "browser", theme: "system", hasSingleKeys: true, isReadAloud: false, captionSize: 0 };

describe("settings", () => {
  test("are read back as written", () => {
    storage();
    browserStorage.put("settings", chosen, settingCharsMax);
    expect(readSettings()).toEqual(chosen);
  });

  test("keep the valid fields of unknown stored data", () => {
    expect(settingsOf({ ...chosen, language: "xx", theme: "pink", captionSize: 7, other: 1 })).toEqual({
      ...chosen,
      language: "browser",
      theme: "system",
      captionSize: 0,
    });
  });

  test.each(["", "{", "null", "[]", '"dark"', `{"theme":"dark","x":"${"y".repeat(5_000)}"}`])(
    "are the defaults when %.20s is stored",
    (text) => {
      storage(new Map([["plenary settings", text]]));
      expect(readSettings()).toEqual(untouched);
    },
  );

  test("are the defaults when storage is forbidden", () => {
    vi.stubGlobal("localStorage", undefined);
    browserStorage.put("settings", chosen, settingCharsMax);
    expect(readSettings()).toEqual(untouched);
  });

  test("are not written when too long", () => {
    const rows = storage();
    browserStorage.put("notes", "y".repeat(5_000), settingCharsMax);
    expect(rows.size).toBe(0);
    expect(browserStorage.read("notes", settingCharsMax)).toBeUndefined();
  });
});

test("the theme is the chosen one or the system's", () => {
  expect(themeShown("system", true)).toBe("dark");
  expect(themeShown("system", false)).toBe("light");
  expect(themeShown("light", true)).toBe("light");
  expect(themeShown("dark", false)).toBe("dark");
});
