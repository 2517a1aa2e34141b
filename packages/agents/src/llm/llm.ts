import { declineInvite, type EventOf, isSameUri, textOf, utterance } from "@plenary/protocol";
import {
  type Agent,
  type Answer,
  createAgent,
  type HandlerInput,
  type ReadHistory,
  type StreamPart,
  type UtteranceInput,
} from "@plenary/sdk";
import { answerToNoText } from "../addressing.ts";
import { manifestOf, type ReadyMadeOptions } from "../identity.ts";
import { isUnreadable, type Medium, mediaIn, type Sorted, sortedBy, unreadWords, wordsOf } from "../media.ts";
import type { AnswerStream } from "./answer-parts.ts";
import { type AnswerRequest, answerRequestFor, greetingOf, mayAnswer } from "./answer-policy.ts";
import { completeWith } from "./completion.ts";
import {
  type HistoryLine,
  historyBefore,
  type LlmState,
  newMemory,
  recordHeard,
  recordInvite,
  recordOwn,
  whisperedWith,
} from "./history.ts";
import { type Message, messagesFor, namesIn, type Prompt, plainName } from "./prompt.ts";
import { type LlmConfig, type LlmSettings, llmConfigOf } from "./settings.ts";
import { cancelAnswer, filterOutput, firstPart, outOfDomain, startAnswer, streamAnswer } from "./stream-answer.ts";

type LlmContext = LlmConfig & { speakerUri: string; readHistory: ReadHistory | undefined };

/** Any model behind an OpenAI-compatible endpoint, as a conversant. */
export function createLlm(settings: LlmSettings & ReadyMadeOptions): Agent {
  const mind = llmConfigOf(settings);
  const manifest = llmManifest(mind, settings);
  const { speakerUri } = manifest.identification;
  const self: LlmContext = { ...mind, speakerUri, readHistory: settings.readHistory };
  return createAgent<LlmState>({
    manifest,
    greeting: greetingOf(mind),
    newState: () => ({ ...newMemory(), started: undefined }),
    onError: mind.onError,
    onInvite: (heard) => handleInvite(heard, self),
    onUtterance(heard) {
      recordHeard(heard, self);
      return handleUtterance(heard, self);
    },
    onOverheard(heard) {
      recordHeard(heard, self);
      return undefined;
    },
  });
}

function llmManifest({ name, model, takes }: LlmConfig, options: ReadyMadeOptions) {
  // Several may run on one machine, each without knowing its own address.
  const own = options.serviceUrl === undefined ? `llm-${name.toLowerCase().replaceAll(/[^a-z\d]+/gu, "-")}` : "llm";
  return manifestOf(
    {
      name: own,
      conversationalName: name,
      synopsis: `Answers with the language model ${model}.`,
      keyphrases: ["llm", "language model", "chat", name],
      descriptions: ["answers questions in free text"],
      input: takes,
    },
    options,
  );
}

/** Spec 1.15: an agent that is invited for a task outside its domain declines, so that another can be invited. */
async function handleInvite(heard: HandlerInput<LlmState, EventOf<"invite">>, self: LlmContext): Promise<Answer> {
  const { event, state, sender } = heard;
  recordInvite(heard);
  state.started = undefined;
  const task = self.instructions === undefined ? undefined : event.parameters?.dialogHistory?.at(-1);
  if (task === undefined || isSameUri(task.speakerUri, self.speakerUri)) return undefined;
  const text = textOf(task);
  const along = { event: utterance(task), isAddressed: true, isWithInvite: true, dialogEvent: task, text };
  const request = answerRequestFor({ ...heard, ...along }, self);
  if (request === undefined) return undefined;
  const { answer } = await askModel(
    { question: { ...task, text: wordsOf(text, mediaIn(task)) }, media: noMedia, request },
    heard,
    self,
  );
  state.started = { id: task.id, answer };
  const beginning = await firstPart(answer, self.timeouts.patienceMs);
  if (beginning?.kind !== "outOfDomain") return undefined;
  cancelAnswer(answer);
  return declineInvite({ to: { speakerUri: sender.speakerUri }, reason: outOfDomain });
}

