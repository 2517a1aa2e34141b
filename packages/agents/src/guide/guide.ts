import { setTimeout as pause } from "node:timers/promises";
import { type Conversation, type EventOf, isSameUri } from "@plenary/protocol";
import { type Agent, type Answer, createAgent, type HandlerInput, type UtteranceInput } from "@plenary/sdk";
import { addressingOf } from "../addressing.ts";
import { manifestOf, type ReadyMadeOptions } from "../identity.ts";
import { keepNewest } from "../keep-newest.ts";
import { askKnowledge, isQuestion } from "./knowledge.ts";
import { atEnd, atStart, type LearnerAction, nextLessonStep, type Progress } from "./lesson.ts";
import { examples, greeting, menu } from "./lesson-texts.ts";
import { termsOf } from "./terms.ts";

const name = "Guide";

type GuideOptions = ReadyMadeOptions & {
  /** How long an answer takes. The answer that shows how to stop an agent has its own, longer time. */
  spokenMs?: number;
};

/** Teaches people to use the floor in small steps, and answers questions about it from its documents. It answers no agents. */
export function createGuide({ spokenMs = 1_200, ...options }: GuideOptions = {}): Agent {
  const manifest = manifestOf(
    {
      name: "guide",
      conversationalName: name,
      synopsis: "Shows you how an open floor works, and answers questions about it.",
      keyphrases: ["guide", "tutorial", "lesson", "help", "welcome", "open floor", "plenary", "specification"],
      descriptions: [
        "teaches newcomers to speak to everyone, to one and in private, and to pass the floor",
        "answers questions about the Open Floor specifications and about Plenary, and names the section",
      ],
      languages: ["en"],
    },
    options,
  );
  return createAgent<LessonState>({
    manifest,
    newState: newLessonState,
    onInvite: greetHost,
    async onUtterance(heard) {
      const { event, isAddressed, isWithInvite, reply } = heard;
      // The last utterance of an invite's history: the greeting has answered it.
      if (isWithInvite && isAddressed && event.to === undefined) return undefined;
      const { how, text, isAlone } = actionOf(heard);
      const choice = reply?.values[0];
      const action = { how, text, ...(choice !== undefined && { choice }) };
      const answer = await answerTo(action, heard, spokenMs);
      // Text to everyone is part of the lesson. If no other agent is there, it is also for the guide.
      return answer === undefined && isAlone ? answerTo({ ...action, how: "toGuide" }, heard, spokenMs) : answer;
    },
    onOverheard(heard) {
      const { event, hasFloor } = heard;
      // Without the floor no one would hear the answer, so the lesson waits.
      if (event.eventType !== "utterance" || event.to === undefined || !hasFloor) return undefined;
      return answerTo({ how: "toAnother", text: "" }, heard, spokenMs);
    },
  });
}

function greetHost({ sender, state }: HandlerInput<LessonState, EventOf<"invite">>): Answer {
  state.host ??= sender.speakerUri;
  return greeting;
}

function actionOf(heard: UtteranceInput<LessonState>): Pick<LearnerAction, "how" | "text"> & { isAlone: boolean } {
  const { call, isPerson, isAlone, text } = addressingOf(heard, name);
  if (heard.isPrivate) return { how: "whispered", text, isAlone };
  if (call === "called") return { how: isAlone ? "toEveryone" : "toGuide", text, isAlone };
  // The host may be an agent: its text to everyone counts like a person's (see isLearner).
  return { how: call === "open" || !isPerson ? "toEveryone" : "toAnother", text, isAlone };
}

