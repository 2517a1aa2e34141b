import { foldUri, isSameUri, replyIn } from "@plenary/protocol";
import type { Answer, HeardUtterance, Streamed } from "@plenary/sdk";
import { answerToNoText, heed } from "../addressing.ts";
import { keepNewest } from "../keep-newest.ts";
import { matterOf, mayAnswer } from "../llm/matter.ts";
import { isWordless, unreadWords } from "../media.ts";
import { ask, drop, leg, notice, type Scene, type Self } from "./leg.ts";
import { type Given, givenBy, givenIn } from "./question.ts";
import { mediaFor } from "./request.ts";
import { askedOf, sessionOf } from "./session.ts";
import { type Asked, isAsked, type Later, type NemoState, type Session } from "./state.ts";
import { aside, begin, sceneOf } from "./talk.ts";
import { cancelled, leftQuestion, noLongerOpen, tooMany, waitsForAnother } from "./words.ts";

type Said = HeardUtterance<NemoState>;

const laterMax = 8;

export function respond(heard: Said, self: Self): Answer {
  const { state, sender } = heard;
  const matter = matterOf(heard, self.bridge);
  const reply = replyIn(heard.dialogEvent);
  if (reply !== undefined) return replied(reply, heard, self);
  const session = matter && sessionOf(heard, self);
  const mine = askedOf(sender.speakerUri, session, state);
  if (mine !== undefined && matter !== undefined && !isNews(mine, heard, self)) {
    return saidTo(mine, { heard, matter }, self);
  }
  if (matter === undefined) return answerToNoText(heard);
  if (!mayAnswer(matter.kind, state, Date.now())) return undefined;
  return nothingRead({ heard, matter }, self) ?? said({ heard, matter }, session, self);
}

/** Nothing of it is anything that the workflow could be told. */
function nothingRead({ heard, matter }: Matters, { bridge }: Self): Answer {
  const media = mediaFor(heard.dialogEvent, bridge);
  const isNothing = media.unread.length > 0 && media.read.length === 0 && isWordless(heard.text, media.unread);
  if (!isNothing) return undefined;
  return matter.kind === "agent" ? [] : heard.say(unreadWords(media, heard.text));
}

/** Whoever sent it learns what of it the workflow was not told. */
function* unread({ heard, matter }: Matters, { bridge }: Self): Generator<Streamed> {
  const media = mediaFor(heard.dialogEvent, bridge);
  if (media.unread.length > 0 && matter.kind !== "agent") yield heard.whisper(unreadWords(media, heard.text));
}

type Matters = Pick<Later, "heard" | "matter">;

/** Something new, answered at once where the session is free. */
function said({ heard, matter }: Matters, session: Session | undefined, self: Self): Answer {
  const isByAgent = matter.kind === "agent";
  if (session === undefined) return isByAgent ? undefined : heard.whisper(tooMany);
  const { talk } = session;
  const isFree = talk === undefined || (isAsked(talk) && !isOpen(talk));
  if (isFree) return fresh({ heard, matter, session }, self);
  keepLater({ heard, matter, session });
  return isAsked(talk) && !isByAgent ? heard.whisper(waitsForAnother) : undefined;
}

type Reply = NonNullable<ReturnType<typeof replyIn>>;

/** By choosing: it names its question. */
function replied({ id, values, isLapsed }: Reply, heard: Said, self: Self): Answer {
  const { state, sender, whisper } = heard;
  const talks = [...state.sessions.values()].map(({ talk }) => talk);
  const asked = talks.filter(isAsked).find(({ waiting }) => waiting.askedId === id);
  if (isLapsed) return asked !== undefined && isOver(asked, self) ? unanswered(asked, heard, self) : undefined;
  if (asked !== undefined) {
    const isMine = isSameUri(asked.asker, sender.speakerUri);
    return isMine ? answered(asked, givenIn(asked.waiting.asking, values, heard.text), heard, self) : undefined;
  }
  const isOurs = heard.isAddressed || state.questions.has(id);
  return isOurs ? whisper(state.questions.get(id) ?? noLongerOpen) : undefined;
}

/** Of each speaker the newest: what came before it is in the history. */
function keepLater(later: Later): void {
  const { heard, matter, session } = later;
  const key = JSON.stringify([foldUri(heard.sender.speakerUri), matter.whisperer]);
  keepNewest(session.later, key, later, laterMax);
}

/** Consent is given elsewhere: the workflow may be at work again, or over, before anybody says so. */
function isOpen({ session, waiting: { asking } }: Asked): boolean {
  return session.client?.isOpen(asking.kind === "consent" ? asking.kind : asking.number) === true;
}

/** Words that come too late to be an answer, and are none that could have been chosen. */
function isNews(talk: Asked, heard: Said, { bridge }: Self): boolean {
  const { asking } = talk.waiting;
  if (isOpen(talk)) return false;
  const isText = asking.kind === "prompt" && asking.prompt.inputType === "text";
  return isText || "lack" in givenBy(asking, heard.text, afterName(heard, bridge.name));
}

/** What follows `@Name` at the beginning. */
function afterName(heard: Said, name: string): string | undefined {
  const said = heard.text.trim();
  const { text } = heed(heard, name);
  return said.startsWith("@") && text !== said && said.endsWith(text) ? text : undefined;
}

