import { describe, expect, test } from "vitest";
import { isTyping, type KeyPress, keyNames, shortcutFor, shortcuts } from "./shortcuts.ts";

const bare = { ctrlKey: false, metaKey: false, altKey: false, shiftKey: false };
const idle = { isTyping: false, hasSingleKeys: true, isApple: false };

function press(key: string, change: Partial<KeyPress> = {}): KeyPress {
  return { key, code: /^[a-z]$/iu.test(key) ? `Key${key.toUpperCase()}` : key, ...bare, ...change };
}

describe("a single key", () => {
  test("runs the shortcut of the table", () => {
    expect(shortcutFor(press("r"), idle)).toBe("raiseHand");
    expect(shortcutFor(press("?", { shiftKey: true }), idle)).toBe("help");
    expect(shortcutFor(press("q"), idle)).toBeUndefined();
  });

  test("is a letter in a text field", () => {
    expect(shortcutFor(press("r"), { ...idle, isTyping: true })).toBeUndefined();
  });

  test("does nothing when switched off, while combinations still work", () => {
    const opened = { ...idle, hasSingleKeys: false };
    expect(shortcutFor(press("r"), opened)).toBeUndefined();
    expect(shortcutFor(press("Escape"), opened)).toBe("close");
    expect(shortcutFor(press("k", { ctrlKey: true }), opened)).toBe("palette");
  });

  test.each(["ctrlKey", "metaKey", "altKey", "shiftKey"] as const)("is another key with %s", (modifier) => {
    expect(shortcutFor(press("r", { [modifier]: true }), idle)).toBeUndefined();
  });

  test("works with caps lock", () => {
    expect(shortcutFor(press("R"), idle)).toBe("raiseHand");
  });

  test("matches by position on keyboards without Latin letters", () => {
    expect(shortcutFor(press("к", { code: "KeyR" }), idle)).toBe("raiseHand");
    expect(shortcutFor(press("ρ", { code: "KeyR" }), idle)).toBe("raiseHand");
  });

  test("matches by letter on other Latin layouts", () => {
    // Dvorak: the key at R writes p, the key at O writes r.
    expect(shortcutFor(press("p", { code: "KeyR" }), idle)).toBeUndefined();
    expect(shortcutFor(press("r", { code: "KeyO" }), idle)).toBe("raiseHand");
  });

  test("runs once while held down", () => {
    expect(shortcutFor(press("n", { repeat: true }), idle)).toBeUndefined();
  });
});

describe("a key combination", () => {
  test("works in a text field", () => {
    const writing = { ...idle, isTyping: true };
    expect(shortcutFor(press("k", { ctrlKey: true }), writing)).toBe("palette");
    expect(shortcutFor(press("ArrowUp", { altKey: true }), writing)).toBe("previousUtterance");
    expect(shortcutFor(press("F", { ctrlKey: true, shiftKey: true }), writing)).toBe("search");
  });

  test("is Command on a Mac, where Ctrl+K belongs to text fields", () => {
    const mac = { ...idle, isApple: true };
    expect(shortcutFor(press("k", { metaKey: true }), mac)).toBe("palette");
    expect(shortcutFor(press("k", { ctrlKey: true }), mac)).toBeUndefined();
    expect(shortcutFor(press("k", { metaKey: true }), idle)).toBeUndefined();
  });

  test("matches by position where Option types a sign on a Mac", () => {
    expect(shortcutFor(press("ß", { code: "KeyS", altKey: true }), { ...idle, isApple: true })).toBe("stop");
  });

  test("is a letter in a text field on a Mac", () => {
    const writing = { ...idle, isTyping: true, isApple: true };
    expect(shortcutFor(press("ś", { code: "KeyS", altKey: true }), writing)).toBeUndefined();
    expect(shortcutFor(press("ß", { code: "KeyS", altKey: true }), writing)).toBeUndefined();
    expect(shortcutFor(press("s", { altKey: true }), writing)).toBe("stop");
    expect(shortcutFor(press("л", { code: "KeyK", metaKey: true }), writing)).toBe("palette");
  });

  test("matches by position in a text field where Alt types nothing", () => {
    expect(shortcutFor(press("σ", { code: "KeyS", altKey: true }), { ...idle, isTyping: true })).toBe("stop");
  });

  test("ignores AltGr, which is Ctrl and Alt", () => {
    expect(shortcutFor(press("s", { ctrlKey: true, altKey: true }), idle)).toBeUndefined();
  });

  test("repeats for moving between utterances", () => {
    expect(shortcutFor(press("ArrowDown", { altKey: true, repeat: true }), idle)).toBe("nextUtterance");
  });
});

test("no key has two meanings", () => {
  const keys = shortcuts.flatMap((shortcut) => shortcut.keys);
  expect(new Set(keys).size).toBe(keys.length);
});

test("text fields take letters, buttons do not", () => {
  expect(isTyping({ tagName: "TEXTAREA" })).toBe(true);
  expect(isTyping({ tagName: "SELECT" })).toBe(true);
  expect(isTyping({ tagName: "INPUT", type: "search" })).toBe(true);
  expect(isTyping({ tagName: "DIV", isContentEditable: true })).toBe(true);
  expect(isTyping({ tagName: "LI", closest: (selector: string) => selector.includes("listbox") })).toBe(true);
  expect(isTyping({ tagName: "INPUT", type: "checkbox" })).toBe(false);
  expect(isTyping({ tagName: "BUTTON", closest: () => null })).toBe(false);
  expect(isTyping(null)).toBe(false);
});

test("keys are named as on the keyboard", () => {
  expect(keyNames("mod+shift+f", false)).toEqual(["Ctrl", "Shift", "F"]);
  expect(keyNames("mod+k", true)).toEqual(["⌘", "K"]);
  expect(keyNames("alt+arrowup", false)).toEqual(["Alt", "↑"]);
});
