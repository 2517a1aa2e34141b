import { media } from "../bases.ts";
import { drop, type NegativeCase, repairedError, set, warned } from "../case.ts";

const here = "/features/picture";
const token = `${here}/tokens/1`;
const linked = `${here}/tokens/0`;

const featureCases: readonly NegativeCase[] = [
  { name: "a feature that is a string is left out", rule: "feature", ...repairedError, ...set(media, here, "a cat") },
  {
    name: "a feature that is a list is left out",
    rule: "feature",
    ...repairedError,
    ...set(media, here, [{ value: "a cat" }]),
  },
  { name: "a feature that is null is left out", rule: "feature", ...repairedError, ...set(media, here, null) },
  {
    name: "a feature has a MIME type",
    rule: "feature-mime-type",
    ...repairedError,
    ...drop(media, `${here}/mimeType`),
  },
  {
    name: "a MIME type has two halves",
    rule: "feature-mime-type",
    ...repairedError,
    ...set(media, `${here}/mimeType`, "png"),
  },
  {
    name: "a MIME type is no number",
    rule: "feature-mime-type",
    ...repairedError,
    ...set(media, `${here}/mimeType`, 5),
  },
  {
    name: "a MIME type is not empty",
    rule: "feature-mime-type",
    ...repairedError,
    ...set(media, `${here}/mimeType`, ""),
  },
  {
    name: "a feature without tokens is left out",
    rule: "feature-tokens",
    ...repairedError,
    ...drop(media, `${here}/tokens`),
  },
  {
    name: "a feature whose tokens are a string is left out",
    rule: "feature-tokens",
    ...repairedError,
    ...set(media, `${here}/tokens`, "a cat"),
  },
  {
    name: "a feature whose tokens are an object is left out",
    rule: "feature-tokens",
    ...repairedError,
    ...set(media, `${here}/tokens`, { value: 1 }),
  },
  {
    name: "a URL in place of the tokens is understood",
    rule: "feature-tokens",
    path: `${here}/value-uri`,
    ...warned,
    document: set(media, here, { mimeType: "audio/wav", "value-uri": "https://ann.example/1.wav" }).document,
  },
  {
    name: "alternates are no string",
    rule: "feature-alternates",
    ...repairedError,
    ...set(media, `${here}/alternates`, "junk"),
  },
  {
    name: "alternates are no object",
    rule: "feature-alternates",
    ...repairedError,
    ...set(media, `${here}/alternates`, { value: 1 }),
  },
  {
    name: "each alternate is a list",
    rule: "feature-alternates",
    ...repairedError,
    ...set(media, `${here}/alternates/1`, { value: 1 }),
  },
  {
    name: "a token of an alternate is an object",
    rule: "token",
    ...repairedError,
    ...set(media, `${here}/alternates/1/0`, "a dog"),
  },
  {
    name: "a language is a tag, not a name",
    rule: "feature-lang",
    ...repairedError,
    ...set(media, `${here}/lang`, "US English"),
  },
  { name: "a language is no number", rule: "feature-lang", ...repairedError, ...set(media, `${here}/lang`, 1033) },
  {
    name: "a language has subtags of at most eight letters",
    rule: "feature-lang",
    ...repairedError,
    ...set(media, `${here}/lang`, "en-colloquially"),
  },
  {
    name: "a locale with an underscore is understood",
    rule: "feature-lang",
    ...warned,
    ...set(media, `${here}/lang`, "en_US"),
  },
  {
    name: "an encoding is one of two",
    rule: "feature-encoding",
    ...repairedError,
    ...set(media, `${here}/encoding`, "UTF-16"),
  },
  {
    name: "an encoding is no number",
    rule: "feature-encoding",
    ...repairedError,
    ...set(media, `${here}/encoding`, 8),
  },
  {
    name: "a token schema is a string",
    rule: "feature-token-schema",
    ...repairedError,
    ...set(media, `${here}/tokenSchema`, {}),
  },
  {
    name: "a feature has no span of its own",
    rule: "feature-span",
    ...warned,
    ...set(media, `${here}/span`, { startOffset: "PT1S" }),
  },
];

