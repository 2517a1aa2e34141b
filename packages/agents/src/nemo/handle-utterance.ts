import { foldUri, isSameUri, replyIn } from "@plenary/protocol";
import type { Answer, StreamPart, UtteranceInput } from "@plenary/sdk";
import { addressingOf, answerToNoText } from "../addressing.ts";
import { keepNewest } from "../keep-newest.ts";
import { answerRequestFor, mayAnswer } from "../llm/answer-policy.ts";
import { isUnreadable, unreadWords } from "../media.ts";
import { answerIn, answerInText, type PromptAnswer } from "./prompts.ts";
import { askPrompt, notice, type ReplyContext, runUntilPause, stopRun } from "./run-until-pause.ts";
import {
  isWaiting,
  type NemoContext,
  type NemoState,
  type QueuedUtterance,
  type Session,
  sessionOf,
  type WaitingRun,
  waitingRunOf,
} from "./session.ts";
import { mediaFor, replyContextOf, runSeparately, startRun } from "./start-run.ts";
import { cancelled, noLongerOpen, questionDropped, tooMany, waitsForAnother } from "./user-texts.ts";

type Utterance = UtteranceInput<NemoState>;

const queuedMax = 8;

export function handleUtterance(heard: Utterance, agent: NemoContext): Answer {
  const { state, sender } = heard;
  const request = answerRequestFor(heard, agent.config);
  const reply = replyIn(heard.dialogEvent);
  if (reply !== undefined) return handleReply(reply, heard, agent);
  const session = request && sessionOf(heard, agent);
  const mine = waitingRunOf(sender.speakerUri, session, state);
  if (mine !== undefined && request !== undefined && !isNewQuestion(mine, heard, agent)) {
    return handleTextAnswer(mine, { heard, request }, agent);
  }
  if (request === undefined) return answerToNoText(heard);
  if (!mayAnswer(request.kind, state, Date.now())) return undefined;
  return unreadableAnswer({ heard, request }, agent) ?? startOrQueue({ heard, request }, session, agent);
}

/** The answer to an utterance that has only media which the workflow cannot read. */
function unreadableAnswer({ heard, request }: UtteranceToAnswer, { config }: NemoContext): Answer {
  const media = mediaFor(heard.dialogEvent, config);
  if (!isUnreadable(media, heard.text)) return undefined;
  return request.kind === "agent" ? [] : heard.say(unreadWords(media, heard.text));
}

/** Tells the sender which media the workflow does not get. */
function* unreadNote({ heard, request }: UtteranceToAnswer, { config }: NemoContext): Generator<StreamPart> {
  const media = mediaFor(heard.dialogEvent, config);
  if (media.unread.length > 0 && request.kind !== "agent") yield heard.whisper(unreadWords(media, heard.text));
}

type UtteranceToAnswer = Pick<QueuedUtterance, "heard" | "request">;

/** Starts a run if the session is free; otherwise the utterance waits. */
function startOrQueue({ heard, request }: UtteranceToAnswer, session: Session | undefined, agent: NemoContext): Answer {
  const isByAgent = request.kind === "agent";
  if (session === undefined) return isByAgent ? undefined : heard.whisper(tooMany);
  const { run } = session;
  const isFree = run === undefined || (isWaiting(run) && !isOpen(run));
  if (isFree) return startFresh({ heard, request, session }, agent);
  queueUtterance({ heard, request, session });
  return isWaiting(run) && !isByAgent ? heard.whisper(waitsForAnother) : undefined;
}

type Reply = NonNullable<ReturnType<typeof replyIn>>;

