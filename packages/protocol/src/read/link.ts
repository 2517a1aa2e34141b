import { isRecord } from "../is-record.ts";
import type { Feature } from "../model/feature.ts";

/** A link longer than this matches nothing. */
export const linkCharactersMax = 2_048;

/** A link has at most so many matches. */
export const linkMatchesMax = 10_000;

/** Limit of visited places for one link. */
export const linkPlacesMax = 100_000;

/** Limit of visited places for all links of one check: every reader of an event runs it. */
export const checkedPlacesMax = 20_000;

type Selector =
  | { kind: "name"; name: string }
  | { kind: "index"; index: number }
  | { kind: "slice"; start: number | undefined; end: number | undefined; step: number }
  | { kind: "all" }
  | { kind: "substring"; start: number; end: number };

type Step = { isDeep: boolean; selectors: Selector[] };

// Stands for the content at a valueUrl. Dialog Event 1.0.2: it is addressed as if it were inline, and it is not fetched here.
const remote: unique symbol = Symbol("remote");

/**
 * The parts of a dialog event a token's link leads to: Goessner's JSONPath from `$`, the features, with an optional
 * `.substring(start,end)` at its end (Dialog Event 1.0.2, links). Content at a valueUrl is not among them.
 */
export function resolveLink(link: string, features: Record<string, Feature>): unknown[] {
  const steps = stepsOf(link);
  if (steps === undefined) return [];
  const search = { steps, matches: [], matchesMax: linkMatchesMax, placesLeft: linkPlacesMax, children: new Map() };
  walk(features, 0, search);
  return search.matches.filter((match) => match !== remote);
}

/** Checks whether links of one event resolve. All checks together visit at most `checkedPlacesMax` places. */
export function createLinkCheck(features: Record<string, Feature>): (link: string) => boolean {
  // Most events have no links; then nothing is set up.
  let children: Children | undefined;
  let placesLeft = checkedPlacesMax;
  return (link) => {
    children ??= new Map();
    const steps = stepsOf(link);
    if (steps === undefined) return false;
    const search: Search = { steps, matches: [], matchesMax: 1, placesLeft, children };
    walk(features, 0, search);
    placesLeft = search.placesLeft;
    // Content at a valueUrl is a match, and unsearched parts may hold one: only a certain failure counts.
    return isOver(search);
  };
}

export function leadsSomewhere(link: string, features: Record<string, Feature>): boolean {
  return createLinkCheck(features)(link);
}

/** Listing a large object is slow, so the list is cached. */
type Children = Map<object, readonly unknown[]>;

type Search = {
  steps: readonly Step[];
  matches: unknown[];
  matchesMax: number;
  placesLeft: number;
  children: Children;
};

function isOver({ matches, matchesMax, placesLeft }: Search): boolean {
  return placesLeft <= 0 || matches.length >= matchesMax;
}

function walk(place: unknown, at: number, search: Search): void {
  if (isOver(search)) return;
  search.placesLeft -= 1;
  const step = search.steps[at];
  if (step === undefined || place === remote) {
    search.matches.push(place);
    return;
  }
  for (const selector of step.selectors) {
    search.placesLeft -= 1;
    for (const part of partsOf(place, selector, search.children)) {
      if (isOver(search)) return;
      walk(part, at + 1, search);
    }
  }
  if (!step.isDeep) return;
  for (const part of childrenOf(place, search.children)) {
    if (isOver(search)) return;
    walk(part, at, search);
  }
}

function partsOf(place: unknown, selector: Selector, children: Children): Iterable<unknown> {
  switch (selector.kind) {
    case "name":
      return memberOf(place, selector.name);
    case "index":
      return Array.isArray(place) ? itemOf(place, selector.index) : [];
    case "slice":
      return Array.isArray(place) ? itemsOf(place, selector) : [];
    case "all":
      return childrenOf(place, children);
    case "substring":
      return typeof place === "string" ? substringOf(place, selector) : [];
  }
}

function memberOf(place: unknown, name: string): unknown[] {
  if (!isRecord(place)) return [];
  if (Object.hasOwn(place, name)) return [place[name]];
  return name === "value" && isRemote(place) ? [remote] : [];
}

function itemOf(list: readonly unknown[], index: number): unknown[] {
  const at = index < 0 ? list.length + index : index;
  return at >= 0 && at < list.length ? [list[at]] : [];
}

function childrenOf(place: unknown, children: Children): readonly unknown[] {
  if (Array.isArray(place)) return place;
  if (!isRecord(place)) return [];
  const listed = children.get(place);
  if (listed !== undefined) return listed;
  const list = isRemote(place) ? [...Object.values(place), remote] : Object.values(place);
  children.set(place, list);
  return list;
}

