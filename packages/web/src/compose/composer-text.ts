import { type Identification, isSameUri, recordOf } from "@plenary/protocol";
import { type Mentionable, mentionIn, nameIn, type SeatKind } from "@plenary/transcript";
import { useCallback, useLayoutEffect, useRef, useState } from "react";
import { storageKey, tabStorage, unfinishedCharsMax } from "../state/storage.ts";
import type { ConversationState } from "../state/types.ts";

/** Content of the text field and its recipient. */
export type ComposerText = {
  text: string;
  /** Nothing is sent while `whisperTo` is absent. */
  isWhisper: boolean;
  whisperTo?: string;
  /** Mentions in the text do not address anyone. */
  isToAll: boolean;
  /** Chosen from the list; they win over others with the same name. */
  picked: readonly string[];
  /** An unfinished whisper, hidden while the field is public. */
  secret?: HiddenWhisper;
};

type HiddenWhisper = { text: string; whisperTo?: string };

export const emptyComposerText: ComposerText = { text: "", isWhisper: false, isToAll: false, picked: [] };

/** The recipient. Mentions in a whisper never change its recipient. */
export function addresseeOf(composerText: ComposerText, recipients: readonly Mentionable[]): string | undefined {
  if (composerText.isWhisper)
    return recipients.find(({ speakerUri }) => speakerUri === composerText.whisperTo)?.speakerUri;
  if (composerText.isToAll) return undefined;
  const isPicked = ({ speakerUri }: Mentionable) => composerText.picked.includes(speakerUri);
  const pickedFirst = [...recipients.filter(isPicked), ...recipients.filter((one) => !isPicked(one))];
  return mentionIn(composerText.text, pickedFirst)?.speakerUri;
}

/** After a whisper the field stays in whisper mode, so that the next words do not become public by accident. */
export function afterSending({ isWhisper, whisperTo }: ComposerText): ComposerText {
  return isWhisper
    ? { ...emptyComposerText, isWhisper, ...(whisperTo !== undefined && { whisperTo }) }
    : emptyComposerText;
}

/**
 * Puts text that could not be sent back before newer text. A whisper never becomes public or gets another recipient by
 * it.
 */
export function restored(current: ComposerText, failed: ComposerText): ComposerText {
  if (current.text.trim() === "" && !current.isWhisper) return failed;
  const text = [failed.text, current.text].filter((part) => part.trim() !== "").join("\n");
  if (!failed.isWhisper) return { ...current, text };
  if (!current.isWhisper || current.whisperTo === failed.whisperTo) return { ...failed, text };
  // Two whispers to two recipients: the person must choose the recipient again.
  return { ...emptyComposerText, text, isWhisper: true };
}

/** Restores a hidden whisper if the recipient is the same. */
export function asWhisper(composerText: ComposerText, whisperTo: string | undefined): ComposerText {
  const { whisperTo: _, secret, ...rest } = composerText;
  const isBegun = secret !== undefined && (whisperTo === undefined || whisperTo === secret.whisperTo);
  const isBack = isBegun && composerText.text.trim() === "";
  const to = whisperTo ?? (isBack ? secret.whisperTo : undefined);
  return {
    ...rest,
    isWhisper: true,
    ...(isBack && { text: secret.text }),
    ...(!isBack && secret !== undefined && { secret }),
    ...(to !== undefined && { whisperTo: to }),
  };
}

export function asPublic({ whisperTo, ...composerText }: ComposerText): ComposerText {
  if (!composerText.isWhisper || composerText.text.trim() === "") return { ...composerText, isWhisper: false };
  return { ...emptyComposerText, secret: { text: composerText.text, ...(whisperTo !== undefined && { whisperTo }) } };
}

/** Reads the content stored before a reload. Anything else reads as empty. */
export function parseComposerText(kept: unknown): ComposerText {
  const { text, isWhisper, whisperTo, isToAll, picked } = recordOf(kept);
  if (typeof text !== "string") return emptyComposerText;
  return {
    text,
    isWhisper: isWhisper === true,
    ...(typeof whisperTo === "string" && { whisperTo }),
    isToAll: isToAll === true,
    picked: Array.isArray(picked) ? picked.map(String) : [],
  };
}

export type Recipient = Mentionable & { identification: Identification; kind: SeatKind };

/** All joined conversants except oneself. */
export function recipientsOf(circle: Pick<ConversationState, "view" | "identifications" | "me">): Recipient[] {
  return circle.view.conversants.flatMap(({ identification, kind, state }) => {
    const { speakerUri } = identification;
    if (state !== "joined" || isSameUri(speakerUri, circle.me)) return [];
    return [{ speakerUri, name: nameIn(circle, speakerUri), identification, kind }];
  });
}

export type ComposerField = ReturnType<typeof useComposerText>;

/** The composer's content for one person and conversation, restored after a reload, and its text field. */
export function useComposerText(me: string, conversation: string) {
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
  /** Replaces a part of the text and puts the caret behind it. */
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
