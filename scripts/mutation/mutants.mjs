// Finds the places of a source file that a mutant may change, and writes a file that holds its mutants side by side.
import { createHash } from "node:crypto";
import ts from "typescript";

const opposites = {
  "===": "!==",
  "!==": "===",
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "+": "-",
  "-": "+",
  "*": "/",
  "/": "*",
};

/** Calls that a mutant leaves out: the value they were called on stays. */
const dropped = new Set([
  "toLowerCase",
  "trim",
  "filter",
  "slice",
  "sort",
  "reverse",
  "normalize",
  "toReversed",
  "toSorted",
]);
const swapped = new Map([
  ["some", "every"],
  ["every", "some"],
  ["min", "max"],
  ["max", "min"],
]);

/** All mutants of a file: `{ id, file, line, source, from, to }`. An id depends on the text of the line, not on its number. */
export function mutantsOf(file, text) {
  const source = parse(file, text);
  const found = [];
  const seen = new Map();
  visit(source, (node) => {
    for (const change of changesOf(node, source)) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
      const words = text.split("\n", line + 1)[line].trim();
      const key = [file, words, change.from, change.to].join("\n");
      const count = (seen.get(key) ?? 0) + 1;
      seen.set(key, count);
      const id = createHash("sha256").update(`${key}\n${count}`).digest("hex").slice(0, 12);
      found.push({ id, file, line: line + 1, source: words, from: change.from, to: change.to });
    }
  });
  return found;
}

/** The text of the file with one mutant in place of what it changes. */
export function mutated(file, text, wanted) {
  const source = parse(file, text);
  const all = mutantsOf(file, text)[Symbol.iterator]();
  let out = text;
  visit(source, (node) => {
    for (const change of changesOf(node, source)) {
      if (all.next().value.id !== wanted) continue;
      const written = change.write((child) => child.getText(source));
      const whole = ts.isStatement(node) ? written : `(${written})`;
      out = text.slice(0, node.getStart(source)) + whole + text.slice(node.end);
    }
  });
  return out;
}

/** The text of the file with the mutants named in `ids`. One of them is active while `__mutant(id)` returns true. */
export function instrument(file, text, ids) {
  const source = parse(file, text);
  const all = mutantsOf(file, text)[Symbol.iterator]();
  const atNode = new Map();
  visit(source, (node) => {
    for (const change of changesOf(node, source)) {
      const { id } = all.next().value;
      if (ids.has(id)) atNode.set(node, [...(atNode.get(node) ?? []), { id, write: change.write }]);
    }
  });
  return write(source);

  function write(node) {
    let out = "";
    let position = node.pos;
    const parts = new Map();
    ts.forEachChild(node, (child) => {
      const written = write(child);
      parts.set(child, written);
      out += text.slice(position, child.pos) + written;
      position = child.end;
    });
    out += text.slice(position, node.end);
    const mutants = atNode.get(node);
    if (mutants === undefined) return out;
    const lead = text.slice(node.pos, node.getStart(source));
    const part = (child) => parts.get(child) ?? child.getText(source);
    let body = out.slice(lead.length);
    for (const { id, write: change } of mutants) {
      const test = `globalThis.__mutant?.("${id}")`;
      body = ts.isStatement(node) ? `{ if (!${test}) ${body} }` : `(${test} ? (${change(part)}) : (${body}))`;
    }
    return lead + body;
  }
}

function parse(file, text) {
  return ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TS);
}

function visit(node, found) {
  if (isTypeOnly(node)) return;
  found(node);
  ts.forEachChild(node, (child) => visit(child, found));
}