/** Plain words: an answer, a wrong one, or something else altogether, which nobody is kept from by a question. */
function saidTo(talk: Asked, matters: Matters, self: Self): Answer {
  const { heard, matter } = matters;
  const rest = afterName(heard, self.bridge.name);
  const given = givenBy(talk.waiting.asking, heard.text, rest);
  const isStray = "lack" in given && !given.isMeant;
  const isElse = isStray && ((rest ?? "") !== "" || (talk.hasStrayed && !talk.isByAgent));
  if (isElse) return mayAnswer(matter.kind, heard.state, Date.now()) ? left(talk, matters, self) : undefined;
  talk.hasStrayed ||= isStray;
  return answered(talk, given, heard, self);
}

async function* left(talk: Asked, { heard, matter }: Matters, self: Self): AsyncGenerator<Streamed> {
  const { askedId } = talk.waiting;
  drop(talk);
  yield notice(leftQuestion, talk, heard, askedId);
  const session = sessionOf(heard, self);
  if (session === undefined) return yield heard.whisper(tooMany);
  yield* fresh({ heard, matter, session }, self);
  if (talk.session !== session) yield* afterwards(sceneOf(heard, self), talk.session, self);
}

function answered(talk: Asked, given: Given, heard: Said, self: Self): Answer {
  const { state, whisper } = heard;
  const { asking } = talk.waiting;
  if (asking.kind === "prompt" && !isOpen(talk)) return lapsed(talk, heard, sceneOf(heard, self), self);
  if ("lack" in given) {
    // Two agents could go on like this for ever.
    const mayAsk = mayAnswer(heard.speakerKind(talk.asker), state, Date.now());
    return mayAsk ? ask(asking, talk, sceneOf(heard, self), self, given.lack) : undefined;
  }
  if (asking.kind === "consent" && given.values[0] === "cancel") {
    drop(talk);
    return whisper(cancelled);
  }
  return goOn(talk, given.values, heard, self);
}

/** The same turn goes on as the answer to what was said now. */
async function* goOn(talk: Asked, values: readonly string[], heard: Said, self: Self): AsyncGenerator<Streamed> {
  const scene = sceneOf(heard, self);
  const { asking } = talk.waiting;
  // Its time may have been up in this very moment.
  const isTold = asking.kind === "consent" || talk.session.client?.answer(asking.number, values) === true;
  if (!isTold) return yield* lapsed(talk, heard, scene, self);
  Object.assign(talk, { waiting: undefined, hasStrayed: false });
  yield* leg(talk, scene, self);
  yield* afterwards(scene, talk.session, self);
}

async function* fresh(later: Later, self: Self): AsyncGenerator<Streamed> {
  const { heard, session } = later;
  const { talk } = session;
  const scene = sceneOf(heard, self);
  if (isAsked(talk)) yield* lapsed(talk, heard, scene, self);
  // The workflow went on without an answer, and asks for another.
  if (session.talk !== undefined) return keepLater(later);
  yield* unread(later, self);
  yield* leg(begin(later, self), scene, self);
  yield* afterwards(scene, session, self);
}

/** Nobody answered in time: whoever was asked is told so, and what the workflow made of it. */
async function* lapsed(talk: Asked, heard: Said, scene: Scene, self: Self): AsyncGenerator<Streamed> {
  const { asking } = talk.waiting;
  if (asking.kind === "prompt") yield heard.whisper(asking.prompt.error, talk.asker);
  yield* withoutAnswer(talk, heard, scene, self);
}

async function* withoutAnswer(talk: Asked, heard: Said, scene: Scene, self: Self): AsyncGenerator<Streamed> {
  Object.assign(talk, { waiting: undefined, isLapsed: talk.waiting.asking.kind === "prompt" });
  const whispering = { ...scene, whisperer: talk.asker };
  yield* aside(talk, (text) => heard.whisper(text, talk.asker), whispering, self);
}

/** The clock of the floor may be a little ahead. */
const aheadMs = 2_000;

function isOver({ waiting: { asking } }: Asked, { bridge }: Self): boolean {
  return asking.kind === "prompt" && asking.untilMs - bridge.clock.now() <= aheadMs;
}

/** The floor says that nobody answered: whoever was asked knows that, and learns what the workflow makes of it. */
async function* unanswered(talk: Asked, heard: Said, self: Self): AsyncGenerator<Streamed> {
  const scene = sceneOf(heard, self);
  yield* withoutAnswer(talk, heard, scene, self);
  yield* afterwards(scene, talk.session, self);
}

/** Then comes what others said meanwhile, in the time that is left: who takes too long costs nobody's answer before. */
async function* afterwards(scene: Scene, session: Session, self: Self): AsyncGenerator<Streamed> {
  for (const [key, later] of [...session.later]) {
    if (session.talk !== undefined || scene.signal.aborted || !session.later.delete(key)) return;
    const { conversation, say, whisper, sender } = later.heard;
    // In the answer to a whisper a floor takes public words for a part of that answer, so everybody is answered in private.
    const isPublic = scene.whisperer === undefined && later.matter.whisperer === undefined;
    const whispering = { ...scene, conversation, whisperer: isPublic ? undefined : sender.speakerUri };
    yield* unread(later, self);
    yield* aside(begin(later, self), isPublic ? say : (text) => whisper(text), whispering, self);
  }
}
