import { foldUri, type Identification } from "@plenary/protocol";
import { nameOf, seemingly } from "@plenary/transcript";
import { legibleLine } from "./legible.ts";
import type { ConversantView, Entry, SeatKind } from "./wire.ts";

/** Somebody who can be meant by a name that is typed. */
export type Person = { speakerUri: string; name: string };

/** Whom this conversation knows, by every name each has or had. */
export type People = {
  hear(entry: Entry): void;
  /** Who is here now, as the floor says. */
  look(conversants: readonly ConversantView[]): void;
  /** How somebody is shown; "You" for the person at this terminal. */
  nameOf(speakerUri: string): string;
  /** Whether its own name is known, or nobody will ever tell it. */
  isNamed(speakerUri: string): boolean;
  kindOf(speakerUri: string): SeatKind | undefined;
  /** Everybody but me who is seated now. */
  others(): readonly Person[];
};

type Known = { identification: Identification; kind: SeatKind };

const nameMax = 40;

export function createPeople(me: string): People {
  /** By the name that it has now. */
  const known = new Map<string, Known>();
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
    hear(entry) {
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
    look(conversants) {
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
  return legibleLine(nameOf(speakerUri, identification), nameMax);
}