function isTypeOnly(node) {
  return (
    ts.isTypeNode(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isImportDeclaration(node)
  );
}

function changesOf(node, source) {
  const shown = (written) => written.replace(/\s+/g, " ").slice(0, 120);
  const from = shown(node.getText(source));
  return rawChanges(node).map(({ write }) => ({ from, to: shown(write((child) => child.getText(source))), write }));
}

function rawChanges(node) {
  if (isCondition(node)) return [constant("true"), constant("false"), ...logicalChanges(node)];
  if (ts.isBinaryExpression(node)) return binaryChanges(node);
  if (ts.isCallExpression(node)) return callChanges(node);
  if (ts.isExpressionStatement(node) && isDropped(node.expression)) return [constant("")];
  if (node.kind === ts.SyntaxKind.TrueKeyword && isValue(node)) return [constant("false")];
  if (node.kind === ts.SyntaxKind.FalseKeyword && isValue(node)) return [constant("true")];
  // Other numbers are mostly limits, and no test should know them.
  if (ts.isNumericLiteral(node) && ["0", "1"].includes(node.text) && isValue(node) && !isFallback(node))
    return [{ write: (text) => `${text(node)} + 1` }];
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken) {
    return [{ write: (text) => text(node.operand) }];
  }
  return [];
}

const constant = (value) => ({ write: () => value });

/** The test of an `if`, a loop or a `?:`. Its parts are mutated on their own. */
function isCondition(node) {
  const { parent } = node;
  if (parent === undefined || node.kind === ts.SyntaxKind.TrueKeyword) return false;
  if (ts.isIfStatement(parent)) return parent.expression === node;
  return ts.isConditionalExpression(parent) && parent.condition === node;
}

function logicalChanges(node) {
  if (!ts.isBinaryExpression(node)) return [];
  const operator = node.operatorToken.getText();
  if (["&&", "||"].includes(operator)) return [onlySide(node.left), onlySide(node.right)];
  return operator === "??" ? [onlySide(node.left)] : [];
}

function binaryChanges(node) {
  const other = opposites[node.operatorToken.getText()];
  if (other === undefined || isText(node) || [node.left, node.right].every(ts.isNumericLiteral))
    return logicalChanges(node);
  return [{ write: (text) => `${text(node.left)} ${other} ${text(node.right)}` }];
}

const onlySide = (side) => ({ write: (text) => text(side) });

/** Whether `+` joins texts: a minus there is noticed by everything. */
function isText(node) {
  return node.getText().includes('"') || node.getText().includes("`");
}

function callChanges(node) {
  if (!ts.isPropertyAccessExpression(node.expression)) return [];
  // The target is a grandchild: its own mutants are left out here.
  const { expression: target, name } = node.expression;
  if (dropped.has(name.text)) return [{ write: () => target.getText() }];
  const other = swapped.get(name.text);
  if (other === undefined) return [];
  return [{ write: () => `${target.getText()}.${other}(${node.arguments.map((each) => each.getText()).join(", ")})` }];
}

/** A statement whose effect is all it is there for. */
function isDropped(expression) {
  if (ts.isAwaitExpression(expression) || ts.isVoidExpression(expression)) return isDropped(expression.expression);
  if (ts.isBinaryExpression(expression)) return expression.operatorToken.getText().endsWith("=");
  if (ts.isDeleteExpression(expression) || ts.isPostfixUnaryExpression(expression)) return true;
  return ts.isCallExpression(expression) && expression.expression.kind !== ts.SyntaxKind.SuperKeyword;
}

function isValue(node) {
  const { parent } = node;
  return !(
    ts.isLiteralTypeNode(parent) ||
    (ts.isPropertyAssignment(parent) && parent.name === node) ||
    ts.isEnumMember(parent)
  );
}

/** What stands in for an absent value, mostly for the compiler alone, or is a part of a limit such as `1 / 30`. */
function isFallback(node) {
  const { parent } = node;
  if (ts.isBinaryExpression(parent) && [parent.left, parent.right].every(ts.isNumericLiteral)) return true;
  if (ts.isBindingElement(parent)) return parent.initializer === node;
  return ts.isBinaryExpression(parent) && parent.operatorToken.getText() === "??" && parent.right === node;
}
