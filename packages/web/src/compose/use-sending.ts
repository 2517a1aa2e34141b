import { type RefObject, useEffect, useRef, useState } from "react";
import { type Desk, useDesk, useScene } from "../state/context.ts";
import type { Actions, SayOptions } from "../state/types.ts";
import { type Attached, type Attachment, featuresOf, release } from "./attachments.tsx";
import { type CommandName, commandIn, isAlmostWhisper, whisperIn } from "./commands.ts";
import { addresseeOf, type Draft, emptyDraft, inWhisper, sentOff, takenBack } from "./draft.ts";
import type { Person } from "./people.ts";

type Options = {
  change(next: (before: Draft) => Draft): void;
  attached: Attached;
  people: readonly Person[];
  /** Why something was not sent, when its words are back in the field; nothing when all is well again. */
  tell(trouble: string | undefined): void;
};

export type Sending = {
  send(draft: Draft): void;
  stop(): void;
  isStopping: boolean;
};

/** Says what is in the field, or does what it commands. Nothing that was typed is lost on the way. */
export function useSending({ change, attached, people, tell }: Options): Sending {
  const { actions } = useScene();
  const desk = useDesk();
  const { stop, isStopping } = useStop();
  const isHere = useIsHere();

  const takeBack = (failed: Draft, files: readonly Attachment[]) => (error: unknown) => {
    change((current) => takenBack(current, failed));
    attached.put((since) => [...files, ...since]);
    const problem = error instanceof Error && error.message !== "" ? error.message : "That could not be sent.";
    if (isHere.current) tell(problem);
    else desk.toast(`Not sent: ${failed.text} (${problem})`, "error");
  };
  const say = (saying: Draft, files: readonly Attachment[]) => {
    const to = addresseeOf(saying, people);
    const text = saying.text.trim() || files.map(({ name }) => name).join(", ");
    if (text === "" || (saying.isWhisper && to === undefined)) return;
    const features = featuresOf(files);
    const options: SayOptions = {
      ...(to !== undefined && { to }),
      ...(saying.isWhisper && { isWhisper: true }),
      ...(files.length > 0 && features && { features }),
    };
    tell(undefined);
    change(() => sentOff(saying));
    attached.put(() => []);
    actions.say(text, options).then(() => release(files), takeBack(saying, files));
    const name = people.find(({ speakerUri }) => speakerUri === to)?.name;
    if (saying.isWhisper)
      desk.announce(`Whispered to ${name}. You are still whispering; Escape speaks to everyone again.`);
  };
  const send = (draft: Draft) => {
    if (attached.isReading) return tell("A file is still being read. Please send again in a moment.");
    const command = commandIn(draft.text);
    if (isAlmostWhisper(draft.text)) return tell("Did you mean /whisper? This was not sent, as everyone would see it.");
    if (command === undefined) return say(draft, attached.list);
    tell(undefined);
    if (command.name === "whisper") return whisper(command.rest);
    change(sentOff);
    perform({ actions, desk, stop }, command.name, command.rest).catch(takeBack(draft, []));
  };
  const whisper = (rest: string) => {
    const named = whisperIn(rest, people);
    if (named === undefined && rest !== "") return tell(`Nobody here is called ${rest}.`);
    const whispered = inWhisper(emptyDraft, named?.whom);
    if (named === undefined || named.words === "") return change(() => whispered);
    say({ ...whispered, text: named.words }, []);
  };
  return { send, stop, isStopping };
}

type Means = { actions: Actions; desk: Desk; stop(): void };

async function perform(means: Means, name: Exclude<CommandName, "whisper">, rest: string): Promise<void> {
  const { actions, desk, stop } = means;
  switch (name) {
    case "invite":
      return rest === "" ? desk.open("invite") : actions.invite(rest);
    case "rename":
      return rest === "" ? desk.open("rename") : actions.rename(rest);
    case "hand":
      await actions.raiseHand();
      return desk.toast("Your hand is raised");
    case "yield":
      await actions.yieldFloor();
      return desk.toast("You gave the floor back");
    case "stop":
      return stop();
    case "leave":
      return actions.leave();
    case "help":
      return desk.open("help");
  }
}

function useStop(): Pick<Sending, "stop" | "isStopping"> {
  const { actions } = useScene();
  const desk = useDesk();
  const [isStopping, setStopping] = useState(false);
  const stop = () => {
    setStopping(true);
    actions
      .stop()
      .then(
        () => desk.announce("Stopped"),
        (error: unknown) => desk.toast(error instanceof Error ? error.message : "That did not stop.", "error"),
      )
      .finally(() => setStopping(false));
  };
  return { stop, isStopping };
}

/** Whoever said something may have turned to another conversation before the floor refused it. */
function useIsHere(): RefObject<boolean> {
  const isHere = useRef(true);
  useEffect(() => {
    isHere.current = true;
    return () => {
      isHere.current = false;
    };
  }, []);
  return isHere;
}
