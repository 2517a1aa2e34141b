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

/** Returns undefined when the text has anything that is no part of a calculation. */
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

/** In mathjs `log` is the natural logarithm. */
const logarithms: Record<string, string> = { ln: "log", log: "log10" };

/** "taken": the word belongs to the number before it. */
function wordToken(word: string, rest: string, tokens: Token[]): Token | "taken" | undefined {
  const plain = word.toLowerCase();
  const before = tokens.at(-1);
  const isAfterNumber = before?.kind === "number" || before?.kind === "unit" || isSign(before, ")");
  const counted = numberWord(plain, rest, tokens);
  if (counted !== undefined) return counted;
  if (["to", "into", "as"].includes(plain)) return { kind: "to" };
  // Before another unit `in` is the preposition, otherwise it may be the inch.
  if (plain === "in" && (before?.kind !== "number" || /^\s*[\p{L}°]/u.test(rest)) && !isInch(rest, before)) {
    return { kind: "to" };
  }
  if (plain === "of") return { kind: "of" };
  if (plain === "off") return { kind: "off" };
  if (plain === "mod") return { kind: "sign", text: "mod" };
  // After a number `min` is the unit, not the function.
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

function isSign(token: Token | undefined, text: string): boolean {
  return token?.kind === "sign" && token.text === text;
}

/** The expression for mathjs. Returns undefined when two neighbouring tokens do not belong together. */
export function expressionOf(tokens: readonly Token[]): string | undefined {
  const parts: string[] = [];
  for (let at = 0; at < tokens.length; ) {
    const read = quantityAt(tokens, at) ?? partAt(tokens, at);
    if (read === undefined) return undefined;
    if (isAdjacent(tokens, at)) {
      if (!mayMultiply(tokens, at)) return undefined;
      parts.push("*");
    }
    parts.push(read.text);
    at = read.next;
  }
  return parts.length === 0 ? undefined : parts.join(" ");
}

type ExpressionPart = { text: string; next: number };

/** `3 ft 4 in` is one quantity: (3 ft + 4 inch). `5 m ^ 2` is an area: the power belongs to the unit. */
function quantityAt(tokens: readonly Token[], at: number): ExpressionPart | undefined {
  const amounts: string[] = [];
  let next = at;
  for (;;) {
    const number = numberAt(tokens, next);
    const unit = number && tokens[number.next];
    if (number === undefined || unit?.kind !== "unit") break;
    const power = tokens[number.next + 2];
    const isPower = isSign(tokens[number.next + 1], "^") && power?.kind === "number";
    amounts.push(`${number.text} ${unit.text}${isPower ? `^${power.text}` : ""}`);
    next = number.next + (isPower ? 3 : 1);
  }
  return amounts.length === 0 ? undefined : { text: `(${amounts.join(" + ")})`, next };
}

/** A fraction before a unit is one number: `3/4 cup`. */
function numberAt(tokens: readonly Token[], at: number): ExpressionPart | undefined {
  const number = tokens[at];
  const other = tokens[at + 2];
  if (number?.kind !== "number") return undefined;
  const isFraction = isSign(tokens[at + 1], "/") && other?.kind === "number" && tokens[at + 3]?.kind === "unit";
  return isFraction ? { text: `(${number.text}/${other.text})`, next: at + 3 } : { text: number.text, next: at + 1 };
}

function partAt(tokens: readonly Token[], at: number): ExpressionPart | undefined {
  const token = tokens[at];
  const following = tokens[at + 1];
  const next = at + 1;
  switch (token?.kind) {
    case "number":
      if (isSign(following, "%")) return percentAt(tokens, at, token.text);
      return { text: token.text, next };
    case "function":
      if (isSign(following, "(")) return { text: `${token.text}(`, next: at + 2 };
      return argumentAt(tokens, next, token.text);
    case "unit":
    case "constant":
    case "sign":
      return { text: token.text, next };
    default:
      return undefined;
  }
}

/** `sqrt 2`, `cos 60 degrees` */
function argumentAt(tokens: readonly Token[], at: number, name: string): ExpressionPart | undefined {
  const value = quantityAt(tokens, at) ?? numberAt(tokens, at);
  return value && { text: `${name}(${value.text})`, next: value.next };
}

/** `12 % of`, `20 % off`, `+ 10 %`, and `7 % 3`, which is the remainder. */
function percentAt(tokens: readonly Token[], at: number, rate: string): ExpressionPart {
  const after = tokens[at + 2];
  if (after?.kind === "of") return { text: `(${rate} / 100) *`, next: at + 3 };
  if (after?.kind === "off") return { text: `(1 - ${rate} / 100) *`, next: at + 3 };
  const isRemainder = after?.kind === "number" || isSign(after, "(");
  return isRemainder ? { text: `${rate} mod`, next: at + 2 } : { text: `${rate}%`, next: at + 2 };
}

function isAdjacent(tokens: readonly Token[], at: number): boolean {
  const before = tokens[at - 1];
  const token = tokens[at];
  const ends =
    before?.kind === "number" || before?.kind === "constant" || before?.kind === "unit" || isSign(before, ")");
  return ends && (token?.kind !== "sign" || token.text === "(");
}

/** `2 (3 + 4)`, `2 pi`, `(3 + 4) km`; but neither `49 30` nor `(555) 123`. */
function mayMultiply(tokens: readonly Token[], at: number): boolean {
  return tokens[at]?.kind !== "number" && !(tokens[at - 1]?.kind === "unit" && tokens[at]?.kind === "unit");
}
