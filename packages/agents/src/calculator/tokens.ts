import { constants, functionNames, numberAfter, phrases, unitNamed } from "./vocabulary.ts";

export type Token =
  | { kind: "number"; text: string }
  | { kind: "unit"; text: string; measures: string; said: string }
  | { kind: "function"; text: string }
  | { kind: "constant"; text: string }
  | { kind: "sign"; text: string }
  | { kind: "to" }
  | { kind: "of" }
  | { kind: "off" };

const piece =
  /\s*(?:((?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:e[+-]?\d{1,3})?(?![\d.])|\.\d+(?![\d.]))|([\p{L}°℃℉µ]+[23²³]?)|([-+*/^!%(),]))/uy;
const numberCharsMax = 30;
const tokensMax = 80;

/** Undefined when anything in it is no part of a calculation. */
export function tokensOf(text: string): Token[] | undefined {
  const said = phrases.reduce((words, [phrase, sign]) => words.replaceAll(phrase, sign), text).trim();
  const tokens: Token[] = [];
  piece.lastIndex = 0;
  while (piece.lastIndex < said.length) {
    const found = piece.exec(said);
    if (found === null || tokens.length > tokensMax) return undefined;
    const [, number, word, sign] = found;
    const rest = said.slice(piece.lastIndex);
    const token =
      number !== undefined ? numberToken(number) : word !== undefined ? wordToken(word, rest, tokens) : signToken(sign);
    if (token === undefined) return undefined;
    if (token !== "taken") tokens.push(token);
  }
  return tokens;
}

function numberToken(number: string): Token | undefined {
  return number.length > numberCharsMax ? undefined : { kind: "number", text: number.replaceAll(",", "") };
}

function signToken(text = ""): Token {
  return { kind: "sign", text };
}

/** To the library `log` is the natural one. */
const logarithms: Record<string, string> = { ln: "log", log: "log10" };

/** "taken": it belongs to the number before it. */
function wordToken(word: string, rest: string, tokens: Token[]): Token | "taken" | undefined {
  const plain = word.toLowerCase();
  const before = tokens.at(-1);
  const isAfterNumber = before?.kind === "number" || before?.kind === "unit" || isSign(before, ")");
  const counted = numberWord(plain, rest, tokens);
  if (counted !== undefined) return counted;
  if (["to", "into", "as"].includes(plain)) return { kind: "to" };
  // Before another unit it is the preposition, else it may be the inch.
  if (plain === "in" && (before?.kind !== "number" || /^\s*[\p{L}°]/u.test(rest)) && !isInch(rest, before)) {
    return { kind: "to" };
  }
  if (plain === "of") return { kind: "of" };
  if (plain === "off") return { kind: "off" };
  if (plain === "mod") return { kind: "sign", text: "mod" };
  // After a number `min` is what it measures.
  const isUnit = before?.kind === "number" && unitNamed(word) !== undefined;
  if (!isUnit && (functionNames.includes(plain) || plain === "ln"))
    return { kind: "function", text: logarithms[plain] ?? plain };
  if (constants.includes(plain)) return { kind: "constant", text: plain };
  const unit = unitNamed(word);
  if (unit !== undefined) return { kind: "unit", text: unit.name, measures: unit.measures, said: word };
  return (plain === "a" || plain === "an") && !isAfterNumber ? { kind: "number", text: "1" } : undefined;
}

/** `4 in to cm`, `5 in in cm`. */
function isInch(rest: string, before: Token | undefined): boolean {
  return before?.kind === "number" && /^\s+(?:to|into|in|as)\b/iu.test(rest);
}

function numberWord(word: string, rest: string, tokens: Token[]): Token | "taken" | undefined {
  const before = tokens.at(-1);
  if (before?.kind !== "number") {
    const value = numberAfter(undefined, word);
    return value === undefined ? undefined : { kind: "number", text: String(value) };
  }
  // `one hundred and five`
  if (word === "and" && /^\s*\p{L}/u.test(rest) && Number(before.text) % 100 === 0) return "taken";
  const value = numberAfter(Number(before.text), word);
  if (value === undefined) return undefined;
  before.text = String(value);
  return "taken";
}

export function isSign(token: Token | undefined, text: string): boolean {
  return token?.kind === "sign" && token.text === text;
}
