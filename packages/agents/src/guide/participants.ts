import { type Conversation, isSameUri } from "@plenary/protocol";
import type { HandlerInput } from "@plenary/sdk";
import { keepNewest } from "../keep-newest.ts";
import { atEnd, atStart, type Progress } from "./lesson.ts";
import { examples } from "./lesson-texts.ts";
import { termsOf } from "./terms.ts";

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