/** A reply by feature, which names its question. */
function handleReply({ id, values, isLapsed }: Reply, heard: Utterance, agent: NemoContext): Answer {
  const { state, sender, whisper } = heard;
  const runs = [...state.sessions.values()].map(({ run }) => run);
  const asked = runs.filter(isWaiting).find(({ waiting }) => waiting.askedId === id);
  if (isLapsed) return asked !== undefined && isTimeUp(asked, agent) ? handleExpiry(asked, heard, agent) : undefined;
  if (asked !== undefined) {
    const isMine = isSameUri(asked.asker, sender.speakerUri);
    return isMine ? handleAnswer(asked, answerIn(asked.waiting.prompt, values, heard.text), heard, agent) : undefined;
  }
  const isOurs = heard.isAddressed || state.questions.has(id);
  return isOurs ? whisper(state.questions.get(id) ?? noLongerOpen) : undefined;
}

/** Keeps only the newest utterance of each speaker: earlier ones are in the history. */
function queueUtterance(queued: QueuedUtterance): void {
  const { heard, request, session } = queued;
  const key = JSON.stringify([foldUri(heard.sender.speakerUri), request.whisperer]);
  keepNewest(session.queued, key, queued, queuedMax);
}

/** Consent is given in a browser: the workflow may have continued or ended before the person says so. */
function isOpen({ session, waiting: { prompt } }: WaitingRun): boolean {
  return session.client?.isOpen(prompt.kind === "consent" ? prompt.kind : prompt.number) === true;
}

/** Text after the prompt's time that is no valid choice is a new question. */
function isNewQuestion(run: WaitingRun, heard: Utterance, { config }: NemoContext): boolean {
  const { prompt } = run.waiting;
  if (isOpen(run)) return false;
  const isText = prompt.kind === "prompt" && prompt.content.inputType === "text";
  return isText || "problem" in answerInText(prompt, heard.text, afterName(heard, config.name));
}

/** The text after a leading `@Name`. */
function afterName(heard: Utterance, name: string): string | undefined {
  const said = heard.text.trim();
  const { text } = addressingOf(heard, name);
  return said.startsWith("@") && text !== said && said.endsWith(text) ? text : undefined;
}

/** Plain text to a waiting run: an answer, an invalid answer, or something else, which drops the prompt. */
function handleTextAnswer(run: WaitingRun, utterance: UtteranceToAnswer, agent: NemoContext): Answer {
  const { heard, request } = utterance;
  const rest = afterName(heard, agent.config.name);
  const given = answerInText(run.waiting.prompt, heard.text, rest);
  const isStray = "problem" in given && !given.isMeant;
  const isElse = isStray && ((rest ?? "") !== "" || (run.hadUnrelatedText && !run.isByAgent));
  if (isElse) return mayAnswer(request.kind, heard.state, Date.now()) ? leavePrompt(run, utterance, agent) : undefined;
  run.hadUnrelatedText ||= isStray;
  return handleAnswer(run, given, heard, agent);
}

async function* leavePrompt(
  run: WaitingRun,
  { heard, request }: UtteranceToAnswer,
  agent: NemoContext,
): AsyncGenerator<StreamPart> {
  const { askedId } = run.waiting;
  stopRun(run);
  yield notice(questionDropped, run, heard, askedId);
  const session = sessionOf(heard, agent);
  if (session === undefined) return yield heard.whisper(tooMany);
  yield* startFresh({ heard, request, session }, agent);
  if (run.session !== session) yield* runQueued(replyContextOf(heard, agent), run.session, agent);
}

function handleAnswer(run: WaitingRun, given: PromptAnswer, heard: Utterance, agent: NemoContext): Answer {
  const { state, whisper } = heard;
  const { prompt } = run.waiting;
  if (prompt.kind === "prompt" && !isOpen(run)) return expirePrompt(run, heard, replyContextOf(heard, agent), agent);
  if ("problem" in given) {
    // Prevents an endless loop between two agents.
    const mayAsk = mayAnswer(heard.speakerKind(run.asker), state, Date.now());
    return mayAsk ? askPrompt(prompt, run, replyContextOf(heard, agent), agent, given.problem) : undefined;
  }
  if (prompt.kind === "consent" && given.values[0] === "cancel") {
    stopRun(run);
    return whisper(cancelled);
  }
  return resumeRun(run, given.values, heard, agent);
}

