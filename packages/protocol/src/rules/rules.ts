import { dialogEventRules } from "./dialog-event.ts";
import { manifestRules } from "./manifest.ts";
import { messageRules } from "./message.ts";
import { ovonRules } from "./ovon.ts";
import { rulesOf } from "./rule.ts";

const jsonRules = rulesOf("", {
  "json-syntax": [
    "Inter-Agent Message 1.1.0, section 1.1",
    "an envelope is one JSON document",
    "send one JSON value as UTF-8 text",
  ],
  "json-duplicate-key": ["RFC 8259, section 4", "the keys of an object are unique", "keep one of the two"],
  "json-forbidden-key": [
    "Plenary, spec-notes 12",
    "keys that could change an object's prototype are refused",
    "rename the key",
  ],
  "json-depth": ["Plenary, spec-notes 12", "nesting goes at most 32 levels deep", "flatten the document"],
  "json-surrogate": ["RFC 8259, section 8.2", "text is made of whole characters", "send the whole surrogate pair"],
  "json-number": ["RFC 8259, section 6", "numbers fit a double", "use a number below 1.8e308"],
});

/** Every data rule by id: what the specification says, where, and how to fix a violation. */
export const rules = { ...jsonRules, ...messageRules, ...dialogEventRules, ...manifestRules, ...ovonRules };

export type RuleId = keyof typeof rules;

/** Rules that a JSON Schema cannot express; the schema files accept documents that break only these. */
export const rulesBeyondSchema: ReadonlySet<RuleId> = new Set<RuleId>([
  "json-syntax",
  "json-duplicate-key",
  "json-forbidden-key",
  "json-depth",
  "json-number",
  "json-surrogate",
  "private-key",
  "dialog-event-id-once",
  "conversants-once",
  "floor-role-listed",
  "floor-granted-listed",
  "discovery-not-self",
  "token-link-resolves",
  "calendar-date",
]);
