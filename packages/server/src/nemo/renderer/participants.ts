import { foldUri, type Identification } from "@plenary/protocol";
import {
  createKnownPeople,
  lookalikeKey,
  nameIn,
  nameOf,
  oneLine,
  type SeatKind,
  speakerWords,
  type TranscriptEntry,
  type UtteranceLine,
} from "@plenary/transcript";

/** The conversants that this person has seen in the conversation. */
export type RendererParticipants = {
  hear(entry: TranscriptEntry): void;
  look(conversants: Conversants): void;
  /** For Markdown: it marks nothing and is one line. */
  nameFor(speakerUri: string): string;
  speakerWords(line: Pick<UtteranceLine, "sender" | "relayedFrom">): string;
  /** Whether that is how another than this one is named. */
  isNameOfOther(name: string, speakerUri: string): boolean;
  isMe(speakerUri: string): boolean;
  isSame(one: string, other: string): boolean;
  kindOf(speakerUri: string): SeatKind | undefined;
  /** Names of the agents that are here now. */
  agents(): string[];
  /** Until when it is worth waiting for the name of this one: who has just come tells it a moment later. */
  nameDueMs(speakerUri: string): number | undefined;
  /** Whether words of this one need a name: not when it is the only other one that was ever here. */
  needsName(speakerUri: string): boolean;
};

const nameCharsMax = 100;

/** They look the same and mark nothing; two names that differ only by this were made distinct before. */
const harmless: Readonly<Record<string, string>> = { "*": "＊", "<": "＜", ">": "＞", "`": "｀", "&": "＆" };

/** Every mark of Markdown is itself, and no name is cut in two by it; nor is a letter of one written as a reference. */
export function unmarked(text: string, charsMax: number): string {
  return oneLine(text, charsMax)
    .replace(/[*<>`]|&(?=#?[a-z\d]+;)/giu, (mark) => harmless[mark] ?? "")
    .replace(/[\\[\]]/gu, "\\$&");
}

/** Who has a seat, as the floor says. */
export type Conversants = readonly { identification: Identification; kind: SeatKind; state: "invited" | "joined" }[];

export function createRendererParticipants(me: string): RendererParticipants {
  const known = createKnownPeople();
  const kinds = new Map<string, SeatKind>();
  const seated = new Set<string>();
  const here = new Set<string>();
  const due = createPendingNames();
  const currently = (uri: string) => known.all().get(uri)?.speakerUri ?? uri;
  const isSame = (one: string, other: string) =>
    one === other || foldUri(one) === foldUri(other) || foldUri(currently(one)) === foldUri(currently(other));
  // Asked with each piece of a draft, of one speaker again and again.
  let asked: { uri: string; isMe: boolean } | undefined;
  const isMe = (uri: string) => {
    if (asked?.uri !== uri) asked = { uri, isMe: isSame(uri, me) };
    return asked.isMe;
  };
  const meet = ({ identification, kind, state }: Conversants[number]) => {
    kinds.set(foldUri(identification.speakerUri), kind);
    if (state !== "joined") return;
    seated.add(identification.speakerUri);
    here.add(identification.speakerUri);
  };
  const miss = (gone: string) => {
    for (const uri of [...here]) if (isSame(uri, gone)) here.delete(uri);
  };
  const nameFor = (uri: string) => unmarked(nameIn({ identifications: known.all(), me }, uri), nameCharsMax);
  const others = () => new Set([...seated].filter((uri) => !isMe(uri)).map((uri) => foldUri(currently(uri))));
  return {
    hear(entry) {
      asked = undefined;
      if (entry.kind === "renamed") {
        known.hear(entry.identification, entry.from);
        const kind = kinds.get(foldUri(entry.from));
        if (kind !== undefined) kinds.set(foldUri(entry.identification.speakerUri), kind);
        due.expect(entry.identification, kind, entry.at);
      }
      const gone = leaverIn(entry);
      if (gone !== undefined) miss(gone);
      const participant = entry.kind === "seated" ? entry.seat : entry.kind === "opened" ? entry.owner : undefined;
      if (participant === undefined) return;
      known.hear(participant.identification);
      meet(participant);
      if (entry.kind === "seated") due.expect(participant.identification, participant.kind, entry.at);
    },
    look(conversants) {
      asked = undefined;
      known.look(conversants.map(({ identification }) => identification));
      conversants.forEach(meet);
      for (const { identification } of conversants) due.named(identification);
    },
    nameFor,
    speakerWords: (line) => speakerWords(line, nameFor),
    isNameOfOther(name, uri) {
      const likeness = lookalikeKey(name);
      const others = [...known.all().keys()].filter((other) => !isSame(other, uri));
      return likeness === "you" || others.some((other) => lookalikeKey(nameFor(other)) === likeness);
    },
    isMe,
    isSame,
    kindOf: (uri) => kinds.get(foldUri(currently(uri))),
    agents() {
      const all = new Set([...here].map(currently).filter((uri) => !isMe(uri)));
      return [...all].filter((uri) => kinds.get(foldUri(uri)) === "agent").map(nameFor);
    },
    nameDueMs: (uri) => due.dueMs(currently(uri)),
    needsName(uri) {
      const all = others();
      return all.size !== 1 || !all.has(foldUri(currently(uri)));
    },
  };
}

function leaverIn(entry: TranscriptEntry): string | undefined {
  if (entry.kind !== "event") return undefined;
  const { eventType } = entry.event;
  if (eventType === "uninvite") return entry.target;
  return eventType === "bye" || eventType === "declineInvite" ? entry.sender : undefined;
}

/** An agent whose name is not known by then is named by its address. */
const nameWaitMs = 500;

/** Agents that have just joined and whose manifests, with their names, have not arrived yet. */
type PendingNames = {
  expect(identification: Identification, kind: SeatKind | undefined, at: string): void;
  named(identification: Identification): void;
  dueMs(speakerUri: string): number | undefined;
};

function createPendingNames(): PendingNames {
  const due = new Map<string, number>();
  const named = (identification: Identification) => {
    if (nameOf("", identification) !== "") due.delete(foldUri(identification.speakerUri));
  };
  return {
    named,
    expect(identification, kind, at) {
      const isNameless = kind === "agent" && nameOf("", identification) === "";
      if (isNameless) due.set(foldUri(identification.speakerUri), Date.parse(at) + nameWaitMs);
      else named(identification);
    },
    dueMs: (speakerUri) => due.get(foldUri(speakerUri)),
  };
}
