import { isRecord } from "../is-record.ts";
import { type RuleId, rules } from "../rules/rules.ts";
import { type Fatal, type Fault, type Issue, preview } from "./issue.ts";
import { isFull } from "./issue-list.ts";
import { nearest, type Place, placesOf, pointer } from "./json-path.ts";
import { type Reader, type Shape, unusable } from "./shape.ts";

/**
 * Walks a value along its shape, reports every issue and returns the value made whole, or `unusable`. Nothing is copied
 * unless it changes. An unusable part is left out where its owner can do without it and makes its owner unusable where
 * not; what reaches the top refuses the document.
 */
export function mend(shape: Shape, input: unknown, path: Place | undefined, reader: Reader): unknown {
  const place = originOf(input, reader) ?? path;
  const { value, stands } = mendKnown(shape, input, place, reader);
  if (stands) return value;
  const chosen = shape.note?.choose === undefined ? shape : shape.note.choose(value);
  if (chosen === undefined) return wrong(shape, value, place, reader);
  if (chosen !== shape) return mend(chosen, value, place, reader);
  if (!isOfKind(shape, value)) return wrong(shape, value, place, reader);
  if (Array.isArray(value)) return refine(shape, mendItems(shape, value, place, reader), place, reader);
  if (isRecord(value)) return refine(shape, mendKeys(shape, value, place, reader), place, reader);
  return value;
}

function originOf(value: unknown, { places }: Reader): Place | undefined {
  return typeof value === "object" && value !== null ? places?.get(value) : undefined;
}

/** `fix` where the remedy of the rule does not fit the document at hand. */
type Words = { problem: string; fix?: string | undefined };

/** `words`: a function where it takes time to put them together, which is done only for an issue that is listed. */
export function report(
  reader: Reader,
  place: Place | undefined,
  rule: RuleId,
  words: string | Words | (() => Words),
  severity: "error" | "warning" = "error",
  repaired = true,
): void {
  const listed = (where: Place | undefined): Issue => {
    const { spec, fix: usualFix } = rules[rule];
    const said = typeof words === "function" ? words() : words;
    const { problem, fix = usualFix } = typeof said === "string" ? { problem: said } : said;
    return { path: pointer(where), problem, fix, rule, spec, severity, repaired };
  };
  if (!isFull(reader)) {
    reader.issues.push(listed(reader.places === undefined ? place : nearest(place, reader.document)));
    return;
  }
  const { more } = reader;
  more.count += 1;
  more.rule ??= rule;
  if (severity === "error") more.severity = severity;
  if (!repaired) more.fatal ??= { rule, listed: () => listed(nearest(place, reader.document)) };
}

/** `owner` is the part they were found in: what a repair moved within it is told where it was read. */
export function reportFaults(faults: readonly Fault[], place: Place | undefined, reader: Reader, owner?: object): void {
  for (const { rule, keys, problem, severity } of faults) {
    let [here, value]: [Place | undefined, unknown] = [place, owner];
    for (const key of keys) {
      value = typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
      here = originOf(value, reader) ?? { up: here, key };
    }
    report(reader, here, rule, problem, severity);
  }
}

function mendKnown(shape: Shape, input: unknown, place: Place | undefined, reader: Reader) {
  let value = input;
  for (const { rule, key, says, is, mend: repair, severity = "warning" } of shape.note?.known ?? []) {
    if (!is(value, reader)) continue;
    const found = key === undefined ? value : (value as Record<string, unknown>)[key];
    const words = () => ({ problem: problemOf(rule, found, says), fix: fixOf(shape, rule) });
    report(reader, key === undefined ? place : { up: place, key }, rule, words, severity);
    if (repair === undefined) return { value, stands: true };
    noteMove(reader);
    value = repair(value, reader);
  }
  return { value, stands: false };
}

function wrong(shape: Shape, value: unknown, place: Place | undefined, reader: Reader): unknown {
  const rule = shape.note?.rule;
  if (rule === undefined) throw new Error(`the shape at ${pointer(place)} names no rule`);
  const otherwise = shape.note?.otherwise;
  if (otherwise !== undefined) noteMove(reader);
  const complaint = value === undefined ? "it is missing" : "this is something else";
  const repaired = otherwise === undefined ? unusable : otherwise(value, reader);
  const words = () => ({ problem: problemOf(rule, value, complaint), fix: fixOf(shape, rule) });
  report(reader, place, rule, words, "error", repaired !== unusable);
  return repaired;
}

function fixOf({ note }: Shape, rule: RuleId): string | undefined {
  return note?.rule === rule ? note.fix : undefined;
}

function problemOf(rule: RuleId, value: unknown, complaint: string): string {
  const { says } = rules[rule];
  return value === undefined ? `${says}, but ${complaint}` : `${says}, but ${complaint}: ${preview(value)}`;
}

function isOfKind(shape: Shape, value: unknown): boolean {
  switch (shape.type) {
    case "object":
      return isRecord(value);
    case "array":
      return Array.isArray(value);
    case "number":
      return typeof value === "number" && value >= (shape.minimum ?? -Infinity) && value <= (shape.maximum ?? Infinity);
    case "string":
      return typeof value === "string" && isOfWording(shape, value);
    case "boolean":
      return typeof value === "boolean";
    default:
      return shape.not === undefined && value !== undefined && value !== null;
  }
}

const patterns = new Map<string, RegExp>();

function isOfWording(shape: Shape, value: string): boolean {
  if (shape.const !== undefined) return value === shape.const;
  if (shape.enum !== undefined) return shape.enum.includes(value);
  if (value.length < (shape.minLength ?? 0)) return false;
  if (shape.pattern === undefined) return true;
  const pattern = patterns.get(shape.pattern) ?? new RegExp(shape.pattern, "u");
  patterns.set(shape.pattern, pattern);
  return pattern.test(value);
}

