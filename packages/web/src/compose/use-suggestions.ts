import { peopleMatching, typedMention } from "@plenary/transcript";
import { type KeyboardEvent, useId, useState } from "react";
import type { Recipient } from "./recipients.ts";
import { commandsMatching, type SlashCommand } from "./slash-commands.ts";

export type Suggestions = {
  id: string;
  list: readonly Suggestion[];
  active: number;
  point(index: number): void;
  choose(index: number, how: "enter" | "tab"): void;
  /** Returns whether the list handled the key. */
  onKey(event: KeyboardEvent): boolean;
};

type Options = {
  text: string;
  caret: number;
  recipients: readonly Recipient[];
  onChoose(suggestion: Suggestion, start: number, how: "enter" | "tab"): void;
};

const closed: readonly Suggestion[] = [];

export function useSuggestions({ text, caret, recipients, onChoose }: Options): Suggestions {
  const id = useId();
  const [pointed, setPointed] = useState({ query: "", index: 0 });
  const [dismissedAt, setDismissedAt] = useState<number>();
  const found = suggest(text, caret, recipients);
  // A dismissed list comes back when the sign is typed again.
  const isDismissed = found !== undefined && found.start === dismissedAt && found.query !== "";
  if (dismissedAt !== undefined && text[dismissedAt] !== "@" && text[dismissedAt] !== "/") setDismissedAt(undefined);
  const list = found === undefined || isDismissed ? closed : found.list;
  const active = pointed.query === found?.query ? Math.min(pointed.index, list.length - 1) : 0;
  const point = (index: number) => setPointed({ query: found?.query ?? "", index });
  const choose = (index: number, how: "enter" | "tab") => {
    const suggestion = list[index];
    if (found === undefined || suggestion === undefined) return;
    setDismissedAt(found.start);
    onChoose(suggestion, found.start, how);
  };
  const onKey = (event: KeyboardEvent) => {
    if (list.length === 0 || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return false;
    switch (event.key) {
      case "ArrowDown":
        point((active + 1) % list.length);
        return true;
      case "ArrowUp":
        point((active + list.length - 1) % list.length);
        return true;
      case "Enter":
      case "Tab":
        choose(active, event.key === "Enter" ? "enter" : "tab");
        return true;
      case "Escape":
        setDismissedAt(found?.start);
        return true;
      default:
        return false;
    }
  };
  return { id, list, active, point, choose, onKey };
}

export type Suggestion = { kind: "person"; person: Recipient } | { kind: "command"; command: SlashCommand };

/** Suggestions for the typed text; `start` is the position of its sign. */
type Suggested = { start: number; query: string; list: readonly Suggestion[] };

const suggestionsMax = 50;

export function suggest(text: string, caret: number, recipients: readonly Recipient[]): Suggested | undefined {
  const found = commandsMatching(text, caret);
  if (found.length > 0) {
    return { start: 0, query: text.slice(1, caret), list: found.map((command) => ({ kind: "command", command })) };
  }
  const typed = typedMention(text, caret);
  if (typed === undefined) return undefined;
  const meant = peopleMatching(recipients, typed.query).slice(0, suggestionsMax);
  if (meant.length === 0 || isWrittenOut(meant, typed.query)) return undefined;
  const list = meant.map((person) => ({ kind: "person" as const, person }));
  return { ...typed, list };
}

/** After a complete name Enter sends the text. */
function isWrittenOut([only, ...others]: readonly { name: string }[], query: string): boolean {
  return others.length === 0 && only?.name.toLowerCase() === query.toLowerCase();
}
