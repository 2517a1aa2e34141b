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
export type Shortcut = { id: ShortcutId; keys: readonly string[]; label: string; when?: "conversation" };

/** All shortcuts of the page. */
export const shortcuts: readonly Shortcut[] = [
  { id: "palette", keys: ["mod+k"], label: "Find any command" },
  { id: "help", keys: ["?"], label: "Show these keys" },
  { id: "new", keys: ["n"], label: "New conversation" },
  { id: "nextConversation", keys: ["alt+j"], label: "Next conversation" },
  { id: "previousConversation", keys: ["alt+k"], label: "Previous conversation" },
  { id: "close", keys: ["escape"], label: "Close what is open" },
  { id: "compose", keys: ["c"], label: "Write", when: "conversation" },
  { id: "whisper", keys: ["w"], label: "Whisper to somebody", when: "conversation" },
  { id: "raiseHand", keys: ["r"], label: "Raise your hand", when: "conversation" },
  { id: "yieldFloor", keys: ["y"], label: "Yield the floor", when: "conversation" },
  { id: "stop", keys: ["alt+s"], label: "Stop the agents", when: "conversation" },
  { id: "invite", keys: ["i"], label: "Invite somebody", when: "conversation" },
  { id: "search", keys: ["f", "mod+shift+f"], label: "Search in the conversation", when: "conversation" },
  { id: "floorStrip", keys: ["l"], label: "Show or hide the floor strip", when: "conversation" },
  { id: "previousUtterance", keys: ["alt+arrowup"], label: "Previous utterance", when: "conversation" },
  { id: "nextUtterance", keys: ["alt+arrowdown"], label: "Next utterance", when: "conversation" },
];

/** Keys of the composer. */
export const writingKeys: readonly { keys: readonly string[]; label: string }[] = [
  { keys: ["enter"], label: "Send" },
  { keys: ["shift+enter"], label: "New line" },
  { keys: ["/"], label: "Commands" },
  { keys: ["@"], label: "Address somebody" },
];

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
