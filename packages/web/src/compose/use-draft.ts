import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from "react";
import { keyOf } from "../wire/keeping.ts";
import { type Draft, readDraft } from "./draft.ts";
import { keep, readKept } from "./kept.ts";

export type Writing = {
  draft: Draft;
  change(next: (before: Draft) => Draft): void;
  /** Puts other words in the place of those between, and the caret after them. */
  replace(words: string, start: number, end: number): void;
  field: RefObject<HTMLTextAreaElement | null>;
  caret: number;
  /** The caret may have moved. */
  look(): void;
};

/** The draft of a person in a conversation, as it was before a reload, and the field it is written in. */
export function useDraft(me: string, conversation: string): Writing {
  const key = keyOf("draft", me, conversation);
  const [draft, setDraft] = useState<Draft>(() => readDraft(readKept(key)));
  const [caret, setCaret] = useState(draft.text.length);
  const field = useRef<HTMLTextAreaElement>(null);
  const [wanted, setWanted] = useState<{ caret: number }>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height follows the words
  useLayoutEffect(() => {
    if (field.current !== null) grow(field.current);
  }, [draft.text]);
  useLayoutEffect(() => {
    if (wanted === undefined) return;
    field.current?.focus();
    field.current?.setSelectionRange(wanted.caret, wanted.caret);
    setCaret(wanted.caret);
  }, [wanted]);
  const newest = useRef(draft);
  const change = useCallback(
    (next: (before: Draft) => Draft) => {
      newest.current = next(newest.current);
      setDraft(newest.current);
      // At once, so that what comes back after this conversation was left is found on return.
      keep(key, newest.current.text !== "" || newest.current.isWhisper ? newest.current : undefined);
    },
    [key],
  );
  const replace = useCallback(
    (words: string, start: number, end: number) => {
      change((before) => ({ ...before, text: before.text.slice(0, start) + words + before.text.slice(end) }));
      setWanted({ caret: start + words.length });
    },
    [change],
  );
  const look = useCallback(() => setCaret(field.current?.selectionStart ?? 0), []);
  return { draft, change, replace, field, caret, look };
}

/** As high as its lines; the style sheet says how high at most. */
function grow(field: HTMLTextAreaElement): void {
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight}px`;
}
