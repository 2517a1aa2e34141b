import { declineInvite, type EventOf } from "@plenary/protocol";
import { type Agent, type Answer, createAgent, type Heard } from "@plenary/sdk";
import { manifestOf, type ReadyMadeOptions } from "../identity.ts";
import { isEchoHere, isPerson, keepProgress, type Lesson, newLesson, progressOf } from "./people.ts";
import { type Deed, nextStep } from "./story.ts";
import { wordByWord } from "./word-by-word.ts";
import { greeting, menu } from "./words.ts";

/** Teaches people the floor by letting them use it; answers nobody else. */
export function createGuide(options: ReadyMadeOptions = {}): Agent {
  const manifest = manifestOf(
    {
      name: "guide",
      conversationalName: "Guide",
      synopsis: "Shows you, step by step, how an open floor works.",
      capabilities: [
        {
          keyphrases: ["guide", "tutorial", "lesson", "help", "welcome", "open floor"],
          descriptions: ["teaches newcomers to speak to everyone, to one and in private, and to pass the floor"],
          supportedLayers: { input: ["text"], output: ["text"] },
        },
      ],
    },
    options,
  );
  return createAgent<Lesson>({
    manifest,
    newState: newLesson,
    onInvite: welcome,
    onUtterance(heard) {
      const { event, isAddressed, isPrivate, text, reply } = heard;
      // What came along with the invite: the greeting has answered it.
      if (isAddressed && event.to === undefined) return undefined;
      const how = isPrivate ? "whispered" : isAddressed ? "toGuide" : "toEveryone";
      const choice = reply?.values[0];
      return answerTo({ how, text, ...(choice !== undefined && { choice }) }, heard);
    },
    onOverheard(heard) {
      const { event, hasFloor } = heard;
      // Without the floor it would not be heard, and the lesson waits.
      if (event.eventType !== "utterance" || event.to === undefined || !hasFloor) return undefined;
      return answerTo({ how: "toAnother", text: "" }, heard);
    },
  });
}

function welcome({ event, sender, state }: Heard<Lesson, EventOf<"invite">>): Answer {
  if ((event.parameters?.expectedFloorRoles ?? []).length > 0) {
    return declineInvite({ to: { speakerUri: sender.speakerUri }, reason: "@roleRejected" });
  }
  state.host ??= sender.speakerUri;
  return greeting;
}

function answerTo(deed: Omit<Deed, "isEchoHere">, { sender, conversation, state, signal, ask }: Heard<Lesson>): Answer {
  const { speakerUri } = sender;
  if (!isPerson(speakerUri, conversation, state)) return undefined;
  const turn = nextStep(progressOf(state, speakerUri), { ...deed, isEchoHere: isEchoHere(conversation) });
  keepProgress(state, speakerUri, turn.state);
  const { answer } = turn;
  if (answer === undefined) return undefined;
  if (!answer.asks) return wordByWord(answer.text, answer.lastsMs, signal);
  return ask({ text: answer.text, options: menu.map(({ value, label }) => ({ value, label })) });
}
