import { type Agent, type Answer, createAgent, type UtteranceInput } from "@plenary/sdk";
import { type Addressing, addressingOf, noAnswerText } from "../addressing.ts";
import { manifestOf, type ReadyMadeOptions } from "../identity.ts";
import { keepNewest } from "../keep-newest.ts";
import {
  continueInterview,
  example,
  type Interview,
  type InterviewStep,
  type Item,
  isClearAnswer,
  itemOf,
  requestIn,
  rules,
  type Script,
  startInterview,
} from "./interview.ts";

/** `askedId`: the dialog event of the open question. */
type OngoingInterview = { interview: Interview; askedId: string; isPrivate: boolean };
/** By speakerUri. */
type Interviews = Map<string, OngoingInterview>;
type Utterance = UtteranceInput<Interviews>;

const name = "Interviewer";
const apology = `I ask questions: say \`interview me\`, or bring your own, as in ${example}.`;
const tooLate = "That question is no longer open. Say `interview me` to begin again.";
const howTo = `Tell me what to ask, as in ${example}.`;
const pleaseWhisper = "This interview is private: please whisper your answer to me, so that only I can read it.";
const peopleMax = 64;

/** Interviews a person on request, one question at a time, and sums up the answers. */
export function createInterviewer(options: ReadyMadeOptions = {}): Agent {
  return createAgent<Interviews>({
    manifest: manifestOf(about, options),
    greeting: "Hello, I am Interviewer. Say `interview me`, and I ask you a few short questions.",
    newState: () => new Map(),
    onUtterance(heard) {
      const addressing = addressingOf(heard, name);
      const underway = heard.state.get(heard.speakerUri);
      const isChoice = heard.dialogEvent.features.interactionReply !== undefined;
      if (isChoice) return cardAnswer(heard, addressing, underway);
      const request = addressing.call === "none" ? undefined : requestIn(addressing.text);
      if (request?.kind === "howTo") return howTo;
      if (request !== undefined) return start(heard, request.script);
      if (underway !== undefined && isAnswer(addressing, underway))
        return textAnswer(heard, addressing, underway, [addressing.text]);
      return addressing.call === "called" && addressing.isPerson ? noAnswerText(addressing.text, apology) : undefined;
    },
  });
}

/** An answer on a question card names its question, which may be another person's or an old one. */
function cardAnswer(heard: Utterance, addressing: Addressing, underway: OngoingInterview | undefined): Answer {
  const { reply } = heard;
  if (reply !== undefined && reply.id === underway?.askedId)
    return textAnswer(heard, addressing, underway, reply.values);
  return addressing.call === "called" && addressing.isPerson ? tooLate : undefined;
}

function isAnswer({ call, text, isAlone }: Addressing, { interview, isPrivate }: OngoingInterview): boolean {
  const item = itemOf(interview);
  // Any text answers a text question, except a question back.
  if (call === "called") return !(isAlone && item?.inputType === "text" && text.endsWith("?"));
  return call === "open" && !isPrivate && item !== undefined && isClearAnswer(item, text);
}

function start(heard: Utterance, script: Script): Answer {
  const interview = startInterview(script);
  const item = itemOf(interview);
  if (item === undefined) return howTo;
  const introduction = heard.ask({ text: rules, inputType: "notification" });
  return [introduction, ask(heard, { kind: "ask", interview, item }, heard.isPrivate)];
}

function textAnswer(
  heard: Utterance,
  { call }: Addressing,
  underway: OngoingInterview,
  words: readonly string[],
): Answer {
  const { state, speakerUri, isPrivate, whisper } = heard;
  // A public summary would reveal the whispered answers.
  if (underway.isPrivate && !isPrivate) return call === "none" ? undefined : whisper(pleaseWhisper);
  const turn = continueInterview(underway.interview, words);
  if (turn.kind === "ask") return ask(heard, turn, underway.isPrivate || isPrivate);
  state.delete(speakerUri);
  return turn.text;
}

function ask({ ask, state, speakerUri }: Utterance, turn: InterviewStep & { kind: "ask" }, isPrivate: boolean) {
  const { interview, item, remark, error } = turn;
  const text = [remark, error, item.text].filter((part) => part !== undefined).join(" ");
  const event = ask({ ...questionOf(item), text, ...(error !== undefined && { error }) });
  const underway = { interview, askedId: event.parameters.dialogEvent.id, isPrivate };
  keepNewest(state, speakerUri, underway, peopleMax);
  return event;
}

function questionOf({ inputType, options, placeholder, isRequired }: Item) {
  return {
    inputType,
    options: options.map((label) => ({ label })),
    required: isRequired,
    ...(placeholder !== undefined && { placeholder }),
  };
}

const about = {
  name: "interviewer",
  conversationalName: name,
  synopsis: "Asks a person a few questions, one at a time, and sums up the answers.",
  keyphrases: [
    ...["interviewer", "interview", "questionnaire", "survey", "poll", "form", "questions", "feedback"],
    ...["multiple choice", "ask me", "onboarding"],
  ],
  descriptions: [
    "interviews a person with text, single and multiple choice, lists and yes or no, and sums up the answers",
    "asks questions that you bring along, with choices in parentheses",
  ],
  languages: ["en"],
};
