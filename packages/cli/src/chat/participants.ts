import { foldUri, type Identification } from "@plenary/protocol";
import { mentionIn, namedAt, nameOf, peopleMatching, seemingly } from "@plenary/transcript";
import type { ConversantView, Entry, SeatKind } from "../floor/conversation-client.ts";
import { sanitizeLine } from "../output/sanitize.ts";

/** Somebody who can be meant by a name that is typed. */
export type Participant = { speakerUri: string; name: string };

/** Whom this conversation knows, by every name each has or had. */
export type Participants = {
  addEntry(entry: Entry): void;
  /** Who is here now, as the floor says. */
  setPresent(conversants: readonly ConversantView[]): void;
  /** How somebody is shown; "You" for the person at this terminal. */
  nameOf(speakerUri: string): string;
  /** Whether its own name is known, or nobody will ever tell it. */
  isNamed(speakerUri: string): boolean;
  kindOf(speakerUri: string): SeatKind | undefined;
  /** Everybody but me who is seated now. */
  others(): readonly Participant[];
};

type KnownParticipant = { identification: Identification; kind: SeatKind };

const nameMax = 40;

export function createParticipants(me: string): Participants {
  /** By the name that it has now. */
  const known = new Map<string, KnownParticipant>();
  /** Names that were given up, and whose they were. */
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
  /** Names are everybody's own choice: of two that look the same the later one has a number, and nobody else is "You". */
  const nameAll = () => {
    const taken = new Set(["you"]);
    for (const [uri, { identification }] of known) {
      const own = shownName(identification.speakerUri, identification);
      let name = own;
      for (let number = 2; taken.has(seemingly(name)); number += 1) name = `${own} (${number})`;
      taken.add(seemingly(name));
      shown.set(uri, name);
    }
  };
  const nameFor = (speakerUri: string) => {
    const key = current(speakerUri);
    if (key === foldUri(me)) return "You";
    if (shown.size === 0) nameAll();
    return shown.get(key) ?? shownName(speakerUri, undefined);
  };
  return {
    addEntry(entry) {
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
    setPresent(conversants) {
      here = conversants;
      for (const { identification, kind } of conversants) learn(identification, kind);
    },
    nameOf: nameFor,
    isNamed(speakerUri) {
      const key = current(speakerUri);
      const one = known.get(key);
      return key === foldUri(me) || one?.kind !== "agent" || nameOf("", one.identification) !== "";
    },
    kindOf: (speakerUri) => known.get(current(speakerUri))?.kind,
    others: () =>
      here
        .map(({ identification: { speakerUri } }) => ({ speakerUri, name: nameFor(speakerUri) }))
        .filter(({ speakerUri }) => foldUri(speakerUri) !== foldUri(me)),
  };
}

function shownName(speakerUri: string, identification: Identification | undefined): string {
  return sanitizeLine(nameOf(speakerUri, identification), nameMax);
}

export type NameMatch = { person: Participant; rest: string } | { problem: string };

/** `Echo Bot psst`: who is meant by the beginning of a text, and what follows. */
export function matchName(text: string, participants: readonly Participant[]): NameMatch {
  const words = text.replace(/^@/u, "").trim();
  if (participants.length === 0) return { problem: "Nobody else is here: /invite brings somebody." };
  if (words === "") return { problem: `Say whom: ${listOf(participants)}.` };
  const whole = namedAt(words, 0, participants);
  const named = participants.find(({ speakerUri }) => speakerUri === whole?.speakerUri);
  if (whole !== undefined && named !== undefined) return { person: named, rest: words.slice(whole.end).trim() };
  const [first = ""] = words.split(/\s+/u);
  const name = first.replace(/[,:]$/u, "");
  const fits = peopleMatching(participants, name);
  const [one, other] = fits;
  if (one === undefined) return { problem: `Nobody here is called ${name}. Here are ${listOf(participants)}.` };
  if (other !== undefined)
    return { problem: `${name} may be ${fits.map((fit) => fit.name).join(" or ")}: write more of it.` };
  return { person: one, rest: words.slice(first.length).trim() };
}

/** `@Name`: whom a text speaks to, wherever it says so. */
export function addresseeOf(text: string, participants: readonly Participant[]): string | undefined {
  return mentionIn(text, participants)?.speakerUri;
}

function listOf(participants: readonly Participant[]): string {
  return participants.map(({ name }) => name).join(", ");
}
