import { peopleMatching, typedMention } from "@plenary/transcript";
import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { texts } from "../texts/texts.ts";
import { Avatar } from "../ui/avatar.tsx";
import type { Recipient } from "./composer-text.ts";
import { commandsMatching, type SlashCommand } from "./slash-commands.ts";

type Suggestions = ReturnType<typeof useSuggestions>;

type Options = {
  text: string;
  caret: number;
  recipients: readonly Recipient[];
  onChoose(suggestion: Suggestion, start: number, how: "enter" | "tab"): void;
};

const closed: readonly Suggestion[] = [];

export function useSuggestions({ text, caret, recipients, onChoose }: Options) {
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
  /** Returns whether the list handled the key. */
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

/** The list above the field. The focus stays in the field, which references the active option. */
export function SuggestionList({ suggestions }: { suggestions: Suggestions }) {
  const { id, list, active, point, choose } = suggestions;
  const current = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another one is active
  useEffect(() => {
    current.current?.scrollIntoView({ block: "nearest" });
  }, [active]);
  if (list.length === 0) return null;
  const label = list[0]?.kind === "command" ? texts.compose.commandsLabel : texts.common.whoIsHere;
  return (
    <div className="compose-list" id={id} role="listbox" aria-label={label}>
      {list.map((suggestion, index) => (
        // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus and names the active one
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the field's
        <div
          key={keyOf(suggestion)}
          ref={index === active ? current : null}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === active}
          className="compose-option"
          onPointerMove={() => index !== active && point(index)}
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => choose(index, "enter")}
        >
          <Words suggestion={suggestion} />
        </div>
      ))}
    </div>
  );
}

function Words({ suggestion }: { suggestion: Suggestion }) {
  if (suggestion.kind === "command") {
    const { name } = suggestion.command;
    const { does, argument } = texts.compose.commands[name];
    return (
      <>
        <span className="compose-option-name">
          /{name} {argument !== "" && <span className="compose-option-takes">{argument}</span>}
        </span>
        <span className="quiet">{does}</span>
      </>
    );
  }
  const { speakerUri, name, kind, identification } = suggestion.person;
  return (
    <>
      <Avatar isSmall speakerUri={speakerUri} identification={identification} kind={kind} />
      <bdi className="compose-option-name">{name}</bdi>
      <span className="quiet compose-option-more">{identification.synopsis ?? texts.common.kinds[kind]}</span>
    </>
  );
}

function keyOf(suggestion: Suggestion): string {
  return suggestion.kind === "command" ? suggestion.command.name : suggestion.person.speakerUri;
}