async function handleUtterance(heard: UtteranceInput<LlmState>, self: LlmContext): Promise<Answer> {
  const { state, dialogEvent, text, say } = heard;
  const request = answerRequestFor(heard, self);
  const started = takeStarted(state, dialogEvent.id);
  if (request === undefined || !mayAnswer(request.kind, state, Date.now())) {
    if (started !== undefined) cancelAnswer(started);
    return answerToNoText(heard);
  }
  const media = sortedBy((medium) => isReadable(medium, self), mediaIn(dialogEvent));
  const words = wordsOf(text, mediaIn(dialogEvent));
  const question = { id: dialogEvent.id, speakerUri: request.asker, text: words, ...whisperedWith(request.whisperer) };
  if (isUnreadable(media, text)) return request.kind === "agent" ? undefined : unreadWords(media, text);
  const asked =
    started === undefined ? await askModel({ question, media, request }, heard, self) : { answer: started, media };
  const answer = await streamAnswer(asked.answer, {
    request,
    say,
    patienceMs: self.timeouts.patienceMs,
    onEnd(said, ending) {
      if (ending.kind === "failed") self.onError(ending.error);
      recordOwn(said, request.whisperer, heard, self);
    },
  });
  return request.kind === "agent" ? answer : withUnreadNote(answer, asked, heard);
}

/** A model gets sound only as data, not as a link, and never gets video. */
function isReadable({ kind, data }: Medium, { takes }: LlmContext): boolean {
  return takes.includes(kind) && (kind === "image" || (kind === "audio" && data !== undefined));
}

/** After the answer, a whisper tells the sender which media the model did not read. */
function withUnreadNote(answer: Answer, asked: Pick<ModelAnswer, "media">, heard: UtteranceInput<LlmState>): Answer {
  if (asked.media.read.length + asked.media.unread.length === 0) return answer;
  return noted();
  async function* noted(): AsyncGenerator<StreamPart> {
    if (typeof answer === "string") yield answer;
    else if (answer !== undefined && Symbol.asyncIterator in answer) yield* answer;
    else if (answer !== undefined) yield* [answer].flat();
    // Known only now: the model may have rejected the media.
    const { media } = asked;
    if (media.unread.length > 0) yield heard.whisper(unreadWords(media, heard.text));
  }
}

/** The answer that was started with the invite, if it answers this utterance. An answer to another one is cancelled. */
function takeStarted(state: LlmState, id: string): AnswerStream | undefined {
  const { started } = state;
  state.started = undefined;
  if (started === undefined || started.id === id) return started?.answer;
  cancelAnswer(started.answer);
  return undefined;
}

type ModelQuestion = { question: HistoryLine; media: Sorted; request: AnswerRequest };

/** `media` changes when the model rejects them. */
type ModelAnswer = { answer: AnswerStream; media: Sorted };

const noMedia: Sorted = { read: [], unread: [] };

async function askModel(
  { question, media, request }: ModelQuestion,
  heard: HandlerInput<LlmState>,
  self: LlmContext,
): Promise<ModelAnswer> {
  const { signal } = heard;
  const mayDecline = self.instructions !== undefined || request.call === "open";
  const history = await historyBefore(question, request, heard, self);
  const messages = promptFor({ question, request, history, mayDecline }, heard, self);
  const asked = { media };
  const parts = completeWith(self, { messages, media: media.read, signal }, () => {
    asked.media = { read: [], unread: [...media.read, ...media.unread] };
  });
  const answer = startAnswer(filterOutput(parts, { name: self.name, mayDecline }), signal);
  return Object.assign(asked, { answer });
}

function promptFor(
  {
    question,
    request,
    history,
    mayDecline,
  }: Pick<Prompt, "question" | "history" | "mayDecline"> & { request: AnswerRequest },
  { conversation, speakerKind }: HandlerInput<LlmState>,
  self: LlmContext,
): Message[] {
  const name = plainName(self.name);
  const nameOf = namesIn(conversation, name);
  const isMe = (speakerUri: string) => isSameUri(speakerUri, self.speakerUri);
  const others = (conversation.conversants ?? []).map(({ identification }) => identification.speakerUri);
  return messagesFor({
    name,
    question,
    history,
    mayDecline,
    nameOf,
    isMe,
    instructions: self.instructions,
    present: others
      .filter((speakerUri) => !isMe(speakerUri))
      .map((speakerUri) => ({ name: nameOf(speakerUri), isPerson: speakerKind(speakerUri) !== "agent" })),
    asker: { name: nameOf(request.asker), isPerson: request.kind !== "agent" },
    manner: request.whisperer !== undefined ? "whispered" : request.call === "open" ? "open" : "called",
    charactersMax: self.historyMax.characters,
  });
}
