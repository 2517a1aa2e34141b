import { type Identification, isSameUri, textOf } from "@plenary/protocol";
import {
  createKnownPeople,
  createQuestions,
  type Line,
  lineOf,
  nameIn,
  noteText,
  type Questions,
  type SeatKind,
} from "@plenary/transcript";
import type { ConversationView, Entry } from "./contract.ts";

/** A line of the transcript, ready to print. For a note the speaker is the floor. */
export type SpokenLine = Line & {
  speaker: { speakerUri: string; name: string; kind: SeatKind | "floor" };
  text: string;
};

/** The conversants of a log: names and kinds, from its entries and from the view. */
export function createPeople(me: string) {
  const people = createKnownPeople();
  const kinds = new Map<string, SeatKind>();
  const asked = new Set<string>();
  const seat = (one: { identification: Identification; kind: SeatKind }) => {
    kinds.set(one.identification.speakerUri, one.kind);
    return one.identification;
  };
  return {
    hear(entry: Entry): void {
      if (entry.kind === "seated") people.hear(seat(entry.seat));
      if (entry.kind === "opened" && entry.owner !== undefined) people.hear(seat(entry.owner));
      if (entry.kind !== "renamed") return;
      people.hear(entry.identification, entry.from);
      kinds.set(entry.to, kinds.get(entry.from) ?? "agent");
    },
    look: (view: Pick<ConversationView, "conversants">) => people.look(view.conversants.map(seat)),
    /** Also true when the view was asked for it before. */
    isNamed(speakerUri: string): boolean {
      const isNew = (people.all().get(speakerUri)?.conversationalName ?? "") === "" && !asked.has(speakerUri);
      if (isNew) asked.add(speakerUri);
      return !isNew;
    },
    nameFor: (speakerUri: string) => nameIn({ identifications: people.all(), me }, speakerUri),
    kindOf: (speakerUri: string) => kinds.get(speakerUri),
  };
}

export type People = ReturnType<typeof createPeople>;

/** The line of an entry; undefined for entries that are not shown, and for one that cannot be read. */
export function spokenLine(entry: Entry, people: People, floorUri: string): SpokenLine | undefined {
  try {
    people.hear(entry);
    const line = lineOf(entry, floorUri);
    if (line === undefined) return undefined;
    if (line.kind === "note") {
      const speaker = { speakerUri: floorUri, name: "floor", kind: "floor" as const };
      return { ...line, speaker, text: noteText(line, people.nameFor, String) };
    }
    const { sender } = line;
    const isFloor = isSameUri(sender, floorUri);
    const kind: SpokenLine["speaker"]["kind"] = people.kindOf(sender) ?? (isFloor ? "floor" : "agent");
    const speaker = { speakerUri: sender, name: people.nameFor(sender), kind };
    return { ...line, speaker, text: textOf(line.dialogEvent) };
  } catch {
    return undefined; // a foreign floor may send any entry, and one must not end the reading
  }
}

/** The open questions in these entries (D31). */
export function openQuestions(me: string, entries: readonly Entry[], people: People, floorUri: string) {
  const questions = createQuestions(me, people);
  for (const entry of entries) takeQuestion(questions, entry, spokenLine(entry, people, floorUri));
  return questions;
}

/** Adds the question of a line, or closes those that it answers. Agents that leave take their questions with them. */
export function takeQuestion(questions: Questions, entry: Entry, line: Line | undefined): void {
  if (line?.kind === "utterance") questions.take(line);
  if (entry.kind !== "event") return;
  if (entry.event.eventType === "bye") questions.drop(entry.sender);
  if (entry.event.eventType === "uninvite" && entry.target !== undefined) questions.drop(entry.target);
}

/** Whether the entry says that this conversant joined, left or was removed. */
export function isAttendanceOf(me: string, entry: Entry): boolean {
  if (entry.kind === "seated") return isSameUri(entry.seat.identification.speakerUri, me);
  if (entry.kind !== "event") return false;
  if (entry.event.eventType === "bye") return isSameUri(entry.sender, me);
  return entry.event.eventType === "uninvite" && entry.target !== undefined && isSameUri(entry.target, me);
}

/** A former conversant does not see the agents' state. */
export function withoutSelf(me: string, view: ConversationView): ConversationView {
  const conversants = view.conversants.filter(({ identification }) => !isSameUri(identification.speakerUri, me));
  const floorGranted = view.floorGranted.filter((speakerUri) => !isSameUri(speakerUri, me));
  return { ...view, conversants, floorGranted, isPaused: false, awaited: [] };
}

/** Until the view is read. */
export const emptyView: Omit<ConversationView, "id"> = {
  seq: 0,
  isClosed: false,
  isPaused: false,
  conversants: [],
  floorGranted: [],
  floorRequested: [],
  assignedFloorRoles: {},
  options: {},
};
