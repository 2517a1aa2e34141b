import { foldUri, isSameUri, replyIn } from "@plenary/protocol";
import type { Answer, HeardUtterance, Streamed } from "@plenary/sdk";
import { keepNewest } from "../keep-newest.ts";
import { answerRequestFor, mayAnswer } from "../llm/answer-policy.ts";
import { answerToNoText, heed } from "../manners.ts";
import { isWordless, unreadWords } from "../media.ts";
import { answerIn, answerInText, type PromptAnswer } from "./prompts.ts";
import { askPrompt, type NemoContext, notice, type ReplyContext, runUntilPause, stopRun } from "./run-until-pause.ts";
import { sessionOf, waitingRunOf } from "./session.ts";
import { replyContextOf, runSeparately, startRun } from "./start-run.ts";
import { isWaiting, type NemoState, type QueuedUtterance, type Session, type WaitingRun } from "./state.ts";
import { mediaFor } from "./turn-request.ts";
import { cancelled, noLongerOpen, questionDropped, tooMany, waitsForAnother } from "./user-texts.ts";

type Utterance = HeardUtterance<NemoState>;

const queuedMax = 8;

export function handleUtterance(heard: Utterance, self: NemoContext): Answer {
  const { state, sender } = heard;
  const request = answerRequestFor(heard, self.bridge);
  const reply = replyIn(heard.dialogEvent);
  if (reply !== undefined) return handleReply(reply, heard, self);
  const session = request && sessionOf(heard, self);
  const mine = waitingRunOf(sender.speakerUri, session, state);
  if (mine !== undefined && request !== undefined && !isNewQuestion(mine, heard, self)) {
    return handleTextAnswer(mine, { heard, request }, self);
  }
  if (request === undefined) return answerToNoText(heard);
  if (!mayAnswer(request.kind, state, Date.now())) return undefined;
  return unreadableAnswer({ heard, request }, self) ?? startOrQueue({ heard, request }, session, self);
}

/** Nothing of it is anything that the workflow could be told. */
function unreadableAnswer({ heard, request }: UtteranceToAnswer, { bridge }: NemoContext): Answer {
  const media = mediaFor(heard.dialogEvent, bridge);
  const isNothing = media.unread.length > 0 && media.read.length === 0 && isWordless(heard.text, media.unread);
  if (!isNothing) return undefined;
  return request.kind === "agent" ? [] : heard.say(unreadWords(media, heard.text));
}

/** Whoever sent it learns what of it the workflow was not told. */
function* unreadNote({ heard, request }: UtteranceToAnswer, { bridge }: NemoContext): Generator<Streamed> {
  const media = mediaFor(heard.dialogEvent, bridge);
  if (media.unread.length > 0 && request.kind !== "agent") yield heard.whisper(unreadWords(media, heard.text));
}

type UtteranceToAnswer = Pick<QueuedUtterance, "heard" | "request">;

/** Something new, answered at once where the session is free. */
function startOrQueue({ heard, request }: UtteranceToAnswer, session: Session | undefined, self: NemoContext): Answer {
  const isByAgent = request.kind === "agent";
  if (session === undefined) return isByAgent ? undefined : heard.whisper(tooMany);
  const { run } = session;
  const isFree = run === undefined || (isWaiting(run) && !isOpen(run));
  if (isFree) return startFresh({ heard, request, session }, self);
  queueUtterance({ heard, request, session });
  return isWaiting(run) && !isByAgent ? heard.whisper(waitsForAnother) : undefined;
}

type Reply = NonNullable<ReturnType<typeof replyIn>>;

