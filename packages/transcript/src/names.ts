import type { UtteranceLine } from "./lines.ts";
import { nameOf, seemingly, written } from "./people.ts";
import type { Identification } from "./transcript-entry.ts";

/** Whom a page knows, and whose page it is. */
type Circle = { identifications: ReadonlyMap<string, Identification>; me: string };

type Names = { me: string; byUri: ReadonlyMap<string, string>; taken: ReadonlySet<string> };

/** What is known changes seldom; names are asked for at every stroke. */
const made = new WeakMap<Circle["identifications"], Names>();

/**
 * The name by which somebody is shown here. Names are everybody's own choice: of two that look the same the later one has a
 * number, and nobody but the reader is "You" or has the reader's name.
 */
export function nameIn(circle: Circle, speakerUri: string): string {
  const { byUri, taken } = namesOf(circle);
  const known = byUri.get(speakerUri);
  if (known !== undefined) return known;
  // Whoever was only spoken of is not taken for one who is known.
  const name = nameOf(speakerUri, undefined);
  return taken.has(seemingly(name)) ? written(speakerUri) : name;
}

function namesOf({ identifications, me }: Circle): Names {
  const known = made.get(identifications);
  if (known?.me === me) return known;
  const names = named(identifications, me);
  made.set(identifications, names);
  return names;
}

function named(identifications: Circle["identifications"], me: string): Names {
  const own = identifications.get(me);
  const ownUri = own?.speakerUri ?? me;
  const ownName = nameOf(ownUri, own);
  const byPerson = new Map([[ownUri, ownName]]);
  const taken = new Set(["you", seemingly(ownName)]);
  const freeName = createNumbering(taken);
  for (const identification of identifications.values()) {
    const { speakerUri } = identification;
    if (byPerson.has(speakerUri)) continue;
    const name = freeName(nameOf(speakerUri, identification));
    taken.add(seemingly(name));
    byPerson.set(speakerUri, name);
  }
  const byUri = new Map([[me, ownName]]);
  for (const [uri, { speakerUri }] of identifications) byUri.set(uri, byPerson.get(speakerUri) ?? ownName);
  return { me, byUri, taken };
}

/** A name that is free; of one that many have it is known how far its numbers are used. */
function createNumbering(taken: ReadonlySet<string>): (name: string) => string {
  const numbers = new Map<string, number>();
  return (name) => {
    const likeness = seemingly(name);
    if (!taken.has(likeness)) return name;
    let number = numbers.get(likeness) ?? 2;
    while (taken.has(seemingly(`${name} (${number})`))) number += 1;
    numbers.set(likeness, number);
    return `${name} (${number})`;
  };
}

/**
 * Who speaks, in words: always whoever sent it. That somebody else said it is only what the sender says, and is told as
 * that.
 */
export function speakerWords({ sender, relayedFrom }: Spoken, nameFor: (speakerUri: string) => string): string {
  return relayedFrom === undefined ? nameFor(sender) : `${nameFor(sender)}, relaying ${nameFor(relayedFrom)}`;
}

type Spoken = Pick<UtteranceLine, "sender" | "relayedFrom">;
