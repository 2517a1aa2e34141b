import type { UtteranceLine } from "../lines/line.ts";
import type { Identification } from "../transcript.ts";

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

/** How a conversant is told from others at a glance: a hue and initials, the same on every page and day. */
export type Face = { name: string; initials: string; hue: number };

/** So many hues as people still tell apart, those who see no red or green too; light and dark are in the style sheet. */
const hues = 10;

export function faceOf(speakerUri: string, identification: Identification | undefined): Face {
  const name = nameOf(speakerUri, identification);
  return { name, initials: initialsOf(name), hue: hueOf(speakerUri) };
}

/** Its own name; else its web address as people write one, or the last part of its URI that says something. */
export function nameOf(speakerUri: string, identification: Identification | undefined): string {
  const { conversationalName } = identification ?? {};
  const given = typeof conversationalName === "string" ? written(conversationalName) : "";
  if (isVisible(given)) return given;
  const uri = written(speakerUri);
  const address = /^https?:\/\/(?<place>[^?#]+?)\/?(?:[?#]|$)/u.exec(uri)?.groups?.place;
  if (address !== undefined) return address;
  return uri.split(/[/:,#?]/u).findLast(isVisible) ?? uri;
}

/** On one line, and without what turns the direction of the words around it. */
export function written(text: string): string {
  return text
    .replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\p{Cs}]/gu, "")
    .replace(/[\p{Cc}\p{Z}]+/gu, " ")
    .trim();
}

/** For comparing: equal for what looks the same or nearly so. */
export function seemingly(text: string): string {
  const plain = text.normalize("NFKC").replace(unseen, "");
  return plain
    .replace(foreign, (letter) => likeness.get(letter) ?? letter)
    .toLowerCase()
    .trim();
}

/** Cyrillic and Greek letters, each above the Latin one that nobody tells it from. */
const rows = [
  ["АВЕЅІЈКМНОРСТХУаевѕіјкмнорстхуԁһӏԛԝ", "ABESIJKMHOPCTXYaebsijkmhopctxydhlqw"],
  ["ΑΒΕΖΗΙΚΜΝΟΡΤΥΧαεικνορτυχγ", "ABEZHIKMNOPTYXaeikvoptuxy"],
] as const;
const likeness = new Map(rows.flatMap(([letters, latin]) => [...letters].map((one, at) => [one, latin.charAt(at)])));
const foreign = /[\p{Script=Cyrillic}\p{Script=Greek}]/gu;

const unseen = /[\p{Default_Ignorable_Code_Point}\u2800]/gu;

function isVisible(text: string): boolean {
  return /[\p{L}\p{N}\p{P}\p{S}]/u.test(text.replace(unseen, ""));
}

function initialsOf(name: string): string {
  const words = name.split(/[\s_.\-@]+/u).filter((word) => word !== "");
  const [first = "?"] = words;
  const second = words.length > 1 ? words.at(-1) : undefined;
  const letters = second === undefined ? [...first].slice(0, 2) : [[...first][0], [...second][0]];
  return letters.join("").toUpperCase();
}

function hueOf(speakerUri: string): number {
  let value = 0x811c9dc5;
  for (const character of speakerUri) value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return (value >>> 0) % hues;
}
