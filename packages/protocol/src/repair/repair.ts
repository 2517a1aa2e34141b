import { isRecord } from "../is-record.ts";
import { type RuleId, rules } from "../rules/rules.ts";
import { type Fatal, type Fault, type Issue, preview } from "./issue.ts";
import { isFull } from "./issue-list.ts";
import { type JsonPath, nearest, placesOf, pointer } from "./json-path.ts";
import { type ParseState, type Shape, unusable } from "./shape.ts";

/**
 * Walks a value along its shape, reports every issue and returns the repaired value, or `unusable`. Nothing is copied
 * unless it changes. An unusable optional part is left out; an unusable mandatory part makes its owner unusable;
 * an unusable root refuses the document.
 */
export function repairValue(shape: Shape, input: unknown, path: JsonPath | undefined, state: ParseState): unknown {
  const place = originOf(input, state) ?? path;
  const { value, stands } = repairKnown(shape, input, place, state);
  if (stands) return value;
  const chosen = shape.note?.choose === undefined ? shape : shape.note.choose(value);
  if (chosen === undefined) return wrong(shape, value, place, state);
  if (chosen !== shape) return repairValue(chosen, value, place, state);
  if (!isOfKind(shape, value)) return wrong(shape, value, place, state);
  if (Array.isArray(value)) return refine(shape, repairItems(shape, value, place, state), place, state);
  if (isRecord(value)) return refine(shape, repairKeys(shape, value, place, state), place, state);
  return value;
}

function originOf(value: unknown, { places }: ParseState): JsonPath | undefined {
  return typeof value === "object" && value !== null ? places?.get(value) : undefined;
}

/** `fix` replaces the fix of the rule. */
type IssueText = { problem: string; fix?: string | undefined };

/** `words` may be a function: it is called only for a listed issue. */
export function report(
  state: ParseState,
  place: JsonPath | undefined,
  rule: RuleId,
  words: string | IssueText | (() => IssueText),
  severity: "error" | "warning" = "error",
  repaired = true,
): void {
  const listed = (where: JsonPath | undefined): Issue => {
    const { spec, fix: usualFix } = rules[rule];
    const said = typeof words === "function" ? words() : words;
    const { problem, fix = usualFix } = typeof said === "string" ? { problem: said } : said;
    return { path: pointer(where), problem, fix, rule, spec, severity, repaired };
  };
  if (!isFull(state)) {
    state.issues.push(listed(state.places === undefined ? place : nearest(place, state.document)));
    return;
  }
  const { more } = state;
  more.count += 1;
  more.rule ??= rule;
  if (severity === "error") more.severity = severity;
  if (!repaired) more.fatal ??= { rule, listed: () => listed(nearest(place, state.document)) };
}

/** `owner` is the checked part: a value that a repair moved within it is reported at its original place. */
export function reportFaults(
  faults: readonly Fault[],
  place: JsonPath | undefined,
  state: ParseState,
  owner?: object,
): void {
  for (const { rule, keys, problem, severity } of faults) {
    let [here, value]: [JsonPath | undefined, unknown] = [place, owner];
    for (const key of keys) {
      value = typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
      here = originOf(value, state) ?? { up: here, key };
    }
    report(state, here, rule, problem, severity);
  }
}

function repairKnown(shape: Shape, input: unknown, place: JsonPath | undefined, state: ParseState) {
  let value = input;
  for (const { rule, key, says, is, repair, severity = "warning" } of shape.note?.known ?? []) {
    if (!is(value, state)) continue;
    const found = key === undefined ? value : (value as Record<string, unknown>)[key];
    const words = () => ({ problem: problemOf(rule, found, says), fix: fixOf(shape, rule) });
    report(state, key === undefined ? place : { up: place, key }, rule, words, severity);
    if (repair === undefined) return { value, stands: true };
    rememberPlaces(state);
    value = repair(value, state);
  }
  return { value, stands: false };
}

