import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from "react";
import { storageKey, tabStorage, unfinishedCharsMax } from "../state/storage.ts";
import { type ComposerText, parseComposerText } from "./composer-text.ts";

export type ComposerField = {
  composerText: ComposerText;
  change(next: (before: ComposerText) => ComposerText): void;
  /** Replaces a part of the text and puts the caret behind it. */
  replace(words: string, start: number, end: number): void;
  field: RefObject<HTMLTextAreaElement | null>;
  caret: number;
  /** Reads the caret position again. */
  updateCaret(): void;
};

/** The composer's content for one person and conversation, restored after a reload, and its text field. */
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
      // Stored at once, so that text restored after a failure is found on return to the conversation.
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

/** Fits the height to the lines. The style sheet has the maximum. */
function grow(field: HTMLTextAreaElement): void {
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight}px`;
}
