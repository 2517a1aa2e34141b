import * as Type from "typebox";
import { isRecord } from "../is-record.ts";
import { DialogEvent } from "../model/dialog-event.ts";
import { eventShapes, To } from "../model/event.ts";
import { audioFeature, htmlFeature, otherFeature, ssmlFeature, textFeature } from "../model/feature.ts";
import { Capability, ConversantIdentification, Identification, Manifest, ScoredManifest } from "../model/manifest.ts";
import { durationPattern, languagePattern, timePattern, uriPattern, urlPattern } from "../model/patterns.ts";
import { type Note, type Shape, shapeOf } from "../repair/shape.ts";
import { type RuleId, rules, rulesBeyondSchema } from "../rules/rules.ts";
import { envelopeShape } from "./walk-envelope.ts";

export type SchemaName = "envelope" | "dialog-event" | "manifest";

type Schema = Record<string, unknown>;

/** The content of schemas/*.json: JSON Schema 2020-12, made from the very definitions that the parser walks. */
export function schemaFiles(): Record<SchemaName, Schema> {
  const parts = nameParts();
  const envelope = {
    type: "object",
    required: ["openFloor"],
    not: { required: ["ovon"] },
    properties: { openFloor: parts.write(shapeOf(envelopeShape)) },
  };
  return {
    envelope: file("envelope", "1.1.0", "Open Floor envelope", envelope, parts),
    "dialog-event": file("dialog-event", "1.0.2", "Dialog event", parts.write(shapeOf(DialogEvent)), parts),
    manifest: file("manifest", "1.0.1", "Assistant manifest", parts.write(shapeOf(Manifest)), parts),
  };
}

/** The content of schemas/README.md. */
export function schemasReadme(): string {
  const beyond = [...rulesBeyondSchema].map((id) => `| \`${id}\` | ${rules[id].says} | ${rules[id].spec} |`);
  return `${[
    "# JSON Schemas",
    "",
    "JSON Schema 2020-12 for what Open Floor 1.1.0 sends: `envelope.json`, `dialog-event.json` (Dialog Event 1.0.2) and",
    "`manifest.json` (Assistant Manifest 1.0.1). They need no other file. Each says what the text of the specification",
    "says, so they are stricter than the published schemas; `$comment` names the rule behind a part. A document passes",
    "exactly when `checkDocument` finds nothing in it, rules below aside.",
    "",
    "Written by `node scripts/write-schemas.mjs` from the definitions in `src`. Do not edit them.",
    "",
    "## Rules that no schema can express",
    "",
    "| rule | says | from |",
    "| --- | --- | --- |",
    ...beyond,
  ].join("\n")}\n`;
}

function file(name: SchemaName, version: string, title: string, schema: Schema, parts: Parts): Schema {
  // A file starts with the content of the part of that name, not with a reference to it.
  const content = parts.resolve(schema);
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: `urn:plenary:schema:${name}:${version}`,
    title: `${title} ${version}`,
    ...content,
    $defs: parts.usedBy(content),
  };
}

/** The parts that are written once and referenced by name; a part comes after the parts it contains. */
const named: Record<string, Type.TSchema> = {
  uri: Type.String({ pattern: uriPattern }),
  url: Type.String({ pattern: urlPattern }),
  languageTag: Type.String({ pattern: languagePattern }),
  time: Type.String({ pattern: timePattern }),
  duration: Type.String({ pattern: durationPattern }),
  span: DialogEvent.properties.span,
  textToken: textFeature.properties.tokens.items,
  htmlToken: htmlFeature.properties.tokens.items,
  audioToken: audioFeature.properties.tokens.items,
  ssmlToken: ssmlFeature.properties.tokens.items,
  token: otherFeature.properties.tokens.items,
  textFeature,
  htmlFeature,
  audioFeature,
  ssmlFeature,
  feature: otherFeature,
  dialogEvent: DialogEvent,
  identification: Identification,
  conversantIdentification: ConversantIdentification,
  capability: Capability,
  manifest: Manifest,
  scoredManifest: ScoredManifest,
  to: To,
  noParameters: eventShapes.bye.properties.parameters,
  ...eventShapes,
};

