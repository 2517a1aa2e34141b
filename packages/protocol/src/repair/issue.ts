import type { RuleId } from "../rules/rules.ts";

/** One problem of a document, with its fix for the author. */
export type Issue = {
  /** JSON pointer (RFC 6901) into the document as it was read. */
  path: string;
  /** In plain words, with the offending value. */
  problem: string;
  /** What to write instead. */
  fix: string;
  rule: RuleId;
  /** Specification and section of the rule. */
  spec: string;
  /** `error` breaks the text; `warning` breaks it the way official samples or known agents do (D21). */
  severity: "error" | "warning";
  /** False when no usable value could be made; such an issue refuses the document. */
  repaired: boolean;
};

/** An unrepaired issue beyond the limit. Its text is made only if it refuses the document or an event. */
export type Fatal = { rule: RuleId; listed: () => Issue };

/** The issues beyond the limit. `fatal`: the first unrepaired issue of the current part. */
export type More = {
  count: number;
  /** Of the first one. */
  rule: RuleId | undefined;
  /** The worst. */
  severity: Issue["severity"];
  fatal: Fatal | undefined;
};

/** Something a translation between dialects could not carry over. */
export type Loss = {
  /** JSON pointer into the document that was translated. */
  path: string;
  why: string;
  /** The eventType that stands in for a lost event in the other dialect. */
  becomes?: string;
};

/** A broken rule that no JSON Schema can express, at a place below the object it was found in. */
export type Fault = { rule: RuleId; keys: (string | number)[]; problem: string; severity?: "warning" };

/** One shared empty list, so that the common case allocates nothing. */
export const faultless: readonly Fault[] = [];

/** The beginning of a value as JSON. The rest is not serialized. */
export function preview(value: unknown): string {
  if (value === undefined) return "nothing";
  const text = beginning(value, previewMax + 1);
  return text.length > previewMax ? `${text.slice(0, previewMax - 3)}...` : text;
}

const previewMax = 60;

/** At least the first characters of what JSON.stringify writes. */
function beginning(value: unknown, charactersMax: number): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, charactersMax));
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const isList = Array.isArray(value);
  let text = isList ? "[" : "{";
  for (const key in value) {
    if (text.length > charactersMax) return text;
    if (text.length > 1) text += ",";
    if (!isList) text += `${beginning(key, charactersMax)}:`;
    text += beginning(Reflect.get(value, key), charactersMax);
  }
  return `${text}${isList ? "]" : "}"}`;
}
