import * as Type from "typebox";
import { type Deviation, type Note, padded } from "../repair/shape.ts";
import type { RuleId } from "../rules/rules.ts";

// Patterns are JSON Schema patterns: they end up in the schema files, so they work with the `u` flag and without others.

export const uriPattern = "^[A-Za-z][A-Za-z0-9+.-]*:\\S+$";
export const urlPattern = "^[A-Za-z][A-Za-z0-9+.-]*://\\S+$";
export const mimeTypePattern = "^[^\\s/;]+/[^\\s/;]+\\s*(?:;.*)?$";

const date =
  "\\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|02-(?:0[1-9]|[12]\\d))";
const clock = "(?:[01]\\d|2[0-3]):[0-5]\\d:(?:[0-5]\\d|60)(?:\\.\\d+)?";
const zone = "(?:[Zz]|[+-](?:[01]\\d|2[0-3]):[0-5]\\d)";

/** RFC 3339 date-time. Its section 5.6 allows a space for the T. */
export const timePattern = `^${date}[Tt ]${clock}${zone}$`;

const amount = "\\d+(?:[.,]\\d+)?";

/** ISO 8601 duration. */
export const durationPattern =
  `^P(?=\\d|T)(?:${amount}W|(?:${amount}Y)?(?:${amount}M)?(?:${amount}D)?` +
  `(?:T(?=\\d)(?:${amount}H)?(?:${amount}M)?(?:${amount}S)?)?)$`;

const grandfathered =
  "art-lojban|cel-gaulish|en-GB-oed|i-(?:ami|bnn|default|enochian|hak|klingon|lux|mingo|navajo|pwn|tao|tay|tsu)|" +
  "no-(?:bok|nyn)|sgn-(?:BE-(?:FR|NL)|CH-DE)|zh-(?:guoyu|hakka|min|min-nan|xiang)";

/** BCP 47 language tag, well formed (RFC 5646, section 2.1). */
export const languagePattern =
  "^(?:(?:[A-Za-z]{2,3}(?:-[A-Za-z]{3}){0,3}|[A-Za-z]{4,8})(?:-[A-Za-z]{4})?(?:-(?:[A-Za-z]{2}|\\d{3}))?" +
  "(?:-(?:[A-Za-z0-9]{5,8}|\\d[A-Za-z0-9]{3}))*(?:-[0-9A-WY-Za-wy-z](?:-[A-Za-z0-9]{2,8})+)*(?:-[Xx](?:-[A-Za-z0-9]{1,8})+)?|" +
  `[Xx](?:-[A-Za-z0-9]{1,8})+|${grandfathered})$`;

/** Real agents use names that are no URI; identities are opaque, so such a name is kept. */
export function notInSyntax(rule: RuleId, kind: "URI" | "URL", pattern: string): Deviation {
  const syntax = new RegExp(pattern, "u");
  return {
    rule,
    says: `this is not in ${kind} syntax`,
    is: (value) => typeof value === "string" && value.trim() !== "" && !syntax.test(value),
  };
}

/** A name by URI. */
export function uri(rule: RuleId, { known = [], ...note }: Partial<Note> = {}) {
  return Type.String({
    pattern: uriPattern,
    note: { rule, ...note, known: [...known, notInSyntax(rule, "URI", uriPattern)] } satisfies Note,
  });
}

/** An address. */
export function url(rule: RuleId, note: Partial<Note> = {}) {
  return Type.String({ pattern: urlPattern, note: { rule, known: [padded(rule)], ...note } satisfies Note });
}

/** The specification's own samples write no zone. */
export function looseTime(rule: RuleId): Deviation {
  const zoneless = new RegExp(`^${date}[Tt ]${clock}$`, "u");
  return {
    rule,
    says: "it has no time zone (UTC is assumed)",
    is: (value) => typeof value === "string" && zoneless.test(value),
    repair: (value) => `${value}Z`,
  };
}

/** The specification's own samples leave the S off. */
export function looseDuration(rule: RuleId): Deviation {
  const undesignated = new RegExp(`^PT${amount}$`, "u");
  return {
    rule,
    says: "its number has no designator (seconds are assumed)",
    is: (value) => typeof value === "string" && undesignated.test(value),
    repair: (value) => `${value}S`,
  };
}

/** Locale names such as en_US, as operating systems write them. */
export function looseLanguage(rule: RuleId): Deviation {
  const language = new RegExp(languagePattern, "u");
  return {
    rule,
    says: "it has an underscore for the hyphen",
    is: (value) => typeof value === "string" && value.includes("_") && language.test(value.replaceAll("_", "-")),
    repair: (value) => String(value).replaceAll("_", "-"),
  };
}

/** False only for the one invalid date that the pattern accepts: 29 February of a common year. */
export function isCalendarDate(time: string): boolean {
  if (!time.startsWith("02-29", 5)) return true;
  const year = Number(time.slice(0, 4));
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
}
