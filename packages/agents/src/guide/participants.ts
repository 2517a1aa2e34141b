import { type Conversation, isSameUri } from "@plenary/protocol";
import type { Heard } from "@plenary/sdk";
import { keepNewest } from "../keep-newest.ts";
import { atEnd, atStart, type Progress } from "./lesson.ts";
import { examples } from "./lesson-texts.ts";
import { termsOf } from "./terms.ts";

/** What the guide knows of one conversation. */
export type LessonState = {
  /** Who invited it. Undefined when it has forgotten: then it begins no lesson, and only answers. */
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

/** Whoever was not heard for longest makes room. */
export function keepProgress({ progress }: LessonState, speakerUri: string, reached: Progress): void {
  keepNewest(progress, speakerUri, reached, peopleMax);
}

/** A conversation as an agent sees it. */
export type ConversationView = Pick<Heard<unknown>, "conversation" | "speakerKind">;

/** The sender of its invite is taught even where it acts as an agent: it asked for the guide. */
export function isLearner(speakerUri: string, { speakerKind }: ConversationView, { host }: LessonState): boolean {
  return (host !== undefined && isSameUri(host, speakerUri)) || speakerKind(speakerUri) !== "agent";
}

type Identification = NonNullable<Conversation["conversants"]>[number]["identification"];

function otherAgents({ conversation: { conversants = [] }, speakerKind }: ConversationView): Identification[] {
  return conversants
    .map(({ identification }) => identification)
    .filter((one) => nameOf(one) !== "Guide" && speakerKind(one.speakerUri) === "agent");
}

/** Of those that have the floor, as far as that is known; first come those whom the guide knows what to ask. */
export function agentsHere(room: ConversationView): string[] {
  const { conversation } = room;
  const names = otherAgents(room)
    .filter(({ speakerUri }) => conversation.floorGranted?.includes(speakerUri) !== false)
    .map(nameOf)
    .filter(isSpeakable);
  const known = Object.keys(examples).filter((name) => names.includes(name));
  return [...new Set([...known, ...names])];
}

/** Those whose name can be told; the same name is told once. */
export function peopleHere({ conversation: { conversants = [] }, speakerKind }: ConversationView): string[] {
  const people = conversants.filter(({ identification }) => speakerKind(identification.speakerUri) !== "agent");
  return [...new Set(people.map(({ identification }) => identification.conversationalName).filter(isSpeakable))];
}

/** A newcomer is known by its address first, and by its name a little later. */
function nameOf({ conversationalName, serviceUrl }: Identification): string {
  const [, name = ""] = /\/agents\/([a-z]+)$/u.exec(serviceUrl) ?? [];
  if (conversationalName !== "" && conversationalName !== name) return conversationalName;
  return `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
}

/** What others call themselves must not be more than a name in the guide's own words. */
function isSpeakable(name: string): boolean {
  return /^\p{L}[\p{L}\p{N} ._-]{0,39}$/u.test(name);
}

/** Whether another agent says of itself that it is for this; numbers are for those who calculate. */
export function isForAnother(text: string, room: ConversationView): boolean {
  const others = otherAgents(room);
  if (/\d/u.test(text)) return others.length > 0;
  const said = termsOf(text);
  return others.some(({ synopsis }) => termsOf(synopsis).some((term) => said.includes(term)));
}
