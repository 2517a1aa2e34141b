import { useMemo, useState } from "react";
import { useOpenConversation, usePageServices } from "../state/context.ts";
import { texts } from "../texts/texts.ts";
import { type AttachmentList, useAttachments } from "./attachments.tsx";
import { addresseeOf, asPublic, asWhisper } from "./composer-text.ts";
import { type Recipient, recipientsOf } from "./recipients.ts";
import { type ComposerField, useComposerText } from "./use-composer-text.ts";
import { type DictationControl, useDictation } from "./use-dictation.ts";
import { type Sending, useSending } from "./use-sending.ts";
import type { Suggestion } from "./use-suggestions.ts";
import { type Suggestions, useSuggestions } from "./use-suggestions.ts";

export type ComposerState = Pick<ComposerField, "composerText" | "change" | "field" | "updateCaret"> & {
  recipients: readonly Recipient[];
  addressee: Recipient | undefined;
  attached: AttachmentList;
  sending: Sending;
  error: string | undefined;
  showError(error: string | undefined): void;
  suggestions: Suggestions;
  dictation: DictationControl;
  mention(speakerUri: string): void;
  insert(words: string): void;
  /** Without a speakerUri the recipient is the current addressee, else the composer asks. */
  whisper(speakerUri?: string): void;
  whisperToAnother(): void;
  speakToAll(): void;
};

/** State and actions of the composer. */
export function useComposer(): ComposerState {
  const { conversation } = useOpenConversation();
  const { view, identifications, me } = conversation;
  const recipients = useMemo(() => recipientsOf({ view, identifications, me }), [view, identifications, me]);
  const writing = useComposerText(me, conversation.id);
  const { composerText, change, replace, field, caret, updateCaret } = writing;
  const [error, showError] = useState<string>();
  const attached = useAttachments(showError);
  const sending = useSending({ change, attached, recipients, showError });
  const to = addresseeOf(composerText, recipients);
  const addressee = recipients.find(({ speakerUri }) => speakerUri === to);
  const whispering = useWhispering(writing, recipients, addressee);

  const pick = ({ speakerUri, name }: Recipient, start: number, end: number) => {
    replace(`@${name} `, start, end);
    change((before) => ({ ...before, isToAll: false, picked: [...new Set([...before.picked, speakerUri])] }));
  };
  const onChoose = (suggestion: Suggestion, start: number, how: "enter" | "tab") => {
    if (suggestion.kind === "person") return pick(suggestion.person, start, caret);
    const { name, takesArgument, needsSecondEnter } = suggestion.command;
    if (how === "enter" && takesArgument !== true && needsSecondEnter !== true)
      sending.send({ ...composerText, text: `/${name}` });
    else replace(takesArgument !== true ? `/${name}` : `/${name} `, start, caret);
  };
  const suggestions = useSuggestions({ text: composerText.text, caret, recipients, onChoose });
  const mention = (speakerUri: string) => {
    const person = recipients.find((one) => one.speakerUri === speakerUri);
    // At the start: the first mention is the addressee.
    if (person !== undefined && addressee !== person) pick(person, 0, 0);
    else field.current?.focus();
  };
  const insert = (words: string) => {
    const { selectionStart: start = caret, selectionEnd: end = caret } = field.current ?? {};
    // Separates the inserted words by spaces.
    const before = /\S$/u.test(composerText.text.slice(0, start)) ? " " : "";
    const after = /^\S/u.test(composerText.text.slice(end)) ? " " : "";
    replace(before + words.trim() + after, start, end);
  };
  const dictation = useDictation(insert);
  return {
    composerText,
    change,
    field,
    updateCaret,
    recipients,
    addressee,
    attached,
    sending,
    error,
    showError,
    suggestions,
    dictation,
    mention,
    insert,
    ...whispering,
  };
}

function useWhispering(
  { change, field }: ComposerField,
  recipients: readonly Recipient[],
  addressee: Recipient | undefined,
) {
  const { announce } = usePageServices();
  const whisper = (speakerUri?: string) => {
    const only = recipients.length === 1 ? recipients[0] : undefined;
    const recipient =
      speakerUri === undefined ? (addressee ?? only) : recipients.find((one) => one.speakerUri === speakerUri);
    change((before) => asWhisper(before, recipient?.speakerUri));
    announce(recipient === undefined ? texts.compose.whoIsWhisperFor : texts.compose.whisperingTo(recipient.name));
    if (recipient !== undefined) field.current?.focus();
  };
  const whisperToAnother = () => change((before) => asWhisper(before, undefined));
  const speakToAll = () => {
    change(asPublic);
    announce(texts.compose.toEveryoneAgain);
    field.current?.focus();
  };
  return { whisper, whisperToAnother, speakToAll };
}