type Parts = {
  write: (shape: Shape) => Schema;
  /** The content behind a bare reference. */
  resolve: (schema: Schema) => Schema;
  /** The parts that a schema refers to, directly or not. */
  usedBy: (schema: Schema) => Record<string, Schema>;
};

function nameParts(): Parts {
  const schemas = new Map<string, Schema>();
  const names = new Map<string, string>();
  const write = (shape: Shape): Schema => {
    const bare = bareSchemaOf(shape, write);
    const { allOf, ...base } = bare;
    // A shape may be a named part, or such a part and something more.
    const name = names.get(JSON.stringify(bare)) ?? names.get(JSON.stringify(base));
    const annotations = annotationsOf(shape.note);
    if (name === undefined) return { ...annotations, ...bare };
    const part = schemas.get(name);
    return {
      $ref: `#/$defs/${name}`,
      ...(annotations.$comment !== part?.$comment && annotations),
      ...(allOf !== part?.allOf && { allOf }),
    };
  };
  for (const [name, schema] of Object.entries(named)) {
    const shape = shapeOf(schema);
    const bare = bareSchemaOf(shape, write);
    names.set(JSON.stringify(bare), name);
    schemas.set(name, { ...annotationsOf(shape.note), ...bare });
  }
  const resolve = (schema: Schema) => schemas.get(referenceOf(schema) ?? "") ?? schema;
  const usedBy = (schema: Schema) => {
    const used = new Set<string>();
    collectReferences(schema, schemas, used);
    return Object.fromEntries([...schemas].filter(([name]) => used.has(name)));
  };
  return { write, resolve, usedBy };
}

function annotationsOf(note: Note | undefined): Schema {
  return note === undefined ? {} : { description: rules[note.rule].says, $comment: note.rule };
}

/** The JSON Schema keywords of a shape, without what is said about it. */
function bareSchemaOf(shape: Shape, write: (shape: Shape) => Schema): Schema {
  const bare: Schema = {};
  for (const [keyword, value] of Object.entries(shape)) {
    if (keyword === "note") continue;
    if (keyword === "anyOf" && shape.note?.choose !== undefined) Object.assign(bare, choiceOf(value as Shape[], write));
    else if (keyword === "items") bare.items = write(withoutRule(value as Shape, shape.note?.rule));
    else bare[keyword] = keywordOf(keyword, value, write);
  }
  return bare;
}

/** The items of a list need not repeat the rule of the list. */
function withoutRule(items: Shape, rule: RuleId | undefined): Shape {
  const { note, ...rest } = items;
  return note?.rule === rule ? rest : items;
}

function keywordOf(keyword: string, value: unknown, write: (shape: Shape) => Schema): unknown {
  switch (keyword) {
    case "properties":
      return Object.fromEntries(Object.entries(value as Record<string, Shape>).map(([key, s]) => [key, write(s)]));
    case "anyOf":
    case "oneOf":
    case "allOf":
      return (value as Shape[]).map(write);
    case "contains":
    case "not":
    case "additionalProperties":
      return isRecord(value) ? write(value) : value;
    default:
      return value;
  }
}

/** By eventType, so that a validator reports only the matching event and not the other eleven. */
function choiceOf(events: readonly Shape[], write: (shape: Shape) => Schema): Schema {
  const eventTypes = events.map(({ properties }) => properties?.eventType?.const);
  return {
    type: "object",
    required: ["eventType"],
    properties: { eventType: { type: "string", enum: eventTypes } },
    allOf: events.map((event, index) => ({
      if: { required: ["eventType"], properties: { eventType: { const: eventTypes[index] } } },
      // biome-ignore lint/suspicious/noThenProperty: the JSON Schema keyword
      then: write(event),
    })),
  };
}

function referenceOf(schema: Schema): string | undefined {
  return typeof schema.$ref === "string" ? schema.$ref.slice("#/$defs/".length) : undefined;
}

function collectReferences(value: unknown, schemas: Map<string, Schema>, used: Set<string>): void {
  if (Array.isArray(value)) {
    for (const item of value) collectReferences(item, schemas, used);
  }
  if (!isRecord(value)) return;
  const name = referenceOf(value);
  if (name !== undefined && !used.has(name)) {
    used.add(name);
    collectReferences(schemas.get(name), schemas, used);
  }
  for (const child of Object.values(value)) collectReferences(child, schemas, used);
}
