import { rule } from "./rule.ts";

const syntax = "Inter-Agent Message 1.1.0, section 1.1";
const ours = "Plenary, spec-notes 12";

export const jsonRules = {
  "json-syntax": rule(syntax, "an envelope is one JSON document", "send one JSON value as UTF-8 text"),
  "json-duplicate-key": rule("RFC 8259, section 4", "the keys of an object are unique", "keep one of the two"),
  "json-forbidden-key": rule(ours, "keys that could change an object's prototype are refused", "rename the key"),
  "json-depth": rule(ours, "nesting goes at most 32 levels deep", "flatten the document"),
  "json-surrogate": rule("RFC 8259, section 8.2", "text is made of whole characters", "send the whole surrogate pair"),
  "json-number": rule("RFC 8259, section 6", "numbers fit a double", "use a number below 1.8e308"),
};
