import { dialogEventRules } from "./dialog-event.ts";
import { jsonRules } from "./json.ts";
import { manifestRules } from "./manifest.ts";
import { messageRules } from "./message.ts";
import { ovonRules } from "./ovon.ts";

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
