import { useMemo, useState } from "react";
import { useDesk, useScene } from "../state/context.ts";
import { type Attached, useAttachments } from "./attachments.tsx";
import { addresseeOf, inPublic, inWhisper } from "./draft.ts";
import { type Person, peopleOf } from "./people.ts";
import type { Suggestion } from "./suggest.ts";
import { useDraft, type Writing } from "./use-draft.ts";
import { type Sending, useSending } from "./use-sending.ts";
import { type Suggestions, useSuggestions } from "./use-suggestions.ts";
import { type Talk, useTalk } from "./use-talk.ts";

export type Composing = Pick<Writing, "draft" | "change" | "field" | "look"> & {
  people: readonly Person[];
  addressee: Person | undefined;
  attached: Attached;
  sending: Sending;
  trouble: string | undefined;
  tell(trouble: string | undefined): void;
  suggestions: Suggestions;
  talk: Talk;
  mention(speakerUri: string): void;
  insert(words: string): void;
  /** To somebody; without a name to whom the text is for, or it asks. */
  whisper(speakerUri?: string): void;
  whisperToAnother(): void;
  speakToAll(): void;
};

/** Everything that goes on around the field. */
export function useComposer(): Composing {
  const { conversation } = useScene();
  const { view, identifications, me } = conversation;
  const people = useMemo(() => peopleOf({ view, identifications, me }), [view, identifications, me]);
  const writing = useDraft(me, conversation.id);
  const { draft, change, replace, field, caret, look } = writing;
  const [trouble, tell] = useState<string>();
  const attached = useAttachments(tell);
  const sending = useSending({ change, attached, people, tell });
  const to = addresseeOf(draft, people);
  const addressee = people.find(({ speakerUri }) => speakerUri === to);
  const whispering = useWhispering(writing, people, addressee);

  const pick = ({ speakerUri, name }: Person, start: number, end: number) => {
    replace(`@${name} `, start, end);
    change((before) => ({ ...before, isToAll: false, picked: [...new Set([...before.picked, speakerUri])] }));
  };
  const onChoose = (suggestion: Suggestion, start: number, how: "enter" | "tab") => {
    if (suggestion.kind === "person") return pick(suggestion.person, start, caret);
    const { name, takes, isGrave } = suggestion.command;
    if (how === "enter" && takes === undefined && isGrave !== true) sending.send({ ...draft, text: `/${name}` });
    else replace(takes === undefined ? `/${name}` : `/${name} `, start, caret);
  };
  const suggestions = useSuggestions({ text: draft.text, caret, people, onChoose });
  const mention = (speakerUri: string) => {
    const person = people.find((one) => one.speakerUri === speakerUri);
    // In front of everything, so that it is the first name and counts.
    if (person !== undefined && addressee !== person) pick(person, 0, 0);
    else field.current?.focus();
  };
  const insert = (words: string) => {
    const { selectionStart: start = caret, selectionEnd: end = caret } = field.current ?? {};
    // Words stand apart from those before and after.
    const before = /\S$/u.test(draft.text.slice(0, start)) ? " " : "";
    const after = /^\S/u.test(draft.text.slice(end)) ? " " : "";
    replace(before + words.trim() + after, start, end);
  };
  const talk = useTalk(insert);
  return {
    ...{ draft, change, field, look, people, addressee, attached, sending, trouble, tell, suggestions, talk },
    ...{ mention, insert },
    ...whispering,
  };
}

function useWhispering({ change, field }: Writing, people: readonly Person[], addressee: Person | undefined) {
  const { announce } = useDesk();
  const whisper = (speakerUri?: string) => {
    const only = people.length === 1 ? people[0] : undefined;
    const whom = speakerUri === undefined ? (addressee ?? only) : people.find((one) => one.speakerUri === speakerUri);
    change((before) => inWhisper(before, whom?.speakerUri));
    announce(whom === undefined ? "Whisper to whom?" : `Whispering. Only ${whom.name} will see this.`);
    if (whom !== undefined) field.current?.focus();
  };
  const whisperToAnother = () => change((before) => inWhisper(before, undefined));
  const speakToAll = () => {
    change(inPublic);
    announce("Speaking to everyone again");
    field.current?.focus();
  };
  return { whisper, whisperToAnother, speakToAll };
}
