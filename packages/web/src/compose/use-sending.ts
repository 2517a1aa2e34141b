import { type RefObject, useEffect, useRef, useState } from "react";
import { errorText } from "../api/client.ts";
import { type PageServices, useOpenConversation, usePageServices } from "../state/context.ts";
import type { Actions, SayOptions } from "../state/types.ts";
import { texts } from "../texts/texts.ts";
import { type AttachmentList, attachmentFeatures, type ListedAttachment, revokePreviews } from "./attachments.tsx";
import {
  addresseeOf,
  afterSending,
  asWhisper,
  type ComposerText,
  emptyComposerText,
  restored,
} from "./composer-text.ts";
import type { Recipient } from "./recipients.ts";
import { commandIn, isMistypedWhisper, type SlashCommandName, whisperIn } from "./slash-commands.ts";

type Options = {
  change(next: (before: ComposerText) => ComposerText): void;
  attached: AttachmentList;
  recipients: readonly Recipient[];
  /** Shows why sending failed; undefined clears it. */
  showError(error: string | undefined): void;
};

export type Sending = {
  send(composerText: ComposerText): void;
  stop(): void;
  isStopping: boolean;
};

/** Sends the content of the field or runs its command. A failure restores the content. */
export function useSending({ change, attached, recipients, showError }: Options): Sending {
  const { actions } = useOpenConversation();
  const services = usePageServices();
  const { stop, isStopping } = useStop();
  const isHere = useIsMounted();

  const takeBack = (failed: ComposerText, files: readonly ListedAttachment[]) => (error: unknown) => {
    change((current) => restored(current, failed));
    attached.put((since) => [...files, ...since]);
    const problem = errorText(error);
    if (isHere.current) showError(problem);
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

function useStop(): Pick<Sending, "stop" | "isStopping"> {
  const { actions } = useOpenConversation();
  const services = usePageServices();
  const [isStopping, setStopping] = useState(false);
  const stop = () => {
    setStopping(true);
    actions
      .stop()
      .then(
        () => services.announce(texts.announcements.stopped),
        (error: unknown) => services.toast(errorText(error), "error"),
      )
      .finally(() => setStopping(false));
  };
  return { stop, isStopping };
}

/** The person may have opened another conversation before the server refused the utterance. */
function useIsMounted(): RefObject<boolean> {
  const isHere = useRef(true);
  useEffect(() => {
    isHere.current = true;
    return () => {
      isHere.current = false;
    };
  }, []);
  return isHere;
}
