import { describe, expect, test } from "vitest";
import { isTyping, type KeyPress, keyNames } from "./key-press.ts";
import { shortcutFor, shortcuts } from "./shortcuts.ts";

const bare = { ctrlKey: false, metaKey: false, altKey: false, shiftKey: false };
const idle = { isTyping: false, hasSingleKeys: true, isApple: false };

function press(key: string, change: Partial<KeyPress> = {}): KeyPress {
  return { key, code: /^[a-z]$/iu.test(key) ? `Key${key.toUpperCase()}` : key, ...bare, ...change };
}

describe("a single key", () => {
  test("does what the table says", () => {
    expect(shortcutFor(press("r"), idle)).toBe("raiseHand");
    expect(shortcutFor(press("?", { shiftKey: true }), idle)).toBe("help");
    expect(shortcutFor(press("q"), idle)).toBeUndefined();
  });

  test("means a letter where somebody writes", () => {
    expect(shortcutFor(press("r"), { ...idle, isTyping: true })).toBeUndefined();
  });

  test("does nothing when turned off, and the others still do", () => {
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

  test("works by its place where the keyboard writes no Latin letters", () => {
    expect(shortcutFor(press("к", { code: "KeyR" }), idle)).toBe("raiseHand");
    expect(shortcutFor(press("ρ", { code: "KeyR" }), idle)).toBe("raiseHand");
  });

  test("is the letter it writes where Latin letters stand elsewhere", () => {
    // Dvorak: the key at R writes p, the key at O writes r.
    expect(shortcutFor(press("p", { code: "KeyR" }), idle)).toBeUndefined();
    expect(shortcutFor(press("r", { code: "KeyO" }), idle)).toBe("raiseHand");
  });

  test("held down does its thing once", () => {
    expect(shortcutFor(press("n", { repeat: true }), idle)).toBeUndefined();
  });
});

describe("a key with others", () => {
  test("works while somebody writes", () => {
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

  test("is known by its place where Alt writes a sign on a Mac", () => {
    expect(shortcutFor(press("ß", { code: "KeyS", altKey: true }), { ...idle, isApple: true })).toBe("stop");
  });

  test("is the letter it writes for whoever is writing on a Mac", () => {
    const writing = { ...idle, isTyping: true, isApple: true };
    expect(shortcutFor(press("ś", { code: "KeyS", altKey: true }), writing)).toBeUndefined();
    expect(shortcutFor(press("ß", { code: "KeyS", altKey: true }), writing)).toBeUndefined();
    expect(shortcutFor(press("s", { altKey: true }), writing)).toBe("stop");
    expect(shortcutFor(press("л", { code: "KeyK", metaKey: true }), writing)).toBe("palette");
  });

  test("is known by its place to whoever writes where Alt writes nothing", () => {
    expect(shortcutFor(press("σ", { code: "KeyS", altKey: true }), { ...idle, isTyping: true })).toBe("stop");
  });

  test("is not taken from AltGr, which is Ctrl and Alt", () => {
    expect(shortcutFor(press("s", { ctrlKey: true, altKey: true }), idle)).toBeUndefined();
  });

  test("goes on from utterance to utterance while held", () => {
    expect(shortcutFor(press("ArrowDown", { altKey: true, repeat: true }), idle)).toBe("nextUtterance");
  });
});

test("no key stands for two things", () => {
  const keys = shortcuts.flatMap((shortcut) => shortcut.keys);
  expect(new Set(keys).size).toBe(keys.length);
});

test("letters mean something in fields for text, and nothing on buttons", () => {
  expect(isTyping({ tagName: "TEXTAREA" })).toBe(true);
  expect(isTyping({ tagName: "SELECT" })).toBe(true);
  expect(isTyping({ tagName: "INPUT", type: "search" })).toBe(true);
  expect(isTyping({ tagName: "DIV", isContentEditable: true })).toBe(true);
  expect(isTyping({ tagName: "LI", closest: (selector: string) => selector.includes("listbox") })).toBe(true);
  expect(isTyping({ tagName: "INPUT", type: "checkbox" })).toBe(false);
  expect(isTyping({ tagName: "BUTTON", closest: () => null })).toBe(false);
  expect(isTyping(null)).toBe(false);
});

test("keys are named as they stand on the keyboard", () => {
  expect(keyNames("mod+shift+f", false)).toEqual(["Ctrl", "Shift", "F"]);
  expect(keyNames("mod+k", true)).toEqual(["⌘", "K"]);
  expect(keyNames("alt+arrowup", false)).toEqual(["Alt", "↑"]);
});
