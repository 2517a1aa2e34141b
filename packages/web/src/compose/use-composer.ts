import { useMemo, useState } from "react";
import { errorText, isAborted } from "../api/floor.ts";
import type { Actions } from "../state/actions.ts";
import { type PageServices, useOpenConversation, usePageServices } from "../state/context.ts";
import type { SayOptions } from "../state/types.ts";
import { texts } from "../texts/texts.ts";
import { useAsyncAction } from "../ui/use-async-action.ts";
import {
  type AttachmentList,
  attachmentFeatures,
  type ListedAttachment,
  revokePreviews,
  useAttachments,
} from "./attachments.tsx";
import {
  addresseeOf,
  afterSending,
  asPublic,
  asWhisper,
  type ComposerField,
  type ComposerText,
  emptyComposerText,
  type Recipient,
  recipientsOf,
  restored,
  useComposerText,
} from "./composer-text.ts";
import { useDictation } from "./dictation.tsx";
import { commandIn, isMistypedWhisper, type SlashCommandName, whisperIn } from "./slash-commands.ts";
import { type Suggestion, useSuggestions } from "./suggestions.tsx";

export type ComposerState = ReturnType<typeof useComposer>;

/** State and actions of the composer. */
export function useComposer() {
  const { conversation } = useOpenConversation();
  const { view, identifications, me } = conversation;
  const recipients = useMemo(() => recipientsOf({ view, identifications, me }), [view, identifications, me]);
  const writing = useComposerText(me, conversation.id);
  const { composerText, change, replace, field, caret } = writing;
  const [error, showError] = useState<string>();
  const attached = useAttachments(showError);
  const sending = useSending({ change, field, attached, recipients, showError });
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
    ...writing,
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
  /** Without a speakerUri the recipient is the current addressee, else the composer asks. */
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

type Options = Pick<ComposerField, "change" | "field"> & {
  attached: AttachmentList;
  recipients: readonly Recipient[];
  /** Shows why sending failed; undefined clears it. */
  showError(error: string | undefined): void;
};

/** Sends the content of the field or runs its command. A failure restores the content. */
function useSending({ change, field, attached, recipients, showError }: Options) {
  const { actions } = useOpenConversation();
  const services = usePageServices();
  const { isBusy: isStopping, run } = useAsyncAction("toast");
  const stop = () => void run(actions.stop, () => services.announce(texts.announcements.stopped));

  const takeBack = (failed: ComposerText, files: readonly ListedAttachment[]) => (error: unknown) => {
    if (isAborted(error)) return revokePreviews(files);
    change((current) => restored(current, failed));
    attached.put((since) => [...files, ...since]);
    const problem = errorText(error);
    // Without the field, the person has opened another conversation meanwhile.
    if (field.current !== null) showError(problem);
    else services.toast(texts.compose.notSent(failed.text, problem), "error");
  };
  const say = (saying: ComposerText, files: readonly ListedAttachment[]) => {
    const to = addresseeOf(saying, recipients);
    const text = saying.text.trim() || files.map(({ name }) => name).join(", ");
    if (text === "" || (saying.isWhisper && to === undefined)) return;
    const features = attachmentFeatures(files);
    const options: SayOptions = {
      ...(to !== undefined && { to }),
      ...(saying.isWhisper && { isWhisper: true }),
      ...(files.length > 0 && features && { features }),
    };
    showError(undefined);
    change(() => afterSending(saying));
    attached.put(() => []);
    actions.say(text, options).then(() => revokePreviews(files), takeBack(saying, files));
    const name = recipients.find(({ speakerUri }) => speakerUri === to)?.name;
    if (saying.isWhisper) services.announce(texts.compose.whisperedTo(name ?? ""));
  };
  const send = (composerText: ComposerText) => {
    if (attached.isReading) return showError(texts.compose.fileStillRead);
    const command = commandIn(composerText.text);
    if (isMistypedWhisper(composerText.text)) return showError(texts.compose.didYouMeanWhisper);
    if (command === undefined) return say(composerText, attached.list);
    showError(undefined);
    if (command.name === "whisper") return whisper(command.rest);
    change(afterSending);
    perform({ actions, services, stop }, command.name, command.rest).catch(takeBack(composerText, []));
  };
  const whisper = (rest: string) => {
    const named = whisperIn(rest, recipients);
    if (named === undefined && rest !== "") return showError(texts.compose.noOneCalled(rest));
    const whispered = asWhisper(emptyComposerText, named?.to);
    if (named === undefined || named.text === "") return change(() => whispered);
    say({ ...whispered, text: named.text }, []);
  };
  return { send, stop, isStopping };
}

type CommandContext = { actions: Actions; services: PageServices; stop(): void };

async function perform(means: CommandContext, name: Exclude<SlashCommandName, "whisper">, rest: string): Promise<void> {
  const { actions, services, stop } = means;
  switch (name) {
    case "invite":
      return rest === "" ? services.open("invite") : actions.invite(rest);
    case "rename":
      return rest === "" ? services.open("rename") : actions.rename(rest);
    case "hand":
      await actions.raiseHand();
      return services.toast(texts.compose.handRaised);
    case "yield":
      await actions.yieldFloor();
      return services.toast(texts.compose.gaveFloorBack);
    case "stop":
      return stop();
    case "leave":
      return actions.leave();
    case "help":
      return services.open("help");
  }
}
