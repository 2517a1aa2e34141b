import type { EventOf } from "@plenary/protocol";
import { type Agent, type Answer, createAgent, type Heard, type HeardUtterance } from "@plenary/sdk";
import { heed } from "../addressing.ts";
import { manifestOf, type ReadyMadeOptions } from "../identity.ts";
import { createKnowledge, isQuestion, type Knowledge } from "./knowledge.ts";
import {
  agentsHere,
  isForAnother,
  isPupil,
  keepProgress,
  type Lesson,
  newLesson,
  peopleHere,
  progressOf,
} from "./people.ts";
import { type Deed, nextStep } from "./story.ts";
import { wordByWord } from "./word-by-word.ts";
import { greeting, menu } from "./words.ts";

const name = "Guide";

export type GuideOptions = ReadyMadeOptions & {
  /** How long it takes to say something, unless that is there to be stopped. */
  spokenMs?: number;
};

/** Teaches people the floor by letting them use it, and answers questions about it from its documents; answers no agents. */
export function createGuide({ spokenMs = 1_200, ...options }: GuideOptions = {}): Agent {
  const manifest = manifestOf(
    {
      name: "guide",
      conversationalName: name,
      synopsis: "Shows you how an open floor works, and answers questions about it.",
      capabilities: [
        {
          keyphrases: ["guide", "tutorial", "lesson", "help", "welcome", "open floor", "plenary", "specification"],
          descriptions: [
            "teaches newcomers to speak to everyone, to one and in private, and to pass the floor",
            "answers questions about the Open Floor specifications and about Plenary, and names the section",
          ],
          languages: ["en"],
          supportedLayers: { input: ["text"], output: ["text"] },
        },
      ],
    },
    options,
  );
  const tutor = { knowledge: createKnowledge(), spokenMs };
  return createAgent<Lesson>({
    manifest,
    newState: newLesson,
    onInvite: welcome,
    async onUtterance(heard) {
      const { event, isAddressed, isWithInvite, reply } = heard;
      // The end of the history in an invite: the greeting has answered it.
      if (isWithInvite && isAddressed && event.to === undefined) return undefined;
      const { how, text, isAlone } = deedOf(heard);
      const choice = reply?.values[0];
      const deed = { how, text, ...(choice !== undefined && { choice }) };
      const answer = await answerTo(deed, heard, tutor);
      // Words to everyone are part of the lesson; where nobody else is there they are also for the guide.
      return answer === undefined && isAlone ? answerTo({ ...deed, how: "toGuide" }, heard, tutor) : answer;
    },
    onOverheard(heard) {
      const { event, hasFloor } = heard;
      // Without the floor it would not be heard, and the lesson waits.
      if (event.eventType !== "utterance" || event.to === undefined || !hasFloor) return undefined;
      return answerTo({ how: "toAnother", text: "" }, heard, tutor);
    },
  });
}

function welcome({ sender, state }: Heard<Lesson, EventOf<"invite">>): Answer {
  state.host ??= sender.speakerUri;
  return greeting;
}

function deedOf(heard: HeardUtterance<Lesson>): Pick<Deed, "how" | "text"> & { isAlone: boolean } {
  const { call, isPerson, isAlone, text } = heed(heard, name);
  if (heard.isPrivate) return { how: "whispered", text, isAlone };
  if (call === "called") return { how: isAlone ? "toEveryone" : "toGuide", text, isAlone };
  // Of somebody who is no person to everyone else, the host is the only one that is answered.
  return { how: call === "open" || !isPerson ? "toEveryone" : "toAnother", text, isAlone };
}

async function answerTo(
  { how, text, choice }: Pick<Deed, "how" | "text" | "choice">,
  heard: Heard<Lesson>,
  { knowledge, spokenMs }: { knowledge: Knowledge; spokenMs: number },
): Promise<Answer> {
  const { state, signal, ask, speakerUri, speakerKind } = heard;
  if (!isPupil(speakerUri, heard, state)) return undefined;
  const asked = choice ?? text;
  const isAsked = how === "toEveryone" ? choice !== undefined || isQuestion(text) : how !== "toAnother";
  const known = isAsked ? await knowledge.ask(asked) : undefined;
  const turn = nextStep(progressOf(state, speakerUri), {
    ...{
      how,
      text,
      isPerson: speakerKind(speakerUri) !== "agent",
      agents: agentsHere(heard),
      people: peopleHere(heard),
      isForAnother: isForAnother(text, heard),
    },
    ...(choice !== undefined && { choice }),
    ...(known && { known }),
  });
  keepProgress(state, speakerUri, turn.state);
  const { answer } = turn;
  if (answer === undefined) return undefined;
  if (!answer.asks) return wordByWord(answer.text, answer.lastsMs ?? spokenMs, signal);
  const headings = answer.headings.map((heading) => ({ value: heading, label: heading }));
  return ask({
    text: unmarked(answer.text),
    options: [...headings, ...menu.map(({ value, label }) => ({ value, label }))],
  });
}

/** A question is shown as it is written, on a card or in a list: Markdown would be seen in it. */
function unmarked(text: string): string {
  return text.replaceAll(/\*\*|`|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, "");
}
