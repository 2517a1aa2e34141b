import { useEffect, useRef } from "react";
import type { Settings } from "../state/types.ts";
import { isTyping, type KeyContext, type KeyPress, matches } from "./key-press.ts";

export type ShortcutId =
  | "palette"
  | "help"
  | "new"
  | "nextConversation"
  | "previousConversation"
  | "close"
  | "compose"
  | "whisper"
  | "raiseHand"
  | "yieldFloor"
  | "stop"
  | "invite"
  | "search"
  | "floorStrip"
  | "previousUtterance"
  | "nextUtterance";

/** `mod` is Ctrl, or Command on a Mac. */
export type Shortcut = { id: ShortcutId; keys: readonly string[]; when?: "conversation" };

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

export type ShortcutContext = KeyContext & { hasSingleKeys: boolean };

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
  const newest = useRef(handlers);
  useEffect(() => {
    newest.current = handlers;
  });
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing || document.querySelector("dialog:modal") !== null) return;
      const opened = { isTyping: isTyping(event.target), hasSingleKeys, isApple: isApple() };
      const id = shortcutFor(event, opened);
      const handler = id === undefined ? undefined : newest.current[id];
      if (handler === undefined) return;
      event.preventDefault();
      handler();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [hasSingleKeys]);
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
