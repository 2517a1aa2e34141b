import { type Conversation, isSameUri } from "@plenary/protocol";
import { keepNewest } from "../keep-newest.ts";
import { isPerson } from "../manners.ts";
import { atEnd, atStart, type Progress } from "./story.ts";
import { termsOf } from "./terms.ts";
import { examples } from "./words.ts";

/** What the guide knows of one conversation. */
export type Lesson = {
  /** Who invited it. Undefined when it has forgotten: then it begins no lesson, and only answers. */
  host: string | undefined;
  progress: Map<string, Progress>;
};

const peopleMax = 64;

export function newLesson(): Lesson {
  return { host: undefined, progress: new Map() };
}

export function progressOf({ host, progress }: Lesson, speakerUri: string): Progress {
  return progress.get(speakerUri) ?? (host === undefined ? atEnd : atStart);
}

/** Whoever was not heard for longest makes room. */
export function keepProgress({ progress }: Lesson, speakerUri: string, reached: Progress): void {
  keepNewest(progress, speakerUri, reached, peopleMax);
}

/** Whoever invited the guide is taken for a person wherever it may be. */
export function isPupil(speakerUri: string, conversation: Conversation, { host }: Lesson): boolean {
  return (host !== undefined && isSameUri(host, speakerUri)) || isPerson(speakerUri, conversation);
}

type Identification = NonNullable<Conversation["conversants"]>[number]["identification"];

function otherAgents({ conversants = [], id }: Conversation): Identification[] {
  return conversants
    .map(({ identification }) => identification)
    .filter((one) => nameOf(one) !== "Guide" && !isPerson(one.speakerUri, { id, conversants }));
}

/** Of those that have the floor, as far as that is known; first come those whom the guide knows what to ask. */
export function agentsHere(conversation: Conversation): string[] {
  const names = otherAgents(conversation)
    .filter(({ speakerUri }) => conversation.floorGranted?.includes(speakerUri) !== false)
    .map(nameOf)
    .filter(isSpeakable);
  const known = Object.keys(examples).filter((name) => names.includes(name));
  return [...new Set([...known, ...names])];
}

/** Those whose name can be told; the same name is told once. */
export function peopleHere({ conversants = [], id }: Conversation): string[] {
  const people = conversants.filter(({ identification }) => isPerson(identification.speakerUri, { id, conversants }));
  return [...new Set(people.map(({ identification }) => identification.conversationalName).filter(isSpeakable))];
}

/** A newcomer is known by its address first, and by its name a little later. */
function nameOf({ conversationalName, serviceUrl }: Identification): string {
  if (conversationalName !== "") return conversationalName;
  const [, name = ""] = /\/agents\/([a-z]+)$/u.exec(serviceUrl) ?? [];
  return `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
}

/** What others call themselves must not be more than a name in the guide's own words. */
function isSpeakable(name: string): boolean {
  return /^\p{L}[\p{L}\p{N} ._-]{0,39}$/u.test(name);
}

/** Whether another agent says of itself that it is for this; numbers are for those who calculate. */
export function isForAnother(text: string, conversation: Conversation): boolean {
  const others = otherAgents(conversation);
  if (/\d/u.test(text)) return others.length > 0;
  const said = termsOf(text);
  return others.some(({ synopsis }) => termsOf(synopsis).some((term) => said.includes(term)));
}
