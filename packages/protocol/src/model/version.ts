import { type Deviation, missing, type Note, padded } from "../repair/shape.ts";

/** Three dialects cover all published versions. */
export type Dialect = "0.9" | "1.0" | "1.1";

/** The version we write in each dialect: its last release that peers support. */
export const versionOf: Record<Dialect, string> = { "0.9": "0.9.3", "1.0": "1.0.0", "1.1": "1.1.0" };

export const versionsOf: Record<Dialect, readonly string[]> = {
  "0.9": ["0.9.0", "0.9.1", "0.9.2", "0.9.3"],
  "1.0": ["0.9.4", "1.0.0"],
  "1.1": ["1.0.1", "1.1.0", "1.1.1"],
};

/** Where the official JSON Schema of a version is. */
export function schemaUrlOf(dialect: Dialect): string {
  const version = versionOf[dialect];
  return `https://github.com/open-voice-interoperability/docs/tree/main/schemas/conversation-envelope/${version}/conversation-envelope-schema.json`;
}

/** Root key first, then the version: an unpublished version is read as the newest that fits the root key. */
export function dialectOf(root: "ovon" | "openFloor", version: unknown): Dialect {
  if (root === "ovon") return "0.9";
  return isVersion(version) && versionsOf["1.0"].includes(coerced(version)) ? "1.0" : "1.1";
}

/** " 1.1 " and 1.1 both mean 1.1.0. */
function coerced(version: unknown): string {
  const parts = String(version).trim().split(".");
  return [...parts, "0", "0"].slice(0, Math.max(3, parts.length)).join(".");
}

const numbers = /^\s*\d+(?:\.\d+){0,2}\s*$/u;

const isVersion = (value: unknown): boolean =>
  (typeof value === "string" || typeof value === "number") && numbers.test(String(value));

/** How `schema.version` is read in a dialect. */
export function versionNote(dialect: Dialect): Note {
  const mine = versionsOf[dialect];
  const others = Object.values(versionsOf)
    .flat()
    .filter((version) => !mine.includes(version));
  const rule = "schema-version";
  const incomplete: Deviation = {
    rule,
    says: "this is an abbreviation",
    is: (value) => isVersion(value) && value !== coerced(value) && mine.includes(coerced(value)),
    repair: coerced,
  };
  const elsewhere: Deviation = {
    rule: "schema-version-root",
    says: "this belongs to another format",
    is: (value) => isVersion(value) && others.includes(coerced(value)),
    repair: () => versionOf[dialect],
  };
  const unpublished: Deviation = {
    rule,
    says: `this one was never published (read as ${versionOf[dialect]})`,
    is: (value) => isVersion(value) && !mine.includes(String(value)),
    repair: () => versionOf[dialect],
    severity: "error",
  };
  const known = [missing(rule, () => versionOf[dialect], "error"), padded(rule), incomplete, elsewhere, unpublished];
  const fix = `write "version": "${dialect === "0.9" ? versionOf[dialect] : versionOf["1.1"]}"`;
  return { rule, fix, known, otherwise: () => versionOf[dialect] };
}
