import { useEffect, useEffectEvent } from "react";
import type { Settings } from "../state/types.ts";
import type { Texts } from "../texts/en.ts";
import { texts } from "../texts/texts.ts";

type ShortcutId = Exclude<keyof Texts["shortcuts"], (typeof writingKeys)[number]["id"]>;

/** `mod` is Ctrl, or Command on a Mac. */
type Shortcut = { id: ShortcutId; keys: readonly string[]; when?: "conversation" };

/** All shortcuts of the page. */
export const shortcuts: readonly Shortcut[] = [
  { id: "palette", keys: ["mod+k"] },
  { id: "help", keys: ["?"] },
  { id: "new", keys: ["n"] },
  { id: "nextConversation", keys: ["alt+j"] },
  { id: "previousConversation", keys: ["alt+k"] },
  { id: "close", keys: ["escape"] },
  { id: "compose", keys: ["c"], when: "conversation" },
  { id: "whisper", keys: ["w"], when: "conversation" },
  { id: "raiseHand", keys: ["r"], when: "conversation" },
  { id: "yieldFloor", keys: ["y"], when: "conversation" },
  { id: "stop", keys: ["alt+s"], when: "conversation" },
  { id: "invite", keys: ["i"], when: "conversation" },
  { id: "search", keys: ["f", "mod+shift+f"], when: "conversation" },
  { id: "floorStrip", keys: ["l"], when: "conversation" },
  { id: "previousUtterance", keys: ["alt+arrowup"], when: "conversation" },
  { id: "nextUtterance", keys: ["alt+arrowdown"], when: "conversation" },
];

/** Keys of the composer. */
export const writingKeys = [
  { id: "send", keys: ["enter"] },
  { id: "newLine", keys: ["shift+enter"] },
  { id: "commands", keys: ["/"] },
  { id: "mention", keys: ["@"] },
] as const;

/** Shortcuts that repeat while the key is held. */
const repeated = new Set<ShortcutId>([
  "nextConversation",
  "previousConversation",
  "previousUtterance",
  "nextUtterance",
]);

type ShortcutContext = KeyContext & { hasSingleKeys: boolean };

export function shortcutFor(press: KeyPress, opened: ShortcutContext): ShortcutId | undefined {
  const found = shortcuts.find(({ keys }) => keys.some((key) => isUsable(key) && matches(press, key, opened)));
  return found !== undefined && press.repeat === true && !repeated.has(found.id) ? undefined : found?.id;

  function isUsable(key: string): boolean {
    return key.length > 1 || (opened.hasSingleKeys && !opened.isTyping);
  }
}

type Handlers = Partial<Record<ShortcutId, () => void>>;

/** Shortcuts of the page; inactive in a modal dialog. */
export function useShortcuts(handlers: Handlers, { hasSingleKeys }: Pick<Settings, "hasSingleKeys">): void {
  useKeyHandler((event, place) => {
    const id = event.isComposing ? undefined : shortcutFor(event, { ...place, hasSingleKeys });
    return id && handlers[id];
  });
}

/** Runs the handler that `find` has for a pressed key, wherever the focus is, except in a modal dialog. */
export function useKeyHandler(find: (event: KeyboardEvent, place: KeyContext) => (() => void) | undefined): void {
  const findNow = useEffectEvent(find);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || document.querySelector("dialog:modal") !== null) return;
      const handler = findNow(event, { isApple: isApple(), isTyping: isTyping(event.target) });
      if (handler === undefined) return;
      event.preventDefault();
      handler();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, []);
}

export function isApple(): boolean {
  return /mac|iphone|ipad/iu.test(navigator.platform);
}

/** Moves the focus between utterances, starting with the newest. */
export function focusUtterance(delta: 1 | -1): void {
  const all = [...document.querySelectorAll<HTMLElement>("[data-utterance]")];
  const here = document.activeElement?.closest<HTMLElement>("[data-utterance]");
  const next = here ? all[all.indexOf(here) + delta] : all.at(-1);
  if (next === undefined) return;
  if (!next.hasAttribute("tabindex")) next.tabIndex = -1;
  next.focus();
}

/** The fields of KeyboardEvent that are used. */
export type KeyPress = Pick<KeyboardEvent, "key" | "code" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey"> & {
  repeat?: boolean;
};

/** The keyboard, and whether the focus is in a text field. */
type KeyContext = { isApple: boolean; isTyping: boolean };

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