async function answerTo(
  { how, text, choice }: Pick<LearnerAction, "how" | "text" | "choice">,
  heard: HandlerInput<LessonState>,
  spokenMs: number,
): Promise<Answer> {
  const { state, signal, ask, speakerUri, speakerKind } = heard;
  if (!isLearner(speakerUri, heard, state)) return undefined;
  const asked = choice ?? text;
  const isAsked = how === "toEveryone" ? choice !== undefined || isQuestion(text) : how !== "toAnother";
  const known = isAsked ? await askKnowledge(asked) : undefined;
  const turn = nextLessonStep(progressOf(state, speakerUri), {
    how,
    text,
    isPerson: speakerKind(speakerUri) !== "agent",
    agents: agentsHere(heard),
    people: peopleHere(heard),
    isForAnother: isForAnother(text, heard),
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

/** Clients show the text of a question without rendering Markdown. */
function unmarked(text: string): string {
  return text.replaceAll(/\*\*|`|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, "");
}

/** Streams the text word by word, in about `lastsMs` in all. */
export async function* wordByWord(text: string, lastsMs: number, signal: AbortSignal): AsyncGenerator<string> {
  const words = text.match(/\S+\s*/gu) ?? [];
  for (const word of words) {
    await pause(lastsMs / words.length, undefined, { signal });
    yield word;
  }
}

/** The guide's state of one conversation. */
export type LessonState = {
  /** The sender of the invite. Undefined after a restart: then the guide starts no lesson and only answers. */
  host: string | undefined;
  progress: Map<string, Progress>;
};

const peopleMax = 64;

export function newLessonState(): LessonState {
  return { host: undefined, progress: new Map() };
}

export function progressOf({ host, progress }: LessonState, speakerUri: string): Progress {
  return progress.get(speakerUri) ?? (host === undefined ? atEnd : atStart);
}

/** The person who was silent for longest is dropped first. */
export function keepProgress({ progress }: LessonState, speakerUri: string, reached: Progress): void {
  keepNewest(progress, speakerUri, reached, peopleMax);
}

export type ConversationView = Pick<HandlerInput<unknown>, "conversation" | "speakerKind">;

/** The sender of the invite is a learner even if it is an agent: it asked for the guide. */
export function isLearner(speakerUri: string, { speakerKind }: ConversationView, { host }: LessonState): boolean {
  return (host !== undefined && isSameUri(host, speakerUri)) || speakerKind(speakerUri) !== "agent";
}

type Identification = NonNullable<Conversation["conversants"]>[number]["identification"];

function otherAgents({ conversation: { conversants = [] }, speakerKind }: ConversationView): Identification[] {
  return conversants
    .map(({ identification }) => identification)
    .filter((one) => nameOf(one) !== "Guide" && speakerKind(one.speakerUri) === "agent");
}

/** Names of the other agents that have the floor, as far as that is known. Agents with an example question come first. */
export function agentsHere(room: ConversationView): string[] {
  const { conversation } = room;
  const names = otherAgents(room)
    .filter(({ speakerUri }) => conversation.floorGranted?.includes(speakerUri) !== false)
    .map(nameOf)
    .filter(isSpeakable);
  const known = Object.keys(examples).filter((name) => names.includes(name));
  return [...new Set([...known, ...names])];
}

/** Names of the people, each once. */
export function peopleHere({ conversation: { conversants = [] }, speakerKind }: ConversationView): string[] {
  const people = conversants.filter(({ identification }) => speakerKind(identification.speakerUri) !== "agent");
  return [...new Set(people.map(({ identification }) => identification.conversationalName).filter(isSpeakable))];
}

/** Until the name of a new agent arrives, its address stands in for it. */
function nameOf({ conversationalName, serviceUrl }: Identification): string {
  const [, name = ""] = /\/agents\/([a-z]+)$/u.exec(serviceUrl) ?? [];
  if (conversationalName !== "" && conversationalName !== name) return conversationalName;
  return `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
}

/** Speakers choose their own names, so a name must not be able to change the guide's text. */
function isSpeakable(name: string): boolean {
  return /^\p{L}[\p{L}\p{N} ._-]{0,39}$/u.test(name);
}

/** Whether the synopsis of another agent mentions the subject. Any other agent may be the one for numbers. */
export function isForAnother(text: string, room: ConversationView): boolean {
  const others = otherAgents(room);
  if (/\d/u.test(text)) return others.length > 0;
  const said = termsOf(text);
  return others.some(({ synopsis }) => termsOf(synopsis).some((term) => said.includes(term)));
}
