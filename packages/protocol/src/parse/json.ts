import type { Issue } from "../repair/issue.ts";
import { type JsonPath, pointer } from "../repair/json-path.ts";
import { type RuleId, rules } from "../rules/rules.ts";

/** Nesting deeper than this is refused: no envelope needs it, and recursion over it stays safe. */
export const depthMax = 32;

// ES2024, but in Node since 20 and in browsers since 2023.
declare global {
  interface String {
    isWellFormed(): boolean;
  }
}

/** JSON text -> plain value. Never throws; refuses what would be unsafe or ambiguous to pass on. */
export type JsonRead = { ok: true; value: unknown } | { ok: false; issues: Issue[] };

export function readJson(text: string): JsonRead {
  if (text.length > unjudgedMax && isTooDeep(text)) return tooDeep(undefined);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    const problem = `this is not JSON: ${cause instanceof Error ? cause.message : String(cause)}`;
    return refuse(undefined, "json-syntax", problem, "send one JSON value as UTF-8 text");
  }
  // Every key and every string value has two quotes in the text. JSON.parse drops a repeated key, so the text then has
  // more quotes than the tree accounts for. Only on a mismatch is the document walked again to find the place.
  if (quotesIn(text) !== 2 * stringsIn(value, 1)) return findUnsafe(value, undefined, 1) ?? findDuplicateKey(text);
  // In UTF-8 half a surrogate pair would turn into another character.
  const mayBeBroken = !text.isWellFormed() || text.includes("\\u");
  return (mayBeBroken ? findUnsafe(value, undefined, 1) : undefined) ?? { ok: true, value };
}

/** Shorter texts are parsed without a depth check; a longer one could have a million levels. */
const unjudgedMax = 65_536;

/** Counts brackets outside of strings, so that the depth is known before anything is parsed. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x7b || code === 0x5b) {
      depth += 1;
      if (depth > depthMax) return true;
    } else if (code === 0x7d || code === 0x5d) {
      depth -= 1;
    } else if (code === 0x22) {
      at = endOfString(text, at);
    }
  }
  return false;
}

/**
 * The number of values in a JSON text: objects, lists and their items; counted up to one more than `max`.
 * The text is not parsed, so this is safe for any text.
 */
export function valuesIn(text: string, max: number): number {
  let values = 1;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x22) at = endOfString(text, at);
    else if (code === 0x2c || code === 0x7b || code === 0x5b) {
      values += 1;
      if (values > max) break;
    }
  }
  return values;
}

/** The end of the text if the string is not closed. */
function endOfString(text: string, opening: number): number {
  for (let at = text.indexOf('"', opening + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (text[at - 1 - backslashes] === "\\") backslashes += 1;
    if (backslashes % 2 === 0) return at;
  }
  return text.length;
}

function tooDeep(place: JsonPath | undefined): JsonRead {
  return refuse(place, "json-depth", `nesting goes deeper than ${depthMax} levels`, "flatten the document");
}

/** Keys and string values of a tree; NaN, which equals nothing, when the tree holds something refused. */
function stringsIn(value: unknown, depth: number): number {
  if (typeof value === "string") return 1;
  if (typeof value === "number") return Number.isFinite(value) ? 0 : Number.NaN;
  if (typeof value !== "object" || value === null) return 0;
  if (depth > depthMax) return Number.NaN;
  let strings = 0;
  if (Array.isArray(value)) {
    for (const item of value) strings += stringsIn(item, depth + 1);
    return strings;
  }
  const record = value as Record<string, unknown>;
  for (const key in record) {
    if (isForbiddenKey(key)) return Number.NaN;
    strings += 1 + stringsIn(record[key], depth + 1);
  }
  return strings;
}

// `__proto__` becomes a prototype when an object is copied key by key; the other two lead there in a second step.
const forbiddenKeys = new Set(["__proto__", "prototype", "constructor"]);

function isForbiddenKey(key: string): boolean {
  return (key.length === 9 || key.length === 11) && forbiddenKeys.has(key);
}

/** All quotes that are not escaped. The text is known to be JSON. */
function quotesIn(text: string): number {
  let quotes = 0;
  for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', at + 1)) {
    quotes += 1;
    // One search less for each ":" and ",": no JSON text has three quotes in a row.
    if (text[at + 2] !== '"') continue;
    quotes += 1;
    at += 2;
  }
  for (let at = text.indexOf("\\"); at !== -1; at = text.indexOf("\\", at + 2)) {
    if (text[at + 1] === '"') quotes -= 1;
  }
  return quotes;
}

const loneSurrogate = /\p{Surrogate}/u;

function findUnsafe(value: unknown, place: JsonPath | undefined, depth: number): JsonRead | undefined {
  if (typeof value === "number" && !Number.isFinite(value)) {
    return refuse(place, "json-number", "the number is too large to be kept", "use a number below 1.8e308");
  }
  if (typeof value === "string" && loneSurrogate.test(value)) return halfCharacter(place);
  if (typeof value !== "object" || value === null) return undefined;
  if (depth > depthMax) return tooDeep(place);
  for (const [key, child] of Object.entries(value)) {
    const here = { up: place, key: Array.isArray(value) ? Number(key) : key };
    if (isForbiddenKey(key)) return refuse(here, "json-forbidden-key", `the key "${key}" is refused`, "rename the key");
    if (loneSurrogate.test(key)) return halfCharacter(place);
    const found = findUnsafe(child, here, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

function halfCharacter(place: JsonPath | undefined): JsonRead {
  return refuse(place, "json-surrogate", "half a surrogate pair is no character", "send the whole surrogate pair");
}

type Level = { keys: Set<string> | undefined; key: string | number; place: JsonPath | undefined };

/** Slow and exact: walks text already known to be JSON and stops at the first key that one object has twice. */
function findDuplicateKey(text: string): JsonRead {
  const levels: Level[] = [];
  let expectKey = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    const level = levels.at(-1);
    if (char === "{" || char === "[") {
      const place = level === undefined ? undefined : { up: level.place, key: level.key };
      levels.push({ keys: char === "{" ? new Set() : undefined, key: 0, place });
      expectKey = char === "{";
    } else if (char === "}" || char === "]") {
      levels.pop();
      expectKey = false;
    } else if (char === "," && level !== undefined) {
      expectKey = level.keys !== undefined;
      if (typeof level.key === "number") level.key += 1;
    } else if (char === '"') {
      const end = closingQuote(text, at);
      if (expectKey && level?.keys !== undefined) {
        const key: string = JSON.parse(text.slice(at, end + 1));
        if (level.keys.has(key)) {
          const problem = `the key "${key}" is given twice in one object`;
          return refuse({ up: level.place, key }, "json-duplicate-key", problem, "keep one of the two");
        }
        level.keys.add(key);
        level.key = key;
        expectKey = false;
      }
      at = end;
    }
  }
  throw new Error("a document with more quotes than strings has no duplicate key");
}

function closingQuote(text: string, opening: number): number {
  let at = opening + 1;
  while (text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at;
}

function refuse(
  place: JsonPath | undefined,
  rule: RuleId,
  problem: string,
  fix: string,
): { ok: false; issues: Issue[] } {
  const path = pointer(place);
  return {
    ok: false,
    issues: [{ path, problem, fix, rule, spec: rules[rule].spec, severity: "error", repaired: false }],
  };
}
