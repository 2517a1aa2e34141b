import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from "react";
import { storageKey, tabStorage, unfinishedCharsMax } from "../state/storage.ts";
import { type ComposerText, parseComposerText } from "./composer-text.ts";

export type ComposerField = {
  composerText: ComposerText;
  change(next: (before: ComposerText) => ComposerText): void;
  /** Puts other words in the place of those between, and the caret after them. */
  replace(words: string, start: number, end: number): void;
  field: RefObject<HTMLTextAreaElement | null>;
  caret: number;
  /** The caret may have moved. */
  updateCaret(): void;
};

/** The draft of a person in a conversation, as it was before a reload, and the field it is written in. */
export function useComposerText(me: string, conversation: string): ComposerField {
  const key = storageKey("draft", me, conversation);
  const [composerText, setComposerText] = useState<ComposerText>(() => parseComposerText(tabStorage.read(key)));
  const [caret, setCaret] = useState(composerText.text.length);
  const field = useRef<HTMLTextAreaElement>(null);
  const [wanted, setWanted] = useState<{ caret: number }>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height follows the words
  useLayoutEffect(() => {
    if (field.current !== null) grow(field.current);
  }, [composerText.text]);
  useLayoutEffect(() => {
    if (wanted === undefined) return;
    field.current?.focus();
    field.current?.setSelectionRange(wanted.caret, wanted.caret);
    setCaret(wanted.caret);
  }, [wanted]);
  const newest = useRef(composerText);
  const change = useCallback(
    (next: (before: ComposerText) => ComposerText) => {
      newest.current = next(newest.current);
      setComposerText(newest.current);
      // At once, so that what comes back after this conversation was left is found on return.
      tabStorage.put(
        key,
        newest.current.text !== "" || newest.current.isWhisper ? newest.current : undefined,
        unfinishedCharsMax,
      );
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
  const updateCaret = useCallback(() => setCaret(field.current?.selectionStart ?? 0), []);
  return { composerText, change, replace, field, caret, updateCaret };
}

/** As high as its lines; the style sheet says how high at most. */
function grow(field: HTMLTextAreaElement): void {
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight}px`;
}
