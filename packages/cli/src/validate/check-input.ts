import { randomUUID } from "node:crypto";
import { checkDocument, type DocumentReport, type Issue, type ParseDefaults, rules } from "@plenary/protocol";
import type { Input, NotUtf8 } from "./read-input.ts";

export function createMint(): ParseDefaults {
  return { now: new Date().toISOString(), newId: () => `de:${randomUUID()}` };
}

export function checkInput(input: Input): DocumentReport {
  if (input.notUtf8 === undefined) return checkDocument(input.text, createMint());
  return { kind: "envelope", version: undefined, valid: false, issues: [encodingIssue(input.notUtf8)] };
}

/** JSON is UTF-8 (RFC 8259, section 8.1). Decoding other bytes by guess could change the text. */
function encodingIssue({ byte, byteOffset, isUtf16 }: NotUtf8): Issue {
  const found = isUtf16
    ? "this is UTF-16"
    : `byte 0x${byte.toString(16).padStart(2, "0")} at byte offset ${byteOffset} is none`;
  const rule = "json-syntax";
  return {
    path: "",
    problem: `a JSON document is UTF-8 text, but ${found}`,
    fix: "save the document as UTF-8",
    rule,
    spec: rules[rule].spec,
    severity: "error",
    repaired: false,
  };
}
