import type { UtteranceLine } from "../lines/line.ts";
import type { Identification } from "../transcript.ts";

/** The known identifications, and the reader. */
type NameContext = { identifications: ReadonlyMap<string, Identification>; me: string };

type DisplayNames = { me: string; byUri: ReadonlyMap<string, string>; taken: ReadonlySet<string> };

/** Cached, because names are needed at every key stroke. */
const cache = new WeakMap<NameContext["identifications"], DisplayNames>();

/**
 * The display name of a speaker. Speakers choose their own names: of two that look the same the later one gets a
 * number, and only the reader is "You" or has the reader's name.
 */
export function nameIn(context: NameContext, speakerUri: string): string {
  const { byUri, taken } = namesOf(context);
  const known = byUri.get(speakerUri);
  if (known !== undefined) return known;
  // An unknown speaker must not look like a known one.
  const name = nameOf(speakerUri, undefined);
  return taken.has(lookalikeKey(name)) ? singleLine(speakerUri) : name;
}

function namesOf({ identifications, me }: NameContext): DisplayNames {
  const known = cache.get(identifications);
  if (known?.me === me) return known;
  const names = displayNames(identifications, me);
  cache.set(identifications, names);
  return names;
}

function displayNames(identifications: NameContext["identifications"], me: string): DisplayNames {
  const own = identifications.get(me);
  const ownUri = own?.speakerUri ?? me;
  const ownName = nameOf(ownUri, own);
  const byPerson = new Map([[ownUri, ownName]]);
  const taken = new Set(["you", lookalikeKey(ownName)]);
  const freeName = createNumbering(taken);
  for (const identification of identifications.values()) {
    const { speakerUri } = identification;
    if (byPerson.has(speakerUri)) continue;
    const name = freeName(nameOf(speakerUri, identification));
    taken.add(lookalikeKey(name));
    byPerson.set(speakerUri, name);
  }
  const byUri = new Map([[me, ownName]]);
  for (const [uri, { speakerUri }] of identifications) byUri.set(uri, byPerson.get(speakerUri) ?? ownName);
  return { me, byUri, taken };
}

/** Returns a free name. Remembers the last number of each name, so that many equal names stay fast. */
function createNumbering(taken: ReadonlySet<string>): (name: string) => string {
  const numbers = new Map<string, number>();
  return (name) => {
    const likeness = lookalikeKey(name);
    if (!taken.has(likeness)) return name;
    let number = numbers.get(likeness) ?? 2;
    while (taken.has(lookalikeKey(`${name} (${number})`))) number += 1;
    numbers.set(likeness, number);
    return `${name} (${number})`;
  };
}

/**
 * The speaker of an utterance in words: always its sender. Another speaker is only the sender's claim, and is shown as
 * such.
 */
export function speakerWords({ sender, relayedFrom }: SpokenLine, nameFor: (speakerUri: string) => string): string {
  return relayedFrom === undefined ? nameFor(sender) : `${nameFor(sender)}, relaying ${nameFor(relayedFrom)}`;
}

type SpokenLine = Pick<UtteranceLine, "sender" | "relayedFrom">;

/** Name, initials and hue of a conversant, the same on every page. */
export type Face = { name: string; initials: string; hue: number };

/** As many hues as people can distinguish, also without seeing red or green; light and dark are in the style sheet. */
const hues = 10;

export function faceOf(speakerUri: string, identification: Identification | undefined): Face {
  const name = nameOf(speakerUri, identification);
  return { name, initials: initialsOf(name), hue: hueOf(speakerUri) };
}

/** Its own name; else its web address without the scheme, or the last visible part of its URI. */
export function nameOf(speakerUri: string, identification: Identification | undefined): string {
  const { conversationalName } = identification ?? {};
  const given = typeof conversationalName === "string" ? singleLine(conversationalName) : "";
  if (isVisible(given)) return given;
  const uri = singleLine(speakerUri);
  const address = /^https?:\/\/(?<place>[^?#]+?)\/?(?:[?#]|$)/u.exec(uri)?.groups?.place;
  if (address !== undefined) return address;
  return uri.split(/[/:,#?]/u).findLast(isVisible) ?? uri;
}

/** On one line, without characters that change the text direction. */
export function singleLine(text: string): string {
  return text
    .replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\p{Cs}]/gu, "")
    .replace(/[\p{Cc}\p{Z}]+/gu, " ")
    .trim();
}

/** A key for comparison: equal for texts that look the same. */
export function lookalikeKey(text: string): string {
  const plain = text.normalize("NFKC").replace(unseen, "");
  return plain
    .replace(foreign, (letter) => likeness.get(letter) ?? letter)
    .toLowerCase()
    .trim();
}

/** Cyrillic and Greek letters, each with the Latin letter that looks the same. */
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
