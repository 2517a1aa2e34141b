import type { ConversantView } from "@plenary/client";
import { foldUri, type Identification } from "@plenary/protocol";
import {
  lookalikeKey,
  mentionIn,
  namedAt,
  nameOf,
  peopleMatching,
  type SeatKind,
  type TranscriptEntry,
} from "@plenary/transcript";
import { sanitizeLine } from "../output/sanitize.ts";

/** A participant with its display name. */
export type Participant = { speakerUri: string; name: string };

export type Participants = ReturnType<typeof createParticipants>;

type KnownParticipant = { identification: Identification; kind: SeatKind };

const nameMax = 40;

/** The participants of a conversation, also by former speakerUris. */
export function createParticipants(me: string) {
  /** By current speakerUri. */
  const known = new Map<string, KnownParticipant>();
  /** Former speakerUri to current one. */
  const former = new Map<string, string>();
  const shown = new Map<string, string>();
  let here: readonly ConversantView[] = [];

  const current = (speakerUri: string) => {
    const key = foldUri(speakerUri);
    return former.get(key) ?? key;
  };
  const learn = (identification: Identification, kind: SeatKind) => {
    known.set(foldUri(identification.speakerUri), { identification, kind });
    shown.clear();
  };
  /** Names are not unique: of two that look the same the later one gets a number. "You" is reserved. */
  const nameAll = () => {
    const taken = new Set(["you"]);
    for (const [uri, { identification }] of known) {
      const own = shownName(identification.speakerUri, identification);
      let name = own;
      for (let number = 2; taken.has(lookalikeKey(name)); number += 1) name = `${own} (${number})`;
      taken.add(lookalikeKey(name));
      shown.set(uri, name);
    }
  };
  /** The display name; "You" for the person at this terminal. */
  const nameFor = (speakerUri: string) => {
    const key = current(speakerUri);
    if (key === foldUri(me)) return "You";
    if (shown.size === 0) nameAll();
    return shown.get(key) ?? shownName(speakerUri, undefined);
  };
  return {
    addEntry(entry: TranscriptEntry): void {
      if (entry.kind === "seated") learn(entry.seat.identification, entry.seat.kind);
      if (entry.kind === "opened" && entry.owner !== undefined) learn(entry.owner.identification, entry.owner.kind);
      if (entry.kind !== "renamed") return;
      const [from, to] = [foldUri(entry.from), foldUri(entry.to)];
      const kind = known.get(from)?.kind ?? "agent";
      known.delete(from);
      if (from !== to) former.set(from, to);
      former.delete(to);
      learn(entry.identification, kind);
    },
    /** The current conversants, from the floor's view. */
    setPresent(conversants: readonly ConversantView[]): void {
      here = conversants;
      for (const { identification, kind } of conversants) learn(identification, kind);
    },
    nameOf: nameFor,
    /** Whether its name is known, or will never arrive. */
    isNamed(speakerUri: string): boolean {
      const key = current(speakerUri);
      const one = known.get(key);
      return key === foldUri(me) || one?.kind !== "agent" || nameOf("", one.identification) !== "";
    },
    kindOf: (speakerUri: string) => known.get(current(speakerUri))?.kind,
    /** All current conversants except this person. */
    others: (): readonly Participant[] =>
      here
        .map(({ identification: { speakerUri } }) => ({ speakerUri, name: nameFor(speakerUri) }))
        .filter(({ speakerUri }) => foldUri(speakerUri) !== foldUri(me)),
  };
}

function shownName(speakerUri: string, identification: Identification | undefined): string {
  return sanitizeLine(nameOf(speakerUri, identification), nameMax);
}

export type NameMatch = { person: Participant; rest: string } | { problem: string };

/** Splits `Echo Bot hello` into the participant and the rest. */
export function matchName(text: string, participants: readonly Participant[]): NameMatch {
  const words = text.replace(/^@/u, "").trim();
  if (participants.length === 0) return { problem: "There are no other participants: /invite adds an agent." };
  if (words === "") return { problem: `Give a name: ${listOf(participants)}.` };
  const whole = namedAt(words, 0, participants);
  const named = participants.find(({ speakerUri }) => speakerUri === whole?.speakerUri);
  if (whole !== undefined && named !== undefined) return { person: named, rest: words.slice(whole.end).trim() };
  const [first = ""] = words.split(/\s+/u);
  const name = first.replace(/[,:]$/u, "");
  const fits = peopleMatching(participants, name);
  const [one, other] = fits;
  if (one === undefined) return { problem: `There is no participant ${name}. Participants: ${listOf(participants)}.` };
  if (other !== undefined)
    return { problem: `${name} matches ${fits.map((fit) => fit.name).join(" and ")}: type more of the name.` };
  return { person: one, rest: words.slice(first.length).trim() };
}

/** The participant that `@Name` anywhere in the text addresses. */
export function addresseeOf(text: string, participants: readonly Participant[]): string | undefined {
  return mentionIn(text, participants)?.speakerUri;
}

function listOf(participants: readonly Participant[]): string {
  return participants.map(({ name }) => name).join(", ");
}
