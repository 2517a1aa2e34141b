import { type KeyboardEvent, useId, useState } from "react";
import type { Person } from "./people.ts";
import { type Suggestion, suggest } from "./suggest.ts";

export type Suggestions = {
  id: string;
  list: readonly Suggestion[];
  active: number;
  point(index: number): void;
  choose(index: number, how: "enter" | "tab"): void;
  /** Whether the key was for the list. */
  onKey(event: KeyboardEvent): boolean;
};

type Options = {
  text: string;
  caret: number;
  people: readonly Person[];
  onChoose(suggestion: Suggestion, start: number, how: "enter" | "tab"): void;
};

const closed: readonly Suggestion[] = [];

export function useSuggestions({ text, caret, people, onChoose }: Options): Suggestions {
  const id = useId();
  const [pointed, setPointed] = useState({ query: "", index: 0 });
  const [dismissedAt, setDismissedAt] = useState<number>();
  const found = suggest(text, caret, people);
  // A list that was closed comes back when another sign, or the same one anew, is typed.
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
