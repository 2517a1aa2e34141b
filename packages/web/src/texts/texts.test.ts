import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { de } from "./de.ts";
import { en, type Texts } from "./en.ts";
import { listIn, pluralIn, shortList } from "./format.ts";
import { applyLanguage, languageOf, locale, texts } from "./texts.ts";

/** Every text by its path; functions are called with sample values. */
function flattened(value: unknown, path = ""): [path: string, text: string][] {
  if (typeof value === "function") return flattened(sampleOf(value as (...values: unknown[]) => unknown), path);
  if (Array.isArray(value) && value.every((part) => typeof part === "string")) return [[path, value.join("")]];
  if (typeof value === "object" && value !== null) {
    return Object.entries(value).flatMap(([key, inner]) => flattened(inner, `${path}.${key}`));
  }
  return [[path, String(value)]];
}

/** Lists of names need an array, all other texts take numbers, strings or nodes. */
function sampleOf(text: (...values: unknown[]) => unknown): unknown {
  try {
    return text("2", "3", "4");
  } catch {
    return text(["Ann", "Bob"]);
  }
}

const mayBeEmpty = /^\.head\.states\.live$|^\.compose\.commands\.\w+\.argument$/u;

describe.each([
  ["English", en],
  ["German", de],
] as const)("%s", (_, catalogue: Texts) => {
  test("has no empty text", () => {
    const empty = flattened(catalogue).filter(([path, text]) => text.trim() === "" && !mayBeEmpty.test(path));
    expect(empty).toEqual([]);
  });

  test("uses every parameter of the English text", () => {
    const count = (value: unknown): number[] =>
      typeof value === "function"
        ? [value.length]
        : typeof value === "object" && value !== null
          ? Object.values(value).flatMap(count)
          : [];
    expect(count(catalogue)).toEqual(count(en));
  });
});

test("both catalogues have the same keys", () => {
  const keys = (catalogue: Texts) => flattened(catalogue).map(([path]) => path);
  expect(keys(de)).toEqual(keys(en));
});

test("German texts are translated", () => {
  const english = new Map(flattened(en));
  const same = flattened(de).filter(([path, text]) => english.get(path) === text && / \w+ /u.test(text));
  // This one completes an English sentence of the server.
  expect(same.map(([path]) => path)).toEqual([".errors.raiseYourHand"]);
});

test("a text for the reader differs from the text for others", () => {
  expect([en.announcements.youHaveFloor, en.announcements.hasFloor(["Ada"])]).toEqual([
    "You have the floor",
    "Ada has the floor",
  ]);
  expect([de.announcements.youHaveFloor, de.announcements.hasFloor(["Ada"])]).toEqual([
    "Du hast das Wort",
    "Ada hat das Wort",
  ]);
  expect([en.conversants.states.you.hasFloor, de.conversants.states.you.hasFloor]).toEqual([
    "have the floor",
    "hast das Wort",
  ]);
});

describe("plurals and lists", () => {
  test("follow the number", () => {
    expect([0, 1, 2].map((count) => en.agents.brokenRules(count))).toEqual([
      "Breaks 0 rules",
      "Breaks a rule",
      "Breaks 2 rules",
    ]);
    expect([0, 1, 2].map((count) => de.agents.brokenRules(count))).toEqual([
      "Verletzt 0 Regeln",
      "Verletzt eine Regel",
      "Verletzt 2 Regeln",
    ]);
    expect(pluralIn("de")(1, "eins", "viele")).toBe("eins");
  });

  test("join names as people say them, and cut long lists", () => {
    expect([en.strip.has(["Ann", "Bob"]), de.strip.has(["Ann", "Bob"])]).toEqual([
      "Ann and Bob have the floor",
      "Ann und Bob haben das Wort",
    ]);
    expect(en.announcements.joined(["Ann", "Bob", "Eve"])).toBe("Ann, Bob and Eve joined");
    expect(de.announcements.joined(["Ann", "Bob", "Eve", "Max"])).toBe("Ann, Bob und 2 weitere nehmen jetzt teil");
    expect(shortList([], listIn("en-GB"), String)).toBe("");
  });
});

test.each([
  ["browser", ["de-AT", "en"], "de"],
  ["browser", ["fr", "de"], "de"],
  ["browser", ["en-GB", "de"], "en"],
  ["browser", ["fr", "ja"], "en"],
  ["browser", [], "en"],
  ["en", ["de"], "en"],
  ["de", ["en"], "de"],
] as const)("the setting %s with %j shows %s", (setting, preferred, language) => {
  expect(languageOf(setting, preferred)).toBe(language);
});

describe("the language of the page", () => {
  const documentElement = { lang: "" };
  beforeEach(() => {
    vi.stubGlobal("document", { documentElement });
    vi.stubGlobal("navigator", { languages: ["de-CH", "en"] });
  });
  afterEach(async () => {
    await applyLanguage("en");
    vi.unstubAllGlobals();
  });

  test("changes with the setting, and so do the dates", async () => {
    await applyLanguage("browser");
    expect([texts.common.cancel, documentElement.lang, locale()]).toEqual(["Abbrechen", "de", "de-CH"]);
    await applyLanguage("en");
    expect([texts.common.cancel, documentElement.lang, locale()]).toEqual(["Cancel", "en", "en"]);
  });

  test("is the one that was chosen last", async () => {
    await Promise.all([applyLanguage("de"), applyLanguage("en")]);
    expect(texts.language).toBe("en");
  });
});