function isRemote(token: Record<string, unknown>): boolean {
  return typeof token.valueUrl === "string" && !Object.hasOwn(token, "value");
}

function* itemsOf(list: readonly unknown[], slice: Selector & { kind: "slice" }): Generator<unknown> {
  const { step } = slice;
  if (step === 0) return;
  const [first, last] = step > 0 ? [0, list.length] : [-1, list.length - 1];
  const bound = (at: number) => Math.min(last, Math.max(first, at < 0 ? list.length + at : at));
  const start = slice.start === undefined ? (step > 0 ? first : last) : bound(slice.start);
  const end = slice.end === undefined ? (step > 0 ? last : first) : bound(slice.end);
  for (let at = start; step > 0 ? at < end : at > end; at += step) yield list[at];
}

// Our choice: both ends count from zero and belong to the result, an end past the text is its last character, and a
// character is a UTF-16 unit as in JavaScript, whose expressions Goessner's paths borrow. Dialog Event 1.0.2 says
// "zero", and its example fits no reading.
function substringOf(text: string, { start, end }: { start: number; end: number }): string[] {
  return start < text.length && start <= end ? [text.slice(start, end + 1)] : [];
}

// No two neighbouring parts of a pattern match the same character, so each pattern runs in linear time.
const substring = /\.substring\(\s*(\d+)\s*,\s*(\d+)\s*\)$/uy;
const dotted = /(\.\.?)(?:(\*)|([^\s.[\]()'"*,]+))/uy;
const opening = /(\.\.)?\[/uy;
const closing = /\s*([,\]])/uy;
const quoted = /\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")/suy;
const star = /\s*\*/uy;
const slice = /\s*(-?\d+\s*)?:\s*(-?\d+\s*)?(?::\s*(-?\d+)?)?/uy;
const index = /\s*(-?\d+)/uy;

type Cursor = { text: string; at: number };

function take(cursor: Cursor, pattern: RegExp): RegExpExecArray | undefined {
  pattern.lastIndex = cursor.at;
  const found = pattern.exec(cursor.text) ?? undefined;
  if (found !== undefined) cursor.at += found[0].length;
  return found;
}

/** Undefined for an invalid path, and for filters and scripts: peers' expressions are never evaluated. */
function stepsOf(link: string): Step[] | undefined {
  if (!link.startsWith("$") || link.length > linkCharactersMax) return undefined;
  const cursor = { text: link, at: 1 };
  const steps: Step[] = [];
  while (cursor.at < link.length) {
    const step = stepAt(cursor);
    if (step === undefined) return undefined;
    steps.push(step);
  }
  return steps;
}

function stepAt(cursor: Cursor): Step | undefined {
  const cut = take(cursor, substring);
  if (cut !== undefined) {
    return { isDeep: false, selectors: [{ kind: "substring", start: Number(cut[1]), end: Number(cut[2]) }] };
  }
  const child = take(cursor, dotted);
  if (child !== undefined) {
    const [, dots, , name] = child;
    return { isDeep: dots === "..", selectors: [name === undefined ? { kind: "all" } : { kind: "name", name }] };
  }
  const bracket = take(cursor, opening);
  if (bracket === undefined) return undefined;
  const selectors = selectorsAt(cursor);
  return selectors && { isDeep: bracket[1] !== undefined, selectors };
}

function selectorsAt(cursor: Cursor): Selector[] | undefined {
  const selectors: Selector[] = [];
  for (;;) {
    const selector = selectorAt(cursor);
    const mark = take(cursor, closing)?.[1];
    if (selector === undefined || mark === undefined) return undefined;
    selectors.push(selector);
    if (mark === "]") return selectors;
  }
}

function selectorAt(cursor: Cursor): Selector | undefined {
  if (take(cursor, star) !== undefined) return { kind: "all" };
  const name = take(cursor, quoted);
  if (name !== undefined) return { kind: "name", name: (name[1] ?? name[2] ?? "").replace(/\\(.)/gsu, "$1") };
  const range = take(cursor, slice);
  if (range !== undefined) {
    const [, start, end, step] = range;
    return { kind: "slice", start: numberIn(start), end: numberIn(end), step: numberIn(step) ?? 1 };
  }
  const place = take(cursor, index);
  return place && { kind: "index", index: Number(place[1]) };
}

function numberIn(digits: string | undefined): number | undefined {
  return digits === undefined ? undefined : Number(digits);
}
