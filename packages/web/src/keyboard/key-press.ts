import { texts } from "../texts/texts.ts";
/** The fields of KeyboardEvent that are used. */
export type KeyPress = {
  key: string;
  code: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
  repeat?: boolean;
};

/** The keyboard, and whether the focus is in a text field. */
export type KeyContext = { isApple: boolean; isTyping: boolean };

/** `key` as in the table: "r", "?", "escape", "alt+s", "mod+shift+f". */
export function matches(press: KeyPress, key: string, { isApple, isTyping }: KeyContext): boolean {
  const parts = key.split("+");
  const wanted = parts.at(-1) ?? "";
  const hasMod = parts.includes("mod");
  const isLetter = /^[a-z]$/u.test(wanted);
  if (press.altKey !== parts.includes("alt")) return false;
  if (press.metaKey !== (hasMod && isApple) || press.ctrlKey !== (hasMod && !isApple)) return false;
  // Signs such as "?" need Shift only on some keyboards.
  const isSign = wanted.length === 1 && !isLetter;
  if (!isSign && press.shiftKey !== parts.includes("shift")) return false;
  if (press.key.toLowerCase() === wanted) return true;
  // On a Mac, Option types letters of its own (Polish ś is Option+S), so it is no shortcut in text fields.
  const isWritten = isApple && isTyping && press.altKey && !press.metaKey;
  return isLetter && !isWritten && hasKeyCodeOf(press, wanted);
}

/** Keyboards without Latin letters (Greek, Cyrillic, Alt on a Mac) match by key position. */
function hasKeyCodeOf(press: KeyPress, letter: string): boolean {
  return !/^[a-z]$/iu.test(press.key) && press.code === `Key${letter.toUpperCase()}`;
}

type Target = { tagName?: string; type?: string; isContentEditable?: boolean; closest?(selector: string): unknown };

const nonTextInputs = new Set(["button", "checkbox", "color", "file", "image", "radio", "range", "reset", "submit"]);
const takesLetters = '[role="textbox"], [role="searchbox"], [role="combobox"], [role="listbox"], [role="menu"]';

/** Whether the focused element takes letters. */
export function isTyping(target: unknown): boolean {
  if (typeof target !== "object" || target === null) return false;
  const element: Target = target;
  const tag = element.tagName?.toLowerCase();
  if (tag === "input") return !nonTextInputs.has(element.type ?? "text");
  if (tag === "textarea" || tag === "select" || element.isContentEditable === true) return true;
  return Boolean(element.closest?.(takesLetters));
}

const appleNames: Readonly<Record<string, string>> = { mod: "⌘", alt: "⌥", shift: "⇧" };
const names: Readonly<Record<string, string>> = {
  alt: "Alt",
  escape: "Esc",
  enter: "Enter",
  arrowup: "↑",
  arrowdown: "↓",
};

/** Labels of the keys. */
export function keyNames(key: string, isApple: boolean): string[] {
  const translated: Readonly<Record<string, string>> = { mod: texts.keyNames.ctrl, shift: texts.keyNames.shift };
  return key
    .split("+")
    .map((part) => (isApple ? appleNames[part] : undefined) ?? translated[part] ?? names[part] ?? part.toUpperCase());
}
