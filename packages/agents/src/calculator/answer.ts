/// <reference path="./mathjs-bundle.d.ts" />
// The only file that knows the library, and the lists of all that it is let do.
import type { MathNode } from "mathjs";
// The same library in one file: its hundreds of modules would keep a floor waiting for a second, this one does not.
import mathjs from "mathjs/lib/browser/math.js";
import type { Question } from "./understand.ts";
import { constants, functionNames, ownUnits, unitNames } from "./vocabulary.ts";

// Plain numbers: whatever is asked takes no more time or memory than two plus two. `predictable`: no complex results.
const math = mathjs.create({ number: "number", predictable: true });
for (const [name, definition] of Object.entries(ownUnits)) math.createUnit(name, definition);

const names: readonly string[] = [...constants, ...functionNames, ...unitNames];
const operators: readonly string[] = [
  ...["add", "subtract", "multiply", "divide", "pow", "mod", "factorial", "unaryMinus", "unaryPlus", "to"],
];

/** Undefined when it was no calculation after all. */
export function answerTo(question: Question): string | undefined {
  switch (question.kind) {
    case "tip":
      return tipFor(question);
    case "share":
      return shareOf(question);
    case "currency":
      return "I have no exchange rates: I calculate without a network, and rates change by the minute.";
    case "calculation":
      return resultOf(question);
  }
}

function tipFor({ percent, amount }: Question & { kind: "tip" }): string {
  const tip = Math.round(amount * percent) / 100;
  return `${percent}% tip on ${amount.toFixed(2)} = ${tip.toFixed(2)}, together ${(amount + tip).toFixed(2)}`;
}

function shareOf({ part, whole }: Question & { kind: "share" }): string {
  if (whole === 0) return `${part} of 0 has no answer: nothing can be divided by zero.`;
  const percent = (100 * part) / whole;
  const isExact = Number(formatted(percent, 6)) === Number(formatted(percent, 14));
  return `${part} is ${isExact ? "" : "about "}${formatted(percent, 6)}% of ${whole}`;
}

type Calculation = Question & { kind: "calculation" };

function resultOf(question: Calculation): string | undefined {
  const { shown, expression, into } = question;
  const node = parsed(into === undefined ? expression : `(${expression}) to ${into.expression}`);
  if (node === undefined) return undefined;
  try {
    if (dividesByZero(node)) return `${shown} has no answer: nothing can be divided by zero.`;
    return written(question, node.compile().evaluate());
  } catch {
    // The library knows many ways to say that units do not go together.
    return mismatchOf(question);
  }
}

/** Undefined when it is no sentence of arithmetic, or has anything in it that is not on our lists. */
function parsed(expression: string): MathNode | undefined {
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

function written({ shown, into }: Calculation, value: unknown): string | undefined {
  if (math.isUnit(value)) {
    // `m m` is written m^2; what is one unit stays the one that was asked in.
    const isMade = into === undefined && value.toJSON().unit?.includes(" ") === true;
    const { value: amount, unit } = (isMade ? value.simplify() : value).toJSON();
    return typeof amount === "number" ? equation(shown, amount, into?.said ?? unit) : undefined;
  }
  return typeof value === "number" ? equation(shown, value, "") : undefined;
}

/** More digits would show how computers count, and not what is asked; nobody measures so finely. */
const precision = 12;
const measuredPrecision = 8;

function equation(shown: string, value: number, unit: string): string {
  if (Number.isNaN(value)) return `${shown} has no answer among the real numbers.`;
  if (!Number.isFinite(value)) return `${shown} is too large for me: I stop at about 10^308.`;
  const isWhole = Number.isSafeInteger(value);
  const digits = isWhole ? String(value) : formatted(value, precision);
  // Where all the digits are used, or more of them would say more, these are not all. Beyond 14 computers miscount.
  const isAll = significant(digits) < precision && Number(digits) === Number(formatted(value, 14));
  const isExact = isWhole || isAll;
  if (unit === "") return `${shown} ${isExact ? "=" : "≈"} ${digits}`;
  return `${shown} ${isExact ? "=" : "≈"} ${isExact ? digits : formatted(value, measuredPrecision)} ${unit}`;
}

function formatted(value: number, precision: number): string {
  return math.format(value, { precision, lowerExp: -6, upperExp: 15 });
}

function significant(digits: string): number {
  return digits.replace(/e.*$/u, "").replaceAll(/\D/gu, "").replace(/^0+/u, "").length;
}

function mismatchOf({ shown, into, measures }: Calculation): string {
  if (into === undefined) return `${shown} has no answer: these units do not go together.`;
  if (measures === undefined || into.measures === undefined || measures === into.measures) {
    return `${shown} cannot be given in ${into.said}: they measure different things.`;
  }
  return `${shown} cannot be given in ${into.said}: one is ${measures}, the other ${into.measures}.`;
}