function wrong(shape: Shape, value: unknown, place: JsonPath | undefined, state: ParseState): unknown {
  const rule = shape.note?.rule;
  if (rule === undefined) throw new Error(`the shape at ${pointer(place)} names no rule`);
  const otherwise = shape.note?.otherwise;
  if (otherwise !== undefined) rememberPlaces(state);
  const complaint = value === undefined ? "it is missing" : "this is something else";
  const repaired = otherwise === undefined ? unusable : otherwise(value, state);
  const words = () => ({ problem: problemOf(rule, value, complaint), fix: fixOf(shape, rule) });
  report(state, place, rule, words, "error", repaired !== unusable);
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

function repairItems(shape: Shape, items: readonly unknown[], place: JsonPath | undefined, state: ParseState): unknown {
  const { items: itemShape, note, maxItems } = shape;
  if (itemShape === undefined) return items;
  const usable: unknown[] = [];
  let lost = false;
  for (const [index, item] of items.entries()) {
    const before = markOf(state);
    const repaired = repairValue(itemShape, item, { up: place, key: index }, state);
    if (repaired !== unusable) {
      usable.push(repaired);
      restoreFatal(state, before);
      continue;
    }
    const { essential, leaveOut } = itemShape.note ?? {};
    const fatal = essential === true ? fatalSince(state, before) : undefined;
    if (essential === true && !state.dropBadEvents && fatal?.rule !== leaveOut) {
      lost = true;
      restoreFatal(state, before);
      // The document is refused, and the list of issues is full.
      if (isFull(state)) return unusable;
    } else {
      if (fatal !== undefined) {
        const { rule } = fatal;
        state.leftOut.push({ index, rule, problem: "problem" in fatal ? fatal.problem : rules[rule].says });
      }
      markRepaired(state, before);
      // The items after it move up.
      rememberPlaces(state);
    }
  }
  if (lost) return unusable;
  const tooMany = note?.tooMany;
  if (maxItems !== undefined && usable.length > maxItems && tooMany !== undefined) {
    const count = usable.length;
    report(state, place, tooMany, () => ({ problem: problemOf(tooMany, items, `there are ${count}`) }));
    usable.length = maxItems;
  }
  return sameItems(items, usable) ? items : usable;
}

function sameItems(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}

function repairKeys(
  shape: Shape,
  record: Record<string, unknown>,
  place: JsonPath | undefined,
  state: ParseState,
): Record<string, unknown> | typeof unusable {
  const properties = shape.properties ?? {};
  const repaired = new Map<string, unknown>();
  let lost = false;
  for (const [key, child] of Object.entries(properties)) {
    const isRequired = shape.required?.includes(key) === true;
    if (!isRequired && !Object.hasOwn(record, key)) continue;
    const before = markOf(state);
    const value = repairValue(child, record[key], { up: place, key }, state);
    const canGo = !isRequired && child.note?.essential !== true;
    if (value === unusable && canGo) {
      leaveOut(key, repaired, state, before);
      continue;
    }
    restoreFatal(state, before);
    if (value === unusable) lost = true;
    else repaired.set(key, value);
  }
  repairOtherKeys(shape, record, place, state, repaired);
  return lost ? unusable : withChanges(record, repaired);
}

function repairOtherKeys(
  shape: Shape,
  record: Record<string, unknown>,
  place: JsonPath | undefined,
  state: ParseState,
  repaired: Map<string, unknown>,
): void {
  const { additionalProperties: others, properties = {}, note } = shape;
  if (others === undefined || others === true) return;
  for (const [key, value] of Object.entries(record)) {
    if (Object.hasOwn(properties, key)) continue;
    const here = { up: place, key };
    if (others === false) {
      const rule = note?.otherKeys ?? note?.rule;
      if (rule !== undefined)
        report(state, here, rule, () => ({ problem: problemOf(rule, value, `here is "${key}"`) }));
      repaired.set(key, undefined);
      continue;
    }
    const before = markOf(state);
    const usable = repairValue(others, value, here, state);
    if (usable === unusable) leaveOut(key, repaired, state, before);
    else {
      repaired.set(key, usable);
      restoreFatal(state, before);
    }
  }
}

function leaveOut(key: string, repaired: Map<string, unknown>, state: ParseState, before: IssueMark): void {
  markRepaired(state, before);
  repaired.set(key, undefined);
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

function refine(shape: Shape, value: unknown, place: JsonPath | undefined, state: ParseState): unknown {
  let refined = value;
  for (const refinement of shape.note?.refine ?? []) {
    if (refined === unusable) return unusable;
    refined = refinement(refined as never, place, state);
  }
  return refined;
}

/** The state of the reports before a part is read. */
type IssueMark = { length: number; fatal: Fatal | undefined };

function markOf({ issues, more }: ParseState): IssueMark {
  const mark = { length: issues.length, fatal: more.fatal };
  more.fatal = undefined;
  return mark;
}

/** The part stays, with its reports. */
function restoreFatal({ more }: ParseState, { fatal }: IssueMark): void {
  more.fatal = fatal ?? more.fatal;
}

function fatalSince({ issues, more }: ParseState, { length }: IssueMark): Issue | Fatal | undefined {
  for (let at = length; at < issues.length; at += 1) if (issues[at]?.repaired === false) return issues[at];
  return more.fatal;
}

/** The unusable part was left out, so its issues count as repaired. */
function markRepaired({ issues, more }: ParseState, { length, fatal }: IssueMark): void {
  for (const issue of issues.slice(length)) issue.repaired = true;
  more.fatal = fatal;
}

/** Repairs move parts of the document. Their original places are needed while issues can be listed. */
function rememberPlaces(state: ParseState): void {
  if (!isFull(state)) state.places ??= placesOf(state.document);
}