/** By choosing: it names its question. */
function handleReply({ id, values, isLapsed }: Reply, heard: Utterance, self: NemoContext): Answer {
  const { state, sender, whisper } = heard;
  const talks = [...state.sessions.values()].map(({ run }) => run);
  const asked = talks.filter(isWaiting).find(({ waiting }) => waiting.askedId === id);
  if (isLapsed) return asked !== undefined && isTimeUp(asked, self) ? handleExpiry(asked, heard, self) : undefined;
  if (asked !== undefined) {
    const isMine = isSameUri(asked.asker, sender.speakerUri);
    return isMine ? handleAnswer(asked, answerIn(asked.waiting.prompt, values, heard.text), heard, self) : undefined;
  }
  const isOurs = heard.isAddressed || state.questions.has(id);
  return isOurs ? whisper(state.questions.get(id) ?? noLongerOpen) : undefined;
}

/** Of each speaker the newest: what came before it is in the history. */
function queueUtterance(later: QueuedUtterance): void {
  const { heard, request, session } = later;
  const key = JSON.stringify([foldUri(heard.sender.speakerUri), request.whisperer]);
  keepNewest(session.queued, key, later, queuedMax);
}

/** Consent is given elsewhere: the workflow may be at work again, or over, before anybody says so. */
function isOpen({ session, waiting: { prompt } }: WaitingRun): boolean {
  return session.client?.isOpen(prompt.kind === "consent" ? prompt.kind : prompt.number) === true;
}

/** Words that come too late to be an answer, and are none that could have been chosen. */
function isNewQuestion(talk: WaitingRun, heard: Utterance, { bridge }: NemoContext): boolean {
  const { prompt } = talk.waiting;
  if (isOpen(talk)) return false;
  const isText = prompt.kind === "prompt" && prompt.prompt.inputType === "text";
  return isText || "lack" in answerInText(prompt, heard.text, afterName(heard, bridge.name));
}

/** What follows `@Name` at the beginning. */
function afterName(heard: Utterance, name: string): string | undefined {
  const said = heard.text.trim();
  const { text } = heed(heard, name);
  return said.startsWith("@") && text !== said && said.endsWith(text) ? text : undefined;
}

/** Plain words: an answer, a wrong one, or something else altogether, which nobody is kept from by a question. */
function handleTextAnswer(talk: WaitingRun, matters: UtteranceToAnswer, self: NemoContext): Answer {
  const { heard, request } = matters;
  const rest = afterName(heard, self.bridge.name);
  const given = answerInText(talk.waiting.prompt, heard.text, rest);
  const isStray = "lack" in given && !given.isMeant;
  const isElse = isStray && ((rest ?? "") !== "" || (talk.hadUnrelatedText && !talk.isByAgent));
  if (isElse) return mayAnswer(request.kind, heard.state, Date.now()) ? leavePrompt(talk, matters, self) : undefined;
  talk.hadUnrelatedText ||= isStray;
  return handleAnswer(talk, given, heard, self);
}

async function* leavePrompt(
  talk: WaitingRun,
  { heard, request }: UtteranceToAnswer,
  self: NemoContext,
): AsyncGenerator<Streamed> {
  const { askedId } = talk.waiting;
  stopRun(talk);
  yield notice(questionDropped, talk, heard, askedId);
  const session = sessionOf(heard, self);
  if (session === undefined) return yield heard.whisper(tooMany);
  yield* startFresh({ heard, request, session }, self);
  if (talk.session !== session) yield* runQueued(replyContextOf(heard, self), talk.session, self);
}

function handleAnswer(talk: WaitingRun, given: PromptAnswer, heard: Utterance, self: NemoContext): Answer {
  const { state, whisper } = heard;
  const { prompt } = talk.waiting;
  if (prompt.kind === "prompt" && !isOpen(talk)) return expirePrompt(talk, heard, replyContextOf(heard, self), self);
  if ("lack" in given) {
    // Two agents could go on like this for ever.
    const mayAsk = mayAnswer(heard.speakerKind(talk.asker), state, Date.now());
    return mayAsk ? askPrompt(prompt, talk, replyContextOf(heard, self), self, given.lack) : undefined;
  }
  if (prompt.kind === "consent" && given.values[0] === "cancel") {
    stopRun(talk);
    return whisper(cancelled);
  }
  return resumeRun(talk, given.values, heard, self);
}

