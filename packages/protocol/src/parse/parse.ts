import { Compile } from "typebox/schema";
import { isRecord } from "../is-record.ts";
import type { Envelope } from "../model/envelope.ts";
import { isFaultless } from "../model/envelope-checks.ts";
import { readJson } from "./json.ts";
import { secondRoot } from "./root-key.ts";
import { envelopeShape, type ParsedEnvelope, type ParseOptions, walkEnvelope } from "./walk-envelope.ts";

/** Text -> the neutral model, whatever the dialect. Never throws. */
export function parseEnvelope(text: string, options: ParseOptions): ParsedEnvelope {
  const json = readJson(text);
  return json.ok ? readEnvelope(json.value, options) : json;
}

/** The same from a checked JSON value. */
export function readEnvelope(value: unknown, options: ParseOptions): ParsedEnvelope {
  if (isRecord(value) && secondRoot(value, "openFloor") === undefined && isCleanEnvelope(value.openFloor)) {
    const envelope = value.openFloor;
    return {
      ok: true,
      envelope,
      dialect: "1.1",
      version: envelope.schema.version,
      issues: [],
      losses: [],
      carried: {},
      leftOut: [],
    };
  }
  return walkEnvelope(value, options);
}

/** The common case, without a copy: a flawless envelope of our own dialect. */
function isCleanEnvelope(content: unknown): content is Envelope {
  // Without `unsafe-eval` the check is slower than the walk that reports issues.
  return envelopeCheck().IsAccelerated() && isEnvelope(content) && isFaultless(content);
}

/** True for content that the schema accepts. */
export function isEnvelope(content: unknown): content is Envelope {
  return envelopeCheck().Check(content);
}

let compiledCheck: ReturnType<typeof compileCheck> | undefined;

/** Compiled for the first envelope: compiling takes longer than all the rest of an import. */
function envelopeCheck() {
  compiledCheck ??= compileCheck();
  return compiledCheck;
}

function compileCheck() {
  return Compile(withKeysListed(envelopeShape) as typeof envelopeShape);
}

/** TypeBox tests each key of a closed object with a RegExp. An enum of the keys is equivalent and faster. */
function withKeysListed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withKeysListed);
  if (!isRecord(schema)) return schema;
  const { note: _, ...parts } = schema;
  const copy = Object.fromEntries(Object.entries(parts).map(([keyword, part]) => [keyword, withKeysListed(part)]));
  if (copy.additionalProperties !== false || !isRecord(copy.properties)) return copy;
  const { additionalProperties: __, ...open } = copy;
  return { ...open, propertyNames: { enum: Object.keys(copy.properties) } };
}
