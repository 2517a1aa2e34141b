// Whether an utterance is meant for this agent. An agent answers when called; it may answer an open question if it is sure.
import { type Conversation, isSameUri } from "@plenary/protocol";
import type { UtteranceInput } from "@plenary/sdk";

/**
 * called: by `to`, by its name in the text, or by a person who is alone with it. open: a person speaks to everyone.
 * none: the utterance is for another conversant, or from an agent.
 */
type Call = "called" | "open" | "none";

export type Addressing = {
  call: Call;
  /** A person always gets an answer. An agent gets no apology: it would answer it. */
  isPerson: boolean;
  /** Called neither by `to` nor by name, only because no other agent is present. */
  isAlone: boolean;
  /** Without this agent's name. */
  text: string;
};

type Words = "event" | "isAddressed" | "isWithInvite" | "speakerUri" | "conversation" | "text" | "speakerKind";
type Utterance = Pick<UtteranceInput<unknown>, Words>;

export function addressingOf(heard: Utterance, name: string): Addressing {
  const { event, isAddressed, isWithInvite, speakerUri, conversation, text } = heard;
  const isByPerson = heard.speakerKind(speakerUri) !== "agent";
  const calls = calledIn(text, name);
  const words = { isPerson: isByPerson, isAlone: false, text: calls.rest };
  if (isAddressed && event.to !== undefined) return { call: "called", ...words };
  const called = othersAt(conversation, name, speakerUri).filter((other) => calledIn(text, other).isCalled);
  const isMeant = calls.isCalled && !called.some((other) => folded(other).startsWith(`${folded(name)} `));
  if (isMeant) return { call: "called", ...words };
  // An utterance with the invite has no `to`: it is for everyone, and the greeting answers it.
  if (isAddressed && !isWithInvite && isByPerson) return { call: "called", ...words, isAlone: true };
  const isFree = called.length === 0 && isByPerson;
  return isFree ? { call: "open", ...words } : { ...words, call: "none", text: text.trim() };
}

/** Longer names are ignored: agents choose their own. */
const nameCharsMax = 100;

/** Without the speaker: a speaker who says its own name introduces itself. */
function othersAt({ conversants = [] }: Conversation, name: string, speakerUri: string): string[] {
  return conversants
    .filter(({ identification }) => !isSameUri(identification.speakerUri, speakerUri))
    .filter(({ identification }) => identification.conversationalName.length <= nameCharsMax)
    .map(({ identification }) => identification.conversationalName.trim())
    .filter((other) => other !== "" && folded(other) !== folded(name));
}

const folded = (name: string) => name.toLowerCase();

/** Names are searched at both ends of the text, `@` names also in between, up to a limit. */
const endCharsMax = 300;
const searchedCharsMax = 10_000;

/** `Clock, what ...`, `hey Clock ...`, `... @Clock ...`, `what time is it, Clock?`, `Clock?` */
function calledIn(text: string, name: string): { isCalled: boolean; rest: string } {
  const said = text.trim();
  const escaped = name.replaceAll(/[$()*+.?[\\\]^{|}]/gu, "\\$&");
  const end = Math.max(0, said.length - endCharsMax);
  for (const { pattern, from } of [
    { pattern: `^(?:(?:hey|hi|hello|ok|okay|dear|and)\\s+)?@?${escaped}\\s*(?:[,:!?.]+(?=\\s|$)\\s*|$)`, from: 0 },
    { pattern: `^(?:hey|hi|hello|ok|okay|dear)\\s+${escaped}(?![\\p{L}\\p{N}])\\s*`, from: 0 },
    { pattern: `(?<![\\p{L}\\p{N}@])@${escaped}(?![\\p{L}\\p{N}])\\s{0,9}[,:]?\\s{0,9}`, from: 0 },
    { pattern: `\\s*,\\s*${escaped}(?=[.!?\\s]*$)`, from: end },
  ]) {
    const found = new RegExp(pattern, "iu").exec(said.slice(from, from + searchedCharsMax));
    if (found === null) continue;
    const at = from + found.index;
    return { isCalled: true, rest: `${said.slice(0, at)}${said.slice(at + found[0].length)}`.trim() };
  }
  return { isCalled: false, rest: said };
}

const noText = "I can only read text, and there was none.";

/** For a person who addressed it without text, such as by sound alone. */
export function answerToNoText(heard: Pick<Utterance, "text" | "isAddressed" | "speakerUri" | "speakerKind">) {
  const { text, isAddressed, speakerUri, speakerKind } = heard;
  return text.trim() === "" && isAddressed && speakerKind(speakerUri) !== "agent" ? noText : undefined;
}

export const welcome = "You are welcome.";

/** For a person whose question it cannot answer; thanks need no apology. */
export function noAnswerText(text: string, apology: string): string {
  return isThanks(text) ? welcome : apology;
}

export function isThanks(text: string): boolean {
  return /^(?:many )?(?:thanks?(?: you)?|thx|cheers)(?![\p{L}\p{N}])[^?]{0,40}$/iu.test(text);
}

/** Only a greeting, or the question what the agent does. */
export function isGreeting(text: string): boolean {
  return greetingPattern.test(text.trim());
}

const greetingPattern =
  /^(?:(?:hello|hi|hey|good (?:morning|afternoon|evening|day))(?: (?:there|all|everyone|everybody))?|what (?:can|do) you do|who are you)[\s,.!?]*$/iu;
