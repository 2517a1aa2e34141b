import { readFileSync } from "node:fs";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeEnvelope } from "../dialects/encode.ts";
import type { Issue } from "../repair/issue.ts";
import { noMore } from "../repair/issue-list.ts";
import { repairValue } from "../repair/repair.ts";
import { shapeOf } from "../repair/shape.ts";
import { rulesBeyondSchema } from "../rules/rules.ts";
import { arbitraryDialogEvent, serviceUrl, some, speakerUri, text } from "../testing/arbitrary-dialog-event.ts";
import { arbitraryEnvelope } from "../testing/arbitrary-envelope.ts";
import { mutated } from "../testing/mutated.ts";
import { checkDocument, type DocumentKind } from "./check-document.ts";
import { isEnvelope, parseEnvelope } from "./parse.ts";
import { type SchemaName, schemaFiles, schemasReadme } from "./schema-files.ts";
import { envelopeShape } from "./walk-envelope.ts";

const nightly = process.env.PLENARY_NIGHTLY === "1";
const seed = Number(process.env.PLENARY_SEED ?? (nightly ? Date.now() % 2 ** 31 : 20_250_131));
const numRuns = nightly ? 100_000 : 1_000;
// These tests take a few seconds, and several times as long on a busy machine.
const timeout = nightly ? 3_600_000 : 900_000;
const mint = { now: "2025-01-31T10:05:00Z", newId: () => "new" };

const schemas = schemaFiles();
const names = Object.keys(schemas) as SchemaName[];
const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");

function compile(name: SchemaName, unicodeRegExp = true): ValidateFunction {
  // Two options beyond strict mode: "one of these keys" names keys defined one level up, and the value of a token may be
  // of any type but null.
  const options = { strict: true, strictRequired: false, allowUnionTypes: true };
  return new Ajv2020({ ...options, unicodeRegExp }).compile(schemas[name]);
}

const isWithin = ({ rule }: Issue) => !rulesBeyondSchema.has(rule);

const strings = fc.array(text, { maxLength: 2 });
const named = { speakerUri, serviceUrl, organization: text, conversationalName: text, synopsis: text };
const roles = fc.dictionary(some("convener", "valueOf"), fc.boolean(), { noNullPrototype: true });
const identification = fc.record(
  { ...named, department: text, role: text, openFloorRoles: roles, extra: text },
  { requiredKeys: Object.keys(named) as (keyof typeof named)[] },
);
const capability = fc.record(
  {
    keyphrases: strings,
    descriptions: strings,
    languages: fc.array(some("en", "zh-Hant-TW")),
    supportedLayers: fc.record({ input: strings, output: strings }),
  },
  { requiredKeys: ["keyphrases", "descriptions"] },
);
const arbitraryManifest = fc.record({ identification, capabilities: fc.array(capability, { maxLength: 2 }) });

/** The parser finds no issue that a schema could find. */
function isClean(text: string, kind: DocumentKind, version: string): boolean {
  const report = checkDocument(text, mint);
  return report.kind === kind && report.version === version && !report.issues.some(isWithin);
}

function isCleanEnvelope(text: string): boolean {
  const parsed = parseEnvelope(text, mint);
  return parsed.ok && parsed.dialect === "1.1" && !parsed.issues.some(isWithin);
}

const cases = [
  {
    name: "envelope",
    documents: arbitraryEnvelope.map((openFloor) => ({ openFloor })),
    isFlawless: isCleanEnvelope,
  },
  {
    name: "dialog-event",
    documents: arbitraryDialogEvent,
    isFlawless: (text: string) => isClean(text, "dialogEvent", "1.0.2"),
  },
  {
    name: "manifest",
    documents: arbitraryManifest,
    isFlawless: (text: string) => isClean(text, "manifest", "1.0.1"),
  },
] as const;

