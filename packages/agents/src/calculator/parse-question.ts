import { currency, isSign, type Token, tokensOf } from "./tokens.ts";

export type CalculatorQuestion =
  | {
      kind: "calculation";
      /** The calculation as the person wrote it, without the words around it. */
      shown: string;
      expression: string;
      into?: { expression: string; said: string; measures?: string };
      /** What the left side of a conversion measures, if that is one thing. */
      measures?: string;
      /** The text can mean nothing else, so the calculator may answer without being called. */
      isSure: boolean;
    }
  | { kind: "tip"; percent: number; amount: number; isSure: boolean }
  | { kind: "share"; part: number; whole: number; isSure: boolean }
  | { kind: "currency"; isSure: boolean };

const charsMax = 200;
const openingWords =
  /^(?:(?:please|and|so|ok|okay|hey|hi)[\s,]+)*(?:(?:can|could|would) you (?:please )?)?(?:tell me )?(?:(?:what(?:'s|’s| is| are| does| do)|whats|how (?:much|long|far|tall|high|deep|wide|heavy|big|large|fast|hot|cold|warm) (?:is|are|does)|calculate|compute|work out|solve|evaluate|convert)\s+)?/iu;
const closingWords = /(?:[\s,]+(?:please|equals?|make))?[\s?.=]*$/iu;

/** Pure, and without mathjs. Every word of the text must belong to a calculation. */
export function parseQuestion(text: string): CalculatorQuestion | undefined {
  const said = text.trim();
  if (said.length > charsMax || !/\d|\p{L}/u.test(said)) return undefined;
  const begins = openingWords.exec(said)?.[0] ?? "";
  const words = said.slice(begins.length).replace(closingWords, "").replaceAll(/\s+/gu, " ").trim();
  const body = withDecimalPoints(words);
  const isAsked = /\p{L}/u.test(begins) || /=\s*\??$/u.test(said);
  if (/\b0x[\da-f]/iu.test(body)) return undefined; // a hexadecimal number, not a product with zero
  if (/^\+?\d{1,4}(?:[-/.]\d{1,4}){2,}$/u.test(body)) return undefined; // a date, an address, a telephone number
  const question = tipIn(body) ?? shareIn(body) ?? currencyIn(body) ?? calculationIn(body, isAsked);
  // A comma may also separate two numbers.
  return question && body !== words ? { ...question, isSure: false } : question;
}

/** Converts decimal commas: `42,50` and `1.000,50`. In parentheses a comma may separate arguments. */
function withDecimalPoints(body: string): string {
  if (body.includes("(")) return body;
  return body.replaceAll(/(?<![\d.,])(\d{1,3}(?:\.\d{3})+|\d+),(\d{1,2})(?![\d.,])/gu, (_, whole: string, rest) => {
    return `${whole.replaceAll(".", "")}.${rest}`;
  });
}

function tipIn(body: string): CalculatorQuestion | undefined {
  const number = String.raw`[$€£]?\s?(\d{1,9}(?:\.\d{1,4})?)`;
  const percent = String.raw`(\d{1,3}(?:\.\d{1,2})?)\s?(?:%|per ?cent)`;
  const found = new RegExp(
    `^(?:an? )?(?:${percent} tip|tip of ${percent}|tip ${percent}) (?:on|for|of) ${number}[$€£]?$`,
    "iu",
  )
    .exec(body)
    ?.filter((part) => part !== undefined);
  const [, rate, amount] = found ?? [];
  return rate === undefined ? undefined : { kind: "tip", percent: Number(rate), amount: Number(amount), isSure: true };
}

/** `30 is what percent of 120`, `what percentage of 120 is 30`, `30 out of 120 in percent`. */
function shareIn(body: string): CalculatorQuestion | undefined {
  const percent = "(?:%|per ?cent|percentage)";
  const part = String.raw`(?<part>\d{1,12}(?:\.\d{1,6})?)`;
  const whole = String.raw`(?<whole>\d{1,12}(?:\.\d{1,6})?)`;
  const forms = [
    `${part} is what ${percent} of ${whole}`,
    `what ${percent} of ${whole} is ${part}`,
    `what ${percent} is ${part} (?:out )?of ${whole}`,
    `${part} (?:out )?of ${whole} (?:in|as an?) ${percent}`,
  ];
  for (const form of forms) {
    const groups = new RegExp(`^${form}$`, "iu").exec(body.replaceAll(/(?<=\d),(?=\d{3}(?!\d))/gu, ""))?.groups;
    if (groups !== undefined)
      return { kind: "share", part: Number(groups.part), whole: Number(groups.whole), isSure: true };
  }
  return undefined;
}

function currencyIn(body: string): CalculatorQuestion | undefined {
  const money = `(?:${currency.source})`;
  const number = String.raw`(?:\d[\d,.]{0,15})`;
  const sum = `(?:an? |one )?(?:${number}\\s*${money}|${money}\\s*${number}|${money})`;
  const isConversion = new RegExp(`^${sum} (?:in|to|into|worth in) ${money}$`, "iu").test(body);
  const isCount = new RegExp(`^how many ${money} (?:are |is )?(?:there )?(?:in )?${sum}$`, "iu").test(body);
  return isConversion || isCount ? { kind: "currency", isSure: true } : undefined;
}

const countOf =
  /^how (?:many|much) ([\p{L}°²³ ]{1,30}?) (?:(?:are |is |go )?(?:there )?in|is|are|make|does it take for) (.+)$/iu;
const isCountOf = /^(.+?) (?:is|are|equals?) how many ([\p{L}°²³ ]{1,30})$/iu;

function calculationIn(body: string, isAsked: boolean): CalculatorQuestion | undefined {
  const counted = countOf.exec(body);
  const counts = isCountOf.exec(body);
  if (counted !== null) return countConversion(counted[2] ?? "", counted[1] ?? "");
  if (counts !== null) return countConversion(counts[1] ?? "", counts[2] ?? "");
  const coins = new Set(body.match(/[$€£]/gu));
  const tokens = tokensOf(coins.size === 1 ? body.replaceAll(/[$€£] ?(?=[\d.])|(?<=\d) ?[$€£]/gu, "") : body);
  if (tokens === undefined) return undefined;
  // An amount of money cannot be converted to other units.
  if (coins.size > 0 && tokens.some(({ kind }) => kind === "unit" || kind === "to")) return undefined;
  const at = tokens.findIndex(({ kind }) => kind === "to");
  if (at >= 0) return conversionOf(tokens.slice(0, at), tokens.slice(at + 1), body);
  const expression = expressionOf(tokens);
  if (expression === undefined || !isCalculation(tokens, isAsked)) return undefined;
  return { kind: "calculation", shown: body, expression, isSure: isAsked || isUnambiguous(body, tokens) };
}

function countConversion(quantity: string, unit: string): CalculatorQuestion | undefined {
  const from = tokensOf(quantity);
  const into = tokensOf(unit);
  return from && into ? conversionOf(from, into, `${quantity} to ${unit}`) : undefined;
}

function conversionOf(from: readonly Token[], into: readonly Token[], body: string): CalculatorQuestion | undefined {
  const isTarget = into.length > 0 && into.every((token) => token.kind === "unit" || isUnitPart(token));
  if (!isTarget || !from.some(({ kind }) => kind === "unit") || !from.some(isValue)) return undefined;
  const expression = expressionOf(from);
  const target = expressionOf(into);
  if (expression === undefined || target === undefined) return undefined;
  const [, shown = body, said = ""] = /^(.*\S)\s+(?:to|into|in|as)\s+(\S.*)$/iu.exec(body) ?? [];
  return {
    kind: "calculation",
    shown,
    expression,
    isSure: true,
    ...measuresOf(from),
    into: { expression: target, said, ...measuresOf(into) },
  };
}

/** Empty for compound units, such as a speed in miles and hours. */
function measuresOf(tokens: readonly Token[]): { measures?: string } {
  const kinds = new Set(tokens.flatMap(({ measures }) => measures ?? []));
  const isPlain = !tokens.some((token) => token.kind === "sign" && "*/^".includes(token.text));
  const [measures] = kinds;
  return measures !== undefined && kinds.size === 1 && isPlain ? { measures } : {};
}

/** `/` and the `^ 2` of a square unit. */
function isUnitPart(token: Token): boolean {
  return isSign(token, "/") || isSign(token, "^") || (token.kind === "number" && /^[23]$/u.test(token.text));
}

function isValue({ kind }: Token): boolean {
  return kind === "number" || kind === "constant";
}

/** A number or an amount alone is no calculation. A question may be about a constant alone. */
function isCalculation(tokens: readonly Token[], isAsked: boolean): boolean {
  if (tokens.some(({ kind }) => kind === "function" || kind === "of" || kind === "off")) return tokens.some(isValue);
  if (isAsked && tokens.length === 1) return tokens[0]?.kind === "constant";
  const values = tokens.filter(isValue).length;
  const hasSign = tokens.some((token) => token.kind === "sign" && !"()".includes(token.text));
  const isFactorial = tokens.some((token) => isSign(token, "!"));
  return hasSign && (values > 1 || (isFactorial && values === 1));
}

/** `24/7`, `9-5`, `555-1234`, `4x4` and `5!` may mean something else. */
function isUnambiguous(body: string, tokens: readonly Token[]): boolean {
  if (/^\d+(?:[-/x]\d+)+$/iu.test(body)) return false;
  return !(tokens.length === 2 && isSign(tokens[1], "!"));
}

/** The expression for mathjs. Returns undefined when two neighbouring tokens do not belong together. */
function expressionOf(tokens: readonly Token[]): string | undefined {
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
  if (token === undefined || token.kind === "to" || token.kind === "of" || token.kind === "off") return undefined;
  const { kind, text } = token;
  const following = tokens[at + 1];
  if (kind === "number" && isSign(following, "%")) return percentAt(tokens, at, text);
  if (kind !== "function") return { text, next: at + 1 };
  return isSign(following, "(") ? { text: `${text}(`, next: at + 2 } : argumentAt(tokens, at + 1, text);
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
  const ends = before !== undefined && (isValue(before) || before.kind === "unit" || isSign(before, ")"));
  return ends && (token?.kind !== "sign" || token.text === "(");
}

/** `2 (3 + 4)`, `2 pi`, `(3 + 4) km`; but neither `49 30` nor `(555) 123`. */
function mayMultiply(tokens: readonly Token[], at: number): boolean {
  return tokens[at]?.kind !== "number" && !(tokens[at - 1]?.kind === "unit" && tokens[at]?.kind === "unit");
}
