/// <reference path="./mathjs-bundle.d.ts" />
// The only file that uses mathjs. It evaluates only names and operators of the lists in tokens.ts and below.
import type { MathNode } from "mathjs";
// The single-file bundle: importing hundreds of modules would block the server for a second.
import mathjs from "mathjs/lib/browser/math.js";
import type { CalculatorQuestion } from "./parse-question.ts";
import { constants, functionNames, ownUnits, unitNames } from "./tokens.ts";

// Plain numbers bound the time and memory of every calculation. `predictable`: no complex results.
const math = mathjs.create({ number: "number", predictable: true });
for (const [name, definition] of Object.entries(ownUnits)) math.createUnit(name, definition);

const names: readonly string[] = [...constants, ...functionNames, ...unitNames];
const operators: readonly string[] = [
  ...["add", "subtract", "multiply", "divide", "pow", "mod", "factorial", "unaryMinus", "unaryPlus", "to"],
];

/** Returns undefined when mathjs cannot read the expression as a calculation. */
export function answerTo(question: CalculatorQuestion): string | undefined {
  switch (question.kind) {
    case "tip":
      return tipText(question);
    case "share":
      return percentageText(question);
    case "currency":
      return "I have no exchange rates: I calculate without a network, and rates change by the minute.";
    case "calculation":
      return calculationText(question);
  }
}

function tipText({ percent, amount }: CalculatorQuestion & { kind: "tip" }): string {
  const tip = Math.round(amount * percent) / 100;
  return `${percent}% tip on ${amount.toFixed(2)} = ${tip.toFixed(2)}, total ${(amount + tip).toFixed(2)}`;
}

function percentageText({ part, whole }: CalculatorQuestion & { kind: "share" }): string {
  if (whole === 0) return `${part} of 0 has no answer: nothing can be divided by zero.`;
  const percent = (100 * part) / whole;
  const isExact = Number(formatNumber(percent, 6)) === Number(formatNumber(percent, 14));
  return `${part} is ${isExact ? "" : "about "}${formatNumber(percent, 6)}% of ${whole}`;
}

type Calculation = CalculatorQuestion & { kind: "calculation" };

function calculationText(question: Calculation): string | undefined {
  const { shown, expression, into } = question;
  const node = parseAllowed(into === undefined ? expression : `(${expression}) to ${into.expression}`);
  if (node === undefined) return undefined;
  try {
    if (dividesByZero(node)) return `${shown} has no answer: nothing can be divided by zero.`;
    return resultText(question, node.compile().evaluate());
  } catch {
    // mathjs throws several different errors for incompatible units.
    return mismatchText(question);
  }
}

/** Returns undefined for invalid syntax and for any name or operator that is not on our lists. */
function parseAllowed(expression: string): MathNode | undefined {
  try {
    const node = math.parse(expression);
    return node.filter((part) => !isAllowed(part)).length === 0 ? node : undefined;
  } catch {
    return undefined;
  }
}

function isAllowed(node: MathNode): boolean {
  if (math.isConstantNode(node)) return typeof node.value === "number";
  if (math.isSymbolNode(node)) return names.includes(node.name);
  if (math.isOperatorNode(node)) return operators.includes(node.fn);
  if (math.isFunctionNode(node)) return math.isSymbolNode(node.fn) && functionNames.includes(node.fn.name);
  return math.isParenthesisNode(node);
}

function dividesByZero(node: MathNode): boolean {
  const divisions = node.filter((part) => math.isOperatorNode(part) && (part.fn === "divide" || part.fn === "mod"));
  return divisions.some((part) => math.isOperatorNode(part) && isZero(part.args[1]));
}

function isZero(divisor: MathNode | undefined): boolean {
  const value: unknown = divisor?.compile().evaluate();
  return value === 0 || (math.isUnit(value) && value.toJSON().value === 0);
}

function resultText({ shown, into }: Calculation, value: unknown): string | undefined {
  if (math.isUnit(value)) {
    // A product of units is simplified: `m m` becomes m^2. A single unit stays the one in the question.
    const isProduct = into === undefined && value.toJSON().unit?.includes(" ") === true;
    const { value: amount, unit } = (isProduct ? value.simplify() : value).toJSON();
    return typeof amount === "number" ? equation(shown, amount, into?.said ?? unit) : undefined;
  }
  return typeof value === "number" ? equation(shown, value, "") : undefined;
}

/** More digits would show rounding errors. Quantities with a unit get fewer digits. */
const precision = 12;
const measuredPrecision = 8;

function equation(shown: string, value: number, unit: string): string {
  if (Number.isNaN(value)) return `${shown} has no answer among the real numbers.`;
  if (!Number.isFinite(value)) return `${shown} is too large for me: I stop at about 10^308.`;
  const isWhole = Number.isSafeInteger(value);
  const digits = isWhole ? String(value) : formatNumber(value, precision);
  // The digits are complete if they do not fill the precision and 14 digits, the limit before rounding errors, add nothing.
  const isComplete = significantDigits(digits) < precision && Number(digits) === Number(formatNumber(value, 14));
  const isExact = isWhole || isComplete;
  if (unit === "") return `${shown} ${isExact ? "=" : "≈"} ${digits}`;
  return `${shown} ${isExact ? "=" : "≈"} ${isExact ? digits : formatNumber(value, measuredPrecision)} ${unit}`;
}

function formatNumber(value: number, precision: number): string {
  return math.format(value, { precision, lowerExp: -6, upperExp: 15 });
}

function significantDigits(digits: string): number {
  return digits.replace(/e.*$/u, "").replaceAll(/\D/gu, "").replace(/^0+/u, "").length;
}

function mismatchText({ shown, into, measures }: Calculation): string {
  if (into === undefined) return `${shown} has no answer: these units do not go together.`;
  if (measures === undefined || into.measures === undefined || measures === into.measures) {
    return `${shown} cannot be converted to ${into.said}: they measure different things.`;
  }
  return `${shown} cannot be converted to ${into.said}: one is ${measures}, the other ${into.measures}.`;
}