test.each(cases)("the $name schema accepts every document the generator calls valid", ({ name, documents }) => {
  const validate = compile(name);
  fc.assert(
    fc.property(documents, (document) => {
      expect(validate(document), JSON.stringify(validate.errors)).toBe(true);
      expect(checkDocument(JSON.stringify(document), mint).issues).toEqual([]);
    }),
    { seed, numRuns: numRuns / 10 },
  );
});

test.each(cases)(
  "the $name schema accepts exactly the documents in which the parser finds no issue",
  { timeout },
  ({ name, documents, isFlawless }) => {
    const validate = compile(name);
    const validateWithoutUnicode = compile(name, false);
    const seen = { accepted: 0, refused: 0 };
    fc.assert(
      fc.property(mutated(documents), (document) => {
        const text = JSON.stringify(document);
        const isAccepted = validate(document);
        seen[isAccepted ? "accepted" : "refused"] += 1;
        return isFlawless(text) === isAccepted && validateWithoutUnicode(document) === isAccepted;
      }),
      { seed, numRuns },
    );
    console.log(`${name}: seed ${seed}, ${seen.accepted} documents accepted, ${seen.refused} refused`);
    // The comparison needs documents of both kinds.
    expect(Math.min(seen.accepted, seen.refused)).toBeGreaterThan(numRuns / 10);
  },
);

test("the fast check of envelopes agrees with the walk that reports issues", { timeout }, () => {
  fc.assert(
    fc.property(mutated(arbitraryEnvelope), (content) => {
      const list = { issues: [], issuesMax: Number.POSITIVE_INFINITY, more: noMore() };
      const state = { ...mint, ...list, document: content, leftOut: [], dropBadEvents: false };
      repairValue(shapeOf(envelopeShape), content, undefined, state);
      return isEnvelope(content) === !state.issues.some(isWithin);
    }),
    { seed, numRuns },
  );
});

test("published schemas accept what our schemas accept, except expectedFloorRoles of 1.1.1", { timeout }, () => {
  const official = "../../../../conformance/fixtures/official";
  const published = {
    envelope: `${official}/conversation-envelope/1.1.0/conversation-envelope-schema.json`,
    "dialog-event": `${official}/dialog-event/1.0.2/dialog-event-schema.json`,
    manifest: `${official}/assistant-manifest/1.0.1/assistant-manifest-schema.json`,
  };
  for (const { name, documents } of cases) {
    // The published dialog event schema names a metaschema that does not exist.
    const { $schema: _, ...schema } = JSON.parse(read(published[name]));
    const validate = new Ajv2020({ strict: false }).compile(schema);
    const ours = compile(name);
    fc.assert(
      fc.property(mutated(documents), (document) => {
        fc.pre(ours(document) && !JSON.stringify(document).includes('"expectedFloorRoles"'));
        return validate(document);
      }),
      { seed, numRuns: numRuns / 10 },
    );
  }
});

test("no long subschema occurs twice in a schema file", () => {
  const isLong = (text: string) => text.length > 400;
  for (const name of names) {
    const written = subschemas(schemas[name])
      .map((part) => JSON.stringify(part))
      .filter(isLong);
    expect(written.length).toBe(new Set(written).size);
  }
});

function subschemas(value: unknown): unknown[] {
  if (typeof value !== "object" || value === null) return [];
  const below = Object.values(value).flatMap(subschemas);
  return "type" in value ? [value, ...below] : below;
}

test("the files in schemas/ are up to date (node scripts/write-schemas.mjs)", () => {
  for (const name of names) expect(JSON.parse(read(`../../schemas/${name}.json`))).toEqual(schemas[name]);
  expect(read("../../schemas/README.md")).toBe(schemasReadme());
});

test("an envelope is encoded as 1.1 without a copy", () => {
  fc.assert(
    fc.property(arbitraryEnvelope, (envelope) => {
      expect(encodeEnvelope(envelope, "1.1").document.openFloor).toBe(envelope);
    }),
    { seed },
  );
});
