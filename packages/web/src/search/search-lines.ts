import type { Line, UtteranceLine } from "@plenary/transcript";
import { plainTextOf } from "../features/plain-text.ts";
import { speakerText } from "../texts/texts.ts";

export type TextPiece = { text: string; isHit: boolean };

const excerptMax = 160;
const beforeHit = 40;

/** Lines are immutable, so each is normalized once. */
const indexed = new WeakMap<UtteranceLine, string>();

/** Words of a query; all of them must match. */
export function termsOf(query: string): string[] {
  return [...new Set(normalized(query).split(/\s+/u))].filter((term) => term !== "");
}

/** Utterances that contain all words in their text or speaker name, newest first. */
export function foundLines(
  lines: readonly Line[],
  terms: readonly string[],
  nameOf: (speakerUri: string) => string,
): UtteranceLine[] {
  if (terms.length === 0) return [];
  const names = new Map<string, string>();
  const foldedName = (speakerUri: string) => {
    const name = names.get(speakerUri) ?? normalized(nameOf(speakerUri));
    names.set(speakerUri, name);
    return name;
  };
  const utterances = lines.filter((line) => line.kind === "utterance");
  const found = utterances.filter((line) => {
    const text = indexedText(line);
    const name = speakerText(line, foldedName);
    return terms.every((term) => text.includes(term) || name.includes(term));
  });
  return found.reverse();
}

const linesPerStep = 500;

/** Indexes the next lines and returns how many are left. */
export function indexLines(lines: readonly Line[], left: number = lines.length): number {
  const until = Math.max(0, left - linesPerStep);
  for (const line of lines.slice(until, left)) {
    if (line.kind === "utterance") indexedText(line);
  }
  return until;
}

function indexedText(line: UtteranceLine): string {
  const known = indexed.get(line);
  if (known !== undefined) return known;
  const text = normalized(plainTextOf(line.dialogEvent));
  indexed.set(line, text);
  return text;
}

/** The text around the first hit, with all hits marked. */
export function excerptOf(text: string, terms: readonly string[]): TextPiece[] {
  const line = text.replace(/\s+/gu, " ").trim();
  const first = hitsIn(line, terms)[0]?.from ?? 0;
  const from = first <= beforeHit ? 0 : wordStart(line, first - beforeHit, first);
  const excerpt = line.slice(from, from + excerptMax);
  const head = from > 0 ? "…" : "";
  const tail = from + excerptMax < line.length ? "…" : "";
  return marked(head + excerpt.replace(/[\uD800-\uDBFF]$/u, "") + tail, terms);
}

export function marked(text: string, terms: readonly string[]): TextPiece[] {
  const pieces: TextPiece[] = [];
  let at = 0;
  for (const { from, to } of hitsIn(text, terms)) {
    if (from > at) pieces.push({ text: text.slice(at, from), isHit: false });
    pieces.push({ text: text.slice(Math.max(at, from), to), isHit: true });
    at = to;
  }
  if (at < text.length) pieces.push({ text: text.slice(at), isHit: false });
  return pieces;
}

type Hit = { from: number; to: number };

/** Positions in the original text; overlapping or adjacent hits are merged. */
function hitsIn(text: string, terms: readonly string[]): Hit[] {
  const { plain, places } = normalizedWithPositions(text);
  const hits: Hit[] = [];
  for (const term of terms) {
    for (let at = plain.indexOf(term); at >= 0 && term !== ""; at = plain.indexOf(term, at + term.length)) {
      hits.push({ from: places[at] ?? 0, to: places[at + term.length] ?? text.length });
    }
  }
  const merged: Hit[] = [];
  for (const hit of hits.sort((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last !== undefined && hit.from <= last.to) last.to = Math.max(last.to, hit.to);
    else merged.push(hit);
  }
  return merged;
}

/** The normalized text with the original position of each character. */
function normalizedWithPositions(text: string): { plain: string; places: number[] } {
  let plain = "";
  let at = 0;
  const places: number[] = [];
  for (const character of text) {
    const fold = normalized(character);
    for (let index = 0; index < fold.length; index += 1) places.push(at);
    plain += fold;
    at += character.length;
  }
  places.push(at);
  return { plain, places };
}

function wordStart(text: string, from: number, to: number): number {
  const space = text.indexOf(" ", from);
  return space >= 0 && space < to ? space + 1 : from;
}

const ascii = /^[\0-\x7f]*$/u;
const marks = /[\u0300-\u036f]/gu;

/** For comparison: "Élan" equals "elan". Meaningful marks of other scripts stay. */
export function normalized(text: string): string {
  const lower = text.toLowerCase();
  return ascii.test(lower) ? lower : lower.normalize("NFD").replace(marks, "");
}