/** The run continues as the answer to this utterance. */
async function* resumeRun(
  run: WaitingRun,
  values: readonly string[],
  heard: Utterance,
  agent: NemoContext,
): AsyncGenerator<StreamPart> {
  const context = replyContextOf(heard, agent);
  const { prompt } = run.waiting;
  // The client refuses the answer if the time of the prompt is up.
  const isAccepted = prompt.kind === "consent" || run.session.client?.answer(prompt.number, values) === true;
  if (!isAccepted) return yield* expirePrompt(run, heard, context, agent);
  Object.assign(run, { waiting: undefined, hadUnrelatedText: false });
  yield* runUntilPause(run, context, agent);
  yield* runQueued(context, run.session, agent);
}

async function* startFresh(queued: QueuedUtterance, agent: NemoContext): AsyncGenerator<StreamPart> {
  const { heard, session } = queued;
  const { run } = session;
  const context = replyContextOf(heard, agent);
  if (isWaiting(run)) yield* expirePrompt(run, heard, context, agent);
  // The workflow continued without an answer and asks the next question.
  if (session.run !== undefined) return queueUtterance(queued);
  yield* unreadNote(queued, agent);
  yield* runUntilPause(startRun(queued, agent), context, agent);
  yield* runQueued(context, session, agent);
}

/** Tells the asker that the time of the prompt is up, and streams what the workflow does without an answer. */
async function* expirePrompt(
  run: WaitingRun,
  heard: Utterance,
  context: ReplyContext,
  agent: NemoContext,
): AsyncGenerator<StreamPart> {
  const { prompt } = run.waiting;
  if (prompt.kind === "prompt") yield heard.whisper(prompt.content.error, run.asker);
  yield* continueUnanswered(run, heard, context, agent);
}

async function* continueUnanswered(
  run: WaitingRun,
  heard: Utterance,
  context: ReplyContext,
  agent: NemoContext,
): AsyncGenerator<StreamPart> {
  Object.assign(run, { waiting: undefined, isExpired: run.waiting.prompt.kind === "prompt" });
  const whispering = { ...context, whisperer: run.asker };
  yield* runSeparately(run, (text) => heard.whisper(text, run.asker), whispering, agent);
}

/** The clock of the floor may be a little ahead. */
const aheadMs = 2_000;

function isTimeUp({ waiting: { prompt } }: WaitingRun, { config }: NemoContext): boolean {
  return prompt.kind === "prompt" && prompt.untilMs - config.clock.now() <= aheadMs;
}

/** The floor reports that the prompt got no answer. The asker knows that, and gets only the output of the workflow. */
async function* handleExpiry(run: WaitingRun, heard: Utterance, agent: NemoContext): AsyncGenerator<StreamPart> {
  const context = replyContextOf(heard, agent);
  yield* continueUnanswered(run, heard, context, agent);
  yield* runQueued(context, run.session, agent);
}

/** Runs the waiting utterances within the time that is left, so that a slow run does not cost the answer before it. */
async function* runQueued(context: ReplyContext, session: Session, agent: NemoContext): AsyncGenerator<StreamPart> {
  for (const [key, queued] of [...session.queued]) {
    if (session.run !== undefined || context.signal.aborted || !session.queued.delete(key)) return;
    const { conversation, say, whisper, sender } = queued.heard;
    // A floor takes public text in the answer to a whisper for a part of that answer, so these answers are private too.
    const isPublic = context.whisperer === undefined && queued.request.whisperer === undefined;
    const whispering = { ...context, conversation, whisperer: isPublic ? undefined : sender.speakerUri };
    yield* unreadNote(queued, agent);
    yield* runSeparately(startRun(queued, agent), isPublic ? say : (text) => whisper(text), whispering, agent);
  }
}