/** The same turn goes on as the answer to what was said now. */
async function* resumeRun(
  talk: WaitingRun,
  values: readonly string[],
  heard: Utterance,
  self: NemoContext,
): AsyncGenerator<Streamed> {
  const scene = replyContextOf(heard, self);
  const { prompt } = talk.waiting;
  // Its time may have been up in this very moment.
  const isTold = prompt.kind === "consent" || talk.session.client?.answer(prompt.number, values) === true;
  if (!isTold) return yield* expirePrompt(talk, heard, scene, self);
  Object.assign(talk, { waiting: undefined, hadUnrelatedText: false });
  yield* runUntilPause(talk, scene, self);
  yield* runQueued(scene, talk.session, self);
}

async function* startFresh(later: QueuedUtterance, self: NemoContext): AsyncGenerator<Streamed> {
  const { heard, session } = later;
  const { run } = session;
  const scene = replyContextOf(heard, self);
  if (isWaiting(run)) yield* expirePrompt(run, heard, scene, self);
  // The workflow went on without an answer, and asks for another.
  if (session.run !== undefined) return queueUtterance(later);
  yield* unreadNote(later, self);
  yield* runUntilPause(startRun(later, self), scene, self);
  yield* runQueued(scene, session, self);
}

/** Nobody answered in time: whoever was asked is told so, and what the workflow made of it. */
async function* expirePrompt(
  talk: WaitingRun,
  heard: Utterance,
  scene: ReplyContext,
  self: NemoContext,
): AsyncGenerator<Streamed> {
  const { prompt } = talk.waiting;
  if (prompt.kind === "prompt") yield heard.whisper(prompt.prompt.error, talk.asker);
  yield* continueUnanswered(talk, heard, scene, self);
}

async function* continueUnanswered(
  talk: WaitingRun,
  heard: Utterance,
  scene: ReplyContext,
  self: NemoContext,
): AsyncGenerator<Streamed> {
  Object.assign(talk, { waiting: undefined, isExpired: talk.waiting.prompt.kind === "prompt" });
  const whispering = { ...scene, whisperer: talk.asker };
  yield* runSeparately(talk, (text) => heard.whisper(text, talk.asker), whispering, self);
}

/** The clock of the floor may be a little ahead. */
const aheadMs = 2_000;

function isTimeUp({ waiting: { prompt } }: WaitingRun, { bridge }: NemoContext): boolean {
  return prompt.kind === "prompt" && prompt.untilMs - bridge.clock.now() <= aheadMs;
}

/** The floor says that nobody answered: whoever was asked knows that, and learns what the workflow makes of it. */
async function* handleExpiry(talk: WaitingRun, heard: Utterance, self: NemoContext): AsyncGenerator<Streamed> {
  const scene = replyContextOf(heard, self);
  yield* continueUnanswered(talk, heard, scene, self);
  yield* runQueued(scene, talk.session, self);
}

/** Then comes what others said meanwhile, in the time that is left: who takes too long costs nobody's answer before. */
async function* runQueued(scene: ReplyContext, session: Session, self: NemoContext): AsyncGenerator<Streamed> {
  for (const [key, later] of [...session.queued]) {
    if (session.run !== undefined || scene.signal.aborted || !session.queued.delete(key)) return;
    const { conversation, say, whisper, sender } = later.heard;
    // In the answer to a whisper a floor takes public words for a part of that answer, so everybody is answered in private.
    const isPublic = scene.whisperer === undefined && later.request.whisperer === undefined;
    const whispering = { ...scene, conversation, whisperer: isPublic ? undefined : sender.speakerUri };
    yield* unreadNote(later, self);
    yield* runSeparately(startRun(later, self), isPublic ? say : (text) => whisper(text), whispering, self);
  }
}
