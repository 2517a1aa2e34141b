import { replyIn } from "@plenary/floor";
import { foldUri, isSameUri } from "@plenary/protocol";
import type { Answer, HeardUtterance, Streamed } from "@plenary/sdk";
import { keepNewest } from "../keep-newest.ts";
import { matterOf, mayAnswer } from "../llm/matter.ts";
import { answerToNoText, heed } from "../manners.ts";
import { ask, leg, notice, type Scene, type Self } from "./leg.ts";
import { type Given, givenBy, givenIn } from "./question.ts";
import type { Later, NemoState, Talk, Waiting } from "./state.ts";
import { aside, begin, sceneOf } from "./talk.ts";
import { cancelled, leftQuestion, noLongerOpen, waitsForAnother } from "./words.ts";

type Said = HeardUtterance<NemoState>;
/** A turn that waits for its asker. */
type Asked = Talk & { waiting: Waiting };

const laterMax = 8;

export function respond(heard: Said, self: Self): Answer {
  const { state, sender, whisper } = heard;
  const matter = matterOf(heard, self.bridge);
  const reply = replyIn(heard.dialogEvent);
  const asked = state.talk !== undefined && isAsked(state.talk) ? state.talk : undefined;
  const mine = asked !== undefined && isSameUri(asked.asker, sender.speakerUri) ? asked : undefined;
  if (reply !== undefined) {
    if (asked?.waiting.askedId === reply.id) {
      return mine && answered(mine, givenIn(mine.waiting.asking, reply.values, heard.text), heard, self);
    }
    const isOurs = heard.isAddressed || state.questions.has(reply.id);
    return isOurs ? whisper(state.questions.get(reply.id) ?? noLongerOpen) : undefined;
  }
  if (mine !== undefined && matter !== undefined && !isNews(mine, heard, self)) {
    return saidTo(mine, { heard, matter }, self);
  }
  if (matter === undefined) return answerToNoText(heard);
  if (!mayAnswer(matter.kind, state, Date.now())) return undefined;
  const isFree = state.talk === undefined || (asked !== undefined && !isOpen(asked, state));
  if (isFree) return fresh({ heard, matter }, self);
  keepLater({ heard, matter });
  return asked !== undefined && matter.kind !== "agent" ? whisper(waitsForAnother) : undefined;
}

/** Of each speaker the newest: what came before it is in the history. */
function keepLater({ heard, matter }: Later): void {
  const key = JSON.stringify([foldUri(heard.sender.speakerUri), matter.whisperer]);
  keepNewest(heard.state.later, key, { heard, matter }, laterMax);
}

function isAsked(talk: Talk): talk is Asked {
  return talk.waiting !== undefined;
}

/** Consent is given elsewhere: the workflow may be at work again, or over, before anybody says so. */
function isOpen({ waiting }: Asked, { client }: NemoState): boolean {
  const { asking } = waiting;
  return client?.isOpen(asking.kind === "consent" ? asking.kind : asking.number) === true;
}

/** Words that come too late to be an answer, and are none that could have been chosen. */
function isNews(talk: Asked, heard: Said, { bridge }: Self): boolean {
  const { asking } = talk.waiting;
  if (isOpen(talk, heard.state)) return false;
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
function saidTo(talk: Asked, later: Later, self: Self): Answer {
  const { heard, matter } = later;
  const rest = afterName(heard, self.bridge.name);
  const given = givenBy(talk.waiting.asking, heard.text, rest);
  const isStray = "lack" in given && !given.isMeant;
  const isElse = isStray && ((rest ?? "") !== "" || (talk.hasStrayed && !talk.isByAgent));
  if (isElse) return mayAnswer(matter.kind, heard.state, Date.now()) ? left(talk, later, self) : undefined;
  talk.hasStrayed ||= isStray;
  return answered(talk, given, heard, self);
}

async function* left(talk: Asked, later: Later, self: Self): AsyncGenerator<Streamed> {
  const { heard } = later;
  const { askedId } = talk.waiting;
  drop(talk, heard.state);
  yield notice(leftQuestion, talk, heard, askedId);
  yield* fresh(later, self);
}

/** What the workflow makes of it, nobody hears. */
function drop(talk: Talk, state: NemoState): void {
  state.client?.stop();
  if (state.talk === talk) state.talk = undefined;
}

function answered(talk: Asked, given: Given, heard: Said, self: Self): Answer {
  const { state, whisper } = heard;
  const { asking } = talk.waiting;
  if (asking.kind === "prompt" && !isOpen(talk, state)) return lapsed(talk, heard, sceneOf(heard, self), self);
  if ("lack" in given) {
    // Two agents could go on like this for ever.
    const mayAsk = mayAnswer(heard.speakerKind(talk.asker), state, Date.now());
    return mayAsk ? ask(asking, talk, sceneOf(heard, self), self, given.lack) : undefined;
  }
  if (asking.kind === "consent" && given.values[0] === "cancel") {
    drop(talk, state);
    return whisper(cancelled);
  }
  return goOn(talk, given.values, heard, self);
}

/** The same turn goes on as the answer to what was said now. */
async function* goOn(talk: Asked, values: readonly string[], heard: Said, self: Self): AsyncGenerator<Streamed> {
  const scene = sceneOf(heard, self);
  const { asking } = talk.waiting;
  // Its time may have been up in this very moment.
  const isTold = asking.kind === "consent" || scene.state.client?.answer(asking.number, values) === true;
  if (!isTold) return yield* lapsed(talk, heard, scene, self);
  Object.assign(talk, { waiting: undefined, hasStrayed: false });
  yield* leg(talk, scene, self);
  yield* afterwards(scene, self);
}

async function* fresh(later: Later, self: Self): AsyncGenerator<Streamed> {
  const { heard } = later;
  const { talk } = heard.state;
  const scene = sceneOf(heard, self);
  if (talk !== undefined && isAsked(talk)) yield* lapsed(talk, heard, scene, self);
  // The workflow went on without an answer, and asks for another.
  if (heard.state.talk !== undefined) return keepLater(later);
  yield* leg(begin(later, heard.state, self), scene, self);
  yield* afterwards(scene, self);
}

/** Nobody answered in time: whoever was asked is told so, and what the workflow made of it. */
async function* lapsed(talk: Asked, heard: Said, scene: Scene, self: Self): AsyncGenerator<Streamed> {
  const { asking } = talk.waiting;
  Object.assign(talk, { waiting: undefined, isLapsed: asking.kind === "prompt" });
  if (asking.kind === "prompt") yield heard.whisper(asking.prompt.error, talk.asker);
  const whispering = { ...scene, whisperer: talk.asker };
  yield* aside(talk, (text) => heard.whisper(text, talk.asker), whispering, self);
}

/** Then comes what others said meanwhile, in the time that is left: who takes too long costs nobody's answer before. */
async function* afterwards(scene: Scene, self: Self): AsyncGenerator<Streamed> {
  const { state, signal } = scene;
  for (const [key, later] of [...state.later]) {
    if (state.talk !== undefined || signal.aborted || !state.later.delete(key)) return;
    const { conversation, say, whisper, sender } = later.heard;
    // In the answer to a whisper a floor takes public words for a part of that answer, so everybody is answered in private.
    const isPublic = scene.whisperer === undefined && later.matter.whisperer === undefined;
    const whispering = { ...scene, conversation, whisperer: isPublic ? undefined : sender.speakerUri };
    yield* aside(begin(later, state, self), isPublic ? say : (text) => whisper(text), whispering, self);
  }
}
