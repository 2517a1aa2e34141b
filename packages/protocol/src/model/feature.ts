import * as Type from "typebox";
import { isRecord } from "../is-record.ts";
import { report } from "../repair/repair.ts";
import { type Deviation, type Note, type Refinement, renamed, unusable } from "../repair/shape.ts";
import type { RuleId } from "../rules/rules.ts";
import { languagePattern, looseLanguage, mimeTypePattern, uriPattern } from "./patterns.ts";
import { spanShape } from "./span.ts";

type Json = string | number | boolean | { [key: string]: unknown } | unknown[];

const valueAndUrl: Refinement = (token: { value?: unknown; valueUrl?: unknown }, place, state) => {
  if (token.value === undefined && token.valueUrl === undefined) {
    report(state, place, "token-value", "a token has a value or a valueUrl, but this one has neither", "error", false);
    return unusable;
  }
  if (token.value === undefined || token.valueUrl === undefined) return token;
  report(state, place, "token-value-once", "a token has value or valueUrl, but this one has both (the value is kept)");
  const { valueUrl: _, ...rest } = token;
  return rest;
};

const link = Type.String({
  pattern: "^\\$",
  note: {
    rule: "token-link-path",
    known: [
      {
        rule: "token-link-path",
        says: "this is another notation",
        is: (value) => typeof value === "string" && !value.startsWith("$"),
      },
    ],
  } satisfies Note,
});

// Beside a value or a valueUrl such a key is one of the token's own, which the text allows.
function insteadOfValue(from: string, to: string, rule: RuleId): Deviation {
  const deviation = renamed(from, to, rule);
  const isEmpty = (token: unknown) => isRecord(token) && token.value === undefined && token.valueUrl === undefined;
  return { ...deviation, is: (token, state) => isEmpty(token) && deviation.is(token, state) };
}

// A sample of 0.9 has a whole HTTP request as a URL.
const blanksInside: Deviation = {
  rule: "token-value-url",
  says: "there are blanks in it",
  is: (value) => typeof value === "string" && /^[A-Za-z][A-Za-z0-9+.-]*:\S+\s/u.test(value),
};

/** A piece of a feature. `value` differs by feature. */
function tokenOf<Value extends Type.TSchema>(value: Value) {
  return Type.Object(
    {
      value: Type.Optional(value),
      valueUrl: Type.Optional(
        Type.String({
          pattern: uriPattern,
          note: { rule: "token-value-url", essential: true, known: [blanksInside] } satisfies Note,
        }),
      ),
      span: Type.Optional(spanShape({ rule: "token-span" })),
      confidence: Type.Optional(
        Type.Number({
          minimum: 0,
          maximum: 1,
          note: { rule: "token-confidence", otherwise: clampConfidence } satisfies Note,
        }),
      ),
      links: Type.Optional(Type.Array(link, { note: { rule: "token-links" } satisfies Note })),
    },
    {
      oneOf: [{ required: ["value"] }, { required: ["valueUrl"] }],
      note: {
        rule: "token",
        known: [
          insteadOfValue("token", "value", "token-value"),
          insteadOfValue("value-url", "valueUrl", "token-value-url"),
          insteadOfValue("value-uri", "valueUrl", "token-value-url"),
        ],
        refine: [valueAndUrl],
      } satisfies Note,
    },
  );
}

function clampConfidence(value: unknown): unknown {
  return typeof value === "number" ? Math.min(1, Math.max(0, value)) : unusable;
}

const anyValue = Type.Unsafe<Json>({
  type: ["string", "number", "boolean", "object", "array"],
  note: { rule: "token-value", essential: true } satisfies Note,
});

const stringValue = (rule: RuleId, pattern?: string) =>
  Type.String({ ...(pattern && { pattern }), note: { rule, essential: true, otherwise: spellOut } satisfies Note });

function spellOut(value: unknown): unknown {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : unusable;
}

// Samples of 0.9 give audio as one URL beside the MIME type, without tokens.
const urlWithoutTokens = (key: string): Deviation => ({
  rule: "feature-tokens",
  key,
  says: "here is a bare URL",
  is: (value) => isRecord(value) && typeof value[key] === "string" && value.tokens === undefined,
  repair: (value) => {
    const { [key]: valueUrl, ...rest } = value as Record<string, unknown>;
    return { ...rest, tokens: [{ valueUrl }] };
  },
});

