// When to speak: whoever is called answers, whoever knows the answer may speak up, everybody else is silent.
import { type Conversation, isSameUri } from "@plenary/protocol";
import type { HeardUtterance } from "@plenary/sdk";

/**
 * called: by `to`, or by its name in the words. open: a person speaks to everyone, so that whoever surely has the answer
 * may give it. none: the words are for somebody else, or an agent talks.
 */
type Call = "called" | "open" | "none";

export type Heeded = {
  call: Call;
  /** To agents an agent does not say that it did not understand: they would answer that. */
  isPerson: boolean;
  /** Without the name that it was called by. */
  text: string;
};

type Utterance = Pick<HeardUtterance<unknown>, "event" | "isAddressed" | "sender" | "conversation" | "text">;

export function heed({ event, isAddressed, sender, conversation, text }: Utterance, name: string): Heeded {
  const isByPerson = isPerson(sender.speakerUri, conversation);
  const calls = calledIn(text, name);
  const words = { isPerson: isByPerson, text: calls.rest };
  // What came along with an invite has no `to`: it was said to everyone.
  if (isAddressed && event.to !== undefined) return { call: "called", ...words };
  const called = othersAt(conversation, name).filter((other) => calledIn(text, other).isCalled);
  const isMeant = calls.isCalled && !called.some((other) => folded(other).startsWith(`${folded(name)} `));
  if (isMeant) return { call: "called", ...words };
  const isFree = called.length === 0 && (isByPerson || !isKnown(sender.speakerUri, conversation));
  return isFree ? { call: "open", ...words } : { call: "none", isPerson: isByPerson, text: text.trim() };
}

/**
 * Our choice: an envelope does not say who is a person. People have no server of their own, so their floor relays for them,
 * and no manifest, so nothing says what they do.
 */
export function isPerson(speakerUri: string, conversation: Conversation): boolean {
  const found = conversantAt(conversation, speakerUri);
  const relay = found && relayOf(found.identification.serviceUrl);
  if (relay === undefined || found?.identification.synopsis !== "") return false;
  // The owner is at the floor that relays for people: an agent elsewhere can have an address of that form.
  const [owner = ""] = conversation.assignedFloorRoles?.owner ?? [];
  const floors = relayOf(conversantAt(conversation, owner)?.identification.serviceUrl ?? "");
  return floors === undefined || relay === floors;
}

/** The floor that takes what is sent there; undefined for an address of its own. */
function relayOf(serviceUrl: string): string | undefined {
  const at = serviceUrl.indexOf("/openfloor/at/");
  return at === -1 ? undefined : serviceUrl.slice(0, at);
}

/** Other floors may not tell who is there: whoever speaks then is taken neither for a person nor for an agent. */
function isKnown(speakerUri: string, conversation: Conversation): boolean {
  return conversantAt(conversation, speakerUri) !== undefined;
}

function conversantAt({ conversants = [] }: Conversation, speakerUri: string) {
  return conversants.find(({ identification }) => isSameUri(identification.speakerUri, speakerUri));
}

/** Nobody is called by a longer name, and agents choose their own. */
const nameCharsMax = 100;

function othersAt({ conversants = [] }: Conversation, name: string): string[] {
  return conversants
    .filter(({ identification }) => identification.conversationalName.length <= nameCharsMax)
    .map(({ identification }) => identification.conversationalName.trim())
    .filter((other) => other !== "" && folded(other) !== folded(name));
}

const folded = (name: string) => name.toLowerCase();

/** Names stand at the ends of a sentence; between them only `@` is looked for, and not in a whole book. */
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

export const welcome = "You are welcome.";

/** For a person who called it and asked nothing that it knows. Whoever thanks asks nothing. */
export function excuse(text: string, apology: string): string {
  return /^(?:many )?(?:thanks?(?: you)?|thx|cheers)(?![\p{L}\p{N}])[^?]{0,40}$/iu.test(text) ? welcome : apology;
}