const tokenCases: readonly NegativeCase[] = [
  { name: "a token that is a string is left out", rule: "token", ...repairedError, ...set(media, token, "a cat") },
  { name: "a token that is null is left out", rule: "token", ...repairedError, ...set(media, token, null) },
  { name: "a token without a value is left out", rule: "token-value", ...repairedError, ...set(media, token, {}) },
  {
    name: "a token whose value is null is left out",
    rule: "token-value",
    ...repairedError,
    ...set(media, `${token}/value`, null),
  },
  {
    name: "a value under another name is understood",
    rule: "token-value",
    path: `${token}/token`,
    ...warned,
    document: set(media, token, { token: "a cat" }).document,
  },
  {
    name: "a token has one value, not two",
    rule: "token-value-once",
    path: token,
    ...repairedError,
    document: set(media, `${token}/valueUrl`, "https://ann.example/2.png").document,
  },
  {
    name: "a valueUrl is no number",
    rule: "token-value-url",
    ...repairedError,
    ...set(media, `${linked}/valueUrl`, 5),
  },
  {
    name: "a valueUrl has a scheme",
    rule: "token-value-url",
    ...repairedError,
    ...set(media, `${linked}/valueUrl`, "picture.png"),
  },
  {
    name: "a valueUrl in kebab-case is understood",
    rule: "token-value-url",
    path: `${token}/value-url`,
    ...warned,
    document: set(media, token, { "value-url": "https://ann.example/2.png" }).document,
  },
  {
    name: "a confidence above 1 is cut",
    rule: "token-confidence",
    ...repairedError,
    ...set(media, `${linked}/confidence`, 7),
  },
  {
    name: "a confidence below 0 is cut",
    rule: "token-confidence",
    ...repairedError,
    ...set(media, `${linked}/confidence`, -0.1),
  },
  {
    name: "a confidence is a number",
    rule: "token-confidence",
    ...repairedError,
    ...set(media, `${linked}/confidence`, "high"),
  },
  { name: "a token's span is an object", rule: "token-span", ...repairedError, ...set(media, `${token}/span`, "PT1S") },
  {
    name: "a token's span has a start",
    rule: "span-start",
    ...repairedError,
    ...set(media, `${token}/span`, { endOffset: "PT2S" }),
  },
  {
    name: "a token's offset is a duration",
    rule: "span-end-offset",
    ...repairedError,
    ...set(media, `${token}/span/endOffset`, "2.5"),
  },
  {
    name: "a token's date is in the calendar",
    rule: "calendar-date",
    path: `${token}/span/startTime`,
    ...repairedError,
    document: set(media, `${token}/span`, { startTime: "2025-02-29T10:05:00Z" }).document,
  },
  {
    name: "links are a list",
    rule: "token-links",
    ...repairedError,
    ...set(media, `${linked}/links`, "$.text.tokens[0].value"),
  },
  { name: "a link is no number", rule: "token-link-path", ...repairedError, ...set(media, `${linked}/links/0`, 5) },
  {
    name: "a link in another notation is kept",
    rule: "token-link-path",
    ...warned,
    ...set(media, `${linked}/links/0`, "text/tokens[0]/value"),
  },
  {
    name: "a link leads to a feature of this event",
    rule: "token-link-resolves",
    ...warned,
    ...set(media, `${linked}/links/0`, "$.sound.tokens[0].value"),
  },
  {
    name: "a link leads to a token that is there",
    rule: "token-link-resolves",
    ...warned,
    ...set(media, `${linked}/links/0`, "$.text.tokens[9].value"),
  },
];

export const featureAndTokenCases: readonly NegativeCase[] = [...featureCases, ...tokenCases];