function mendItems(shape: Shape, items: readonly unknown[], place: Place | undefined, reader: Reader): unknown {
  const { items: itemShape, note, maxItems } = shape;
  if (itemShape === undefined) return items;
  const usable: unknown[] = [];
  let lost = false;
  for (const [index, item] of items.entries()) {
    const before = markOf(reader);
    const mended = mend(itemShape, item, { up: place, key: index }, reader);
    if (mended !== unusable) {
      usable.push(mended);
      rejoin(reader, before);
      continue;
    }
    const { essential, leaveOut } = itemShape.note ?? {};
    const fatal = essential === true ? fatalSince(reader, before) : undefined;
    if (essential === true && !reader.dropBadEvents && fatal?.rule !== leaveOut) {
      lost = true;
      rejoin(reader, before);
      // It is refused, and nothing more can be listed.
      if (isFull(reader)) return unusable;
    } else {
      if (fatal !== undefined) {
        const { rule } = fatal;
        reader.leftOut.push({ index, rule, problem: "problem" in fatal ? fatal.problem : rules[rule].says });
      }
      settle(reader, before);
      // Those behind it move up.
      noteMove(reader);
    }
  }
  if (lost) return unusable;
  const tooMany = note?.tooMany;
  if (maxItems !== undefined && usable.length > maxItems && tooMany !== undefined) {
    const count = usable.length;
    report(reader, place, tooMany, () => ({ problem: problemOf(tooMany, items, `there are ${count}`) }));
    usable.length = maxItems;
  }
  return sameItems(items, usable) ? items : usable;
}

function sameItems(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}

function mendKeys(
  shape: Shape,
  record: Record<string, unknown>,
  place: Place | undefined,
  reader: Reader,
): Record<string, unknown> | typeof unusable {
  const properties = shape.properties ?? {};
  const mended = new Map<string, unknown>();
  let lost = false;
  for (const [key, child] of Object.entries(properties)) {
    const isRequired = shape.required?.includes(key) === true;
    if (!isRequired && !Object.hasOwn(record, key)) continue;
    const before = markOf(reader);
    const value = mend(child, record[key], { up: place, key }, reader);
    const canGo = !isRequired && child.note?.essential !== true;
    if (value === unusable && canGo) {
      leaveOut(key, mended, reader, before);
      continue;
    }
    rejoin(reader, before);
    if (value === unusable) lost = true;
    else mended.set(key, value);
  }
  mendOtherKeys(shape, record, place, reader, mended);
  return lost ? unusable : withChanges(record, mended);
}

function mendOtherKeys(
  shape: Shape,
  record: Record<string, unknown>,
  place: Place | undefined,
  reader: Reader,
  mended: Map<string, unknown>,
): void {
  const { additionalProperties: others, properties = {}, note } = shape;
  if (others === undefined || others === true) return;
  for (const [key, value] of Object.entries(record)) {
    if (Object.hasOwn(properties, key)) continue;
    const here = { up: place, key };
    if (others === false) {
      const rule = note?.otherKeys ?? note?.rule;
      if (rule !== undefined)
        report(reader, here, rule, () => ({ problem: problemOf(rule, value, `here is "${key}"`) }));
      mended.set(key, undefined);
      continue;
    }
    const before = markOf(reader);
    const usable = mend(others, value, here, reader);
    if (usable === unusable) leaveOut(key, mended, reader, before);
    else {
      mended.set(key, usable);
      rejoin(reader, before);
    }
  }
}

function leaveOut(key: string, mended: Map<string, unknown>, reader: Reader, before: Mark): void {
  settle(reader, before);
  mended.set(key, undefined);
}

/** The record itself when nothing changed; a key set to undefined is left out. */
function withChanges(record: Record<string, unknown>, changes: Map<string, unknown>): Record<string, unknown> {
  let changed: Record<string, unknown> | undefined;
  for (const [key, value] of changes) {
    if (value === record[key] && Object.hasOwn(record, key)) continue;
    changed ??= { ...record };
    if (value === undefined) delete changed[key];
    else changed[key] = value;
  }
  return changed ?? record;
}

function refine(shape: Shape, value: unknown, place: Place | undefined, reader: Reader): unknown {
  let refined = value;
  for (const refinement of shape.note?.refine ?? []) {
    if (refined === unusable) return unusable;
    refined = refinement(refined as never, place, reader);
  }
  return refined;
}

/** The reports before a part is read, so that the reports of the part itself can be found. */
type Mark = { length: number; fatal: Fatal | undefined };

function markOf({ issues, more }: Reader): Mark {
  const mark = { length: issues.length, fatal: more.fatal };
  more.fatal = undefined;
  return mark;
}

/** The part stays, and so does what was reported of it. */
function rejoin({ more }: Reader, { fatal }: Mark): void {
  more.fatal = fatal ?? more.fatal;
}

function fatalSince({ issues, more }: Reader, { length }: Mark): Issue | Fatal | undefined {
  for (let at = length; at < issues.length; at += 1) if (issues[at]?.repaired === false) return issues[at];
  return more.fatal;
}

/** The part that could not be used was left out, so what was reported of it since is dealt with. */
function settle({ issues, more }: Reader, { length, fatal }: Mark): void {
  for (const issue of issues.slice(length)) issue.repaired = true;
  more.fatal = fatal;
}

/** A repair moves parts of the document. Where they were read matters as long as issues are listed. */
function noteMove(reader: Reader): void {
  if (!isFull(reader)) reader.places ??= placesOf(reader.document);
}
