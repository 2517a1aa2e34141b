import { peopleMatching, typedMention } from "@plenary/transcript";
import { type Command, commandsMatching } from "./commands.ts";
import type { Person } from "./people.ts";

export type Suggestion = { kind: "person"; person: Person } | { kind: "command"; command: Command };

/** What could be meant by what is being typed; `start` is where its sign stands. */
type Suggested = { start: number; query: string; list: readonly Suggestion[] };

const suggestionsMax = 50;

export function suggest(text: string, caret: number, people: readonly Person[]): Suggested | undefined {
  const found = commandsMatching(text, caret);
  if (found.length > 0) {
    return { start: 0, query: text.slice(1, caret), list: found.map((command) => ({ kind: "command", command })) };
  }
  const typed = typedMention(text, caret);
  if (typed === undefined) return undefined;
  const meant = peopleMatching(people, typed.query).slice(0, suggestionsMax);
  if (meant.length === 0 || isWrittenOut(meant, typed.query)) return undefined;
  const list = meant.map((person) => ({ kind: "person" as const, person }));
  return { ...typed, list };
}

/** Enter after a whole name sends; it does not choose what is chosen already. */
function isWrittenOut([only, ...others]: readonly { name: string }[], query: string): boolean {
  return others.length === 0 && only?.name.toLowerCase() === query.toLowerCase();
}
