/** What is read of a keyboard event. */
export type KeyPress = {
  key: string;
  code: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
  repeat?: boolean;
};

/** Where a key is pressed: on which keyboard, and whether letters mean something there. */
export type KeyContext = { isApple: boolean; isTyping: boolean };

/** `key` as in the table: "r", "?", "escape", "alt+s", "mod+shift+f". */
export function matches(press: KeyPress, key: string, { isApple, isTyping }: KeyContext): boolean {
  const parts = key.split("+");
  const wanted = parts.at(-1) ?? "";
  const hasMod = parts.includes("mod");
  const isLetter = /^[a-z]$/u.test(wanted);
  if (press.altKey !== parts.includes("alt")) return false;
  if (press.metaKey !== (hasMod && isApple) || press.ctrlKey !== (hasMod && !isApple)) return false;
  // Signs such as "?" need Shift on some keyboards and not on others.
  const isSign = wanted.length === 1 && !isLetter;
  if (!isSign && press.shiftKey !== parts.includes("shift")) return false;
  if (press.key.toLowerCase() === wanted) return true;
  // Option writes letters of its own on a Mac (a Pole's ś is Option+S): whoever is writing means that letter.
  const isWritten = isApple && isTyping && press.altKey && !press.metaKey;
  return isLetter && !isWritten && hasKeyCodeOf(press, wanted);
}

/** Where a key writes no Latin letter (Greek, Cyrillic, Alt on a Mac), its place counts. */
function hasKeyCodeOf(press: KeyPress, letter: string): boolean {
  return !/^[a-z]$/iu.test(press.key) && press.code === `Key${letter.toUpperCase()}`;
}

type Target = { tagName?: string; type?: string; isContentEditable?: boolean; closest?(selector: string): unknown };

const nonTextInputs = new Set(["button", "checkbox", "color", "file", "image", "radio", "range", "reset", "submit"]);
const takesLetters = '[role="textbox"], [role="searchbox"], [role="combobox"], [role="listbox"], [role="menu"]';

/** Whether letters mean something where the focus is. */
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
  mod: "Ctrl",
  alt: "Alt",
  shift: "Shift",
  escape: "Esc",
  enter: "Enter",
  arrowup: "↑",
  arrowdown: "↓",
};

/** As it stands on the keys. */
export function keyNames(key: string, isApple: boolean): string[] {
  return key.split("+").map((part) => (isApple ? appleNames[part] : undefined) ?? names[part] ?? part.toUpperCase());
}