const noSpan: Note = {
  rule: "feature-span",
  known: [{ rule: "feature-span", says: "this one has", is: () => true }],
};

type MimeType = { rule: RuleId; pattern: string; guess: string; known?: readonly Deviation[] };

function featureOf<Value extends Type.TSchema>(mimeType: MimeType, value: Value) {
  const token = tokenOf(value);
  const { rule, pattern, guess, known = [] } = mimeType;
  return Type.Object(
    {
      mimeType: Type.String({
        pattern,
        note: { rule, known, otherwise: (wrong) => (typeof wrong === "string" ? wrong : guess) } satisfies Note,
      }),
      tokens: Type.Array(token, { note: { rule: "feature-tokens" } satisfies Note }),
      alternates: Type.Optional(
        Type.Array(Type.Array(token, { note: { rule: "feature-alternates" } satisfies Note }), {
          note: { rule: "feature-alternates" } satisfies Note,
        }),
      ),
      lang: Type.Optional(
        Type.String({
          pattern: languagePattern,
          note: { rule: "feature-lang", known: [looseLanguage("feature-lang")] } satisfies Note,
        }),
      ),
      encoding: Type.Optional(
        Type.String({
          pattern: "^(?:[Ii][Ss][Oo]-8859-1|[Uu][Tt][Ff]-8)$",
          note: { rule: "feature-encoding" } satisfies Note,
        }),
      ),
      tokenSchema: Type.Optional(Type.String({ note: { rule: "feature-token-schema" } satisfies Note })),
      span: Type.Optional(Type.Never({ note: noSpan })),
    },
    {
      note: {
        rule: "feature",
        known: [urlWithoutTokens("value-uri"), urlWithoutTokens("value-url"), urlWithoutTokens("valueUrl")],
      } satisfies Note,
    },
  );
}

const misspelt = (rule: RuleId, wrong: string, right: string): Deviation => ({
  rule,
  says: "this is a misspelling",
  is: (value) => value === wrong,
  repair: () => right,
});

/** Spec 1.10.1: what is said, as plain text. */
export const textFeature = featureOf(
  {
    rule: "text-mime-type",
    pattern: "^text/plain\\s*(?:;.*)?$",
    guess: "text/plain",
    known: [misspelt("text-mime-type", "plain/text", "text/plain")],
  },
  stringValue("text-value"),
);

/** Spec 1.10.2. */
export const htmlFeature = featureOf(
  { rule: "html-mime-type", pattern: "^(?:text/html|application/xhtml\\+xml)\\s*(?:;.*)?$", guess: "text/html" },
  stringValue("html-value"),
);

/** Spec 1.10.3. */
export const audioFeature = featureOf(
  {
    rule: "audio-mime-type",
    pattern: "^audio/(?:mpeg|mp4|aac|ogg|opus|webm|wav|flac|x-flac)\\s*(?:;.*)?$",
    guess: "application/octet-stream",
  },
  stringValue("audio-value", "^[A-Za-z0-9+/\\s]*(?:={1,2}\\s*)?$"),
);

/** Spec 1.10.4. */
export const ssmlFeature = featureOf(
  {
    rule: "ssml-mime-type",
    pattern: "^application/ssml\\+xml\\s*(?:;.*)?$",
    guess: "application/ssml+xml",
    known: [misspelt("ssml-mime-type", "ssml+xml", "application/ssml+xml")],
  },
  stringValue("ssml-value", "^\\s*(?:<\\?xml[^>]*\\?>\\s*)?<speak[\\s>/]"),
);

/** Spec 1.11: any other name is a custom feature. */
export const otherFeature = featureOf(
  {
    rule: "feature-mime-type",
    pattern: mimeTypePattern.replace("^", "^(?!plain/text$)"),
    guess: "application/octet-stream",
    known: [misspelt("feature-mime-type", "plain/text", "text/plain")],
  },
  anyValue,
);
export type Feature = Type.Static<typeof otherFeature>;
export type Token = Feature["tokens"][number];
