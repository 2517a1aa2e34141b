import { isSign, type Token } from "./tokens.ts";

/** What the library is to read. Undefined when two things stand side by side that do not belong together. */
export function expressionOf(tokens: readonly Token[]): string | undefined {
  const parts: string[] = [];
  for (let at = 0; at < tokens.length; ) {
    const read = quantityAt(tokens, at) ?? partAt(tokens, at);
    if (read === undefined) return undefined;
    if (isTouching(tokens, at)) {
      if (!mayTouch(tokens, at)) return undefined;
      parts.push("*");
    }
    parts.push(read.text);
    at = read.next;
  }
  return parts.length === 0 ? undefined : parts.join(" ");
}

type Part = { text: string; next: number };

/** `3 ft 4 in`, one thing: (3 ft + 4 inch). `5 m ^ 2` is an area, not a length multiplied. */
function quantityAt(tokens: readonly Token[], at: number): Part | undefined {
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

/** `3/4` of a cup is a number too. */
function numberAt(tokens: readonly Token[], at: number): Part | undefined {
  const number = tokens[at];
  const other = tokens[at + 2];
  if (number?.kind !== "number") return undefined;
  const isFraction = isSign(tokens[at + 1], "/") && other?.kind === "number" && tokens[at + 3]?.kind === "unit";
  return isFraction ? { text: `(${number.text}/${other.text})`, next: at + 3 } : { text: number.text, next: at + 1 };
}

function partAt(tokens: readonly Token[], at: number): Part | undefined {
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
function argumentAt(tokens: readonly Token[], at: number, name: string): Part | undefined {
  const value = quantityAt(tokens, at) ?? numberAt(tokens, at);
  return value && { text: `${name}(${value.text})`, next: value.next };
}

/** `12 % of`, `20 % off`, `+ 10 %`, and `7 % 3`, which is the rest. */
function percentAt(tokens: readonly Token[], at: number, rate: string): Part {
  const after = tokens[at + 2];
  if (after?.kind === "of") return { text: `(${rate} / 100) *`, next: at + 3 };
  if (after?.kind === "off") return { text: `(1 - ${rate} / 100) *`, next: at + 3 };
  const isRest = after?.kind === "number" || isSign(after, "(");
  return isRest ? { text: `${rate} mod`, next: at + 2 } : { text: `${rate}%`, next: at + 2 };
}

function isTouching(tokens: readonly Token[], at: number): boolean {
  const before = tokens[at - 1];
  const token = tokens[at];
  const ends =
    before?.kind === "number" || before?.kind === "constant" || before?.kind === "unit" || isSign(before, ")");
  return ends && (token?.kind !== "sign" || token.text === "(");
}

/** `2 (3 + 4)`, `2 pi`, `(3 + 4) km`; but neither `49 30` nor `(555) 123`. */
function mayTouch(tokens: readonly Token[], at: number): boolean {
  return tokens[at]?.kind !== "number" && !(tokens[at - 1]?.kind === "unit" && tokens[at]?.kind === "unit");
}
