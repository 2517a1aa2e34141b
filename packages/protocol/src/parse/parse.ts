import { Compile } from "typebox/schema";
import { type Carried, noPeers, type Peers } from "../dialects/dialect.ts";
import { ContextEvent } from "../dialects/openfloor-1.0/context-event.ts";
import { type Envelope10, fromOpenFloor10 } from "../dialects/openfloor-1.0/decode.ts";
import { fromOpenFloor11, retiredContext, retiredNames } from "../dialects/openfloor-1.1/decode.ts";
import { readOvon } from "../dialects/ovon-0.9/decode.ts";
import { isRecord } from "../is-record.ts";
import { type Envelope, envelopeOf } from "../model/envelope.ts";
import { isFaultless } from "../model/envelope-checks.ts";
import type { To } from "../model/event.ts";
import { senderOf } from "../model/sender-deviations.ts";
import { type Dialect, dialectOf } from "../model/version.ts";
import type { Issue, Loss } from "../repair/issue.ts";
import { issuesMax, listOf, noMore } from "../repair/issue-list.ts";
import { mend } from "../repair/repair.ts";
import { type LeftOut, type Mint, type Reader, shapeOf, unusable } from "../repair/shape.ts";
import { readJson } from "./json.ts";
import { type Root, rootOf, secondRoot } from "./root-key.ts";

export type ParseOptions = Mint & {
  /** In an agent's answer: drop an event nothing can be made of instead of refusing the envelope (D21). */
  dropBadEvents?: boolean;
  /** So many issues are listed, and a last one says how many there are; 100 when not given. */
  issuesMax?: number;
  /** Who is at which address; 0.9 names agents by address alone. */
  peers?: Peers;
  /** Whom a 0.9 whisper without an addressee is for. */
  receiver?: To;
};

export type ParsedEnvelope =
  | {
      ok: true;
      envelope: Envelope;
      dialect: Dialect;
      /** As the document says it. */
      version: string;
      issues: Issue[];
      /** What the document says and 1.1.0 cannot. */
      losses: Loss[];
      carried: Carried;
      /** Events that are not in the envelope, by their place in the document: nothing could be made of them. */
      leftOut: LeftOut[];
    }
  | { ok: false; issues: Issue[]; dialect?: Dialect; version?: string };

const contextEvents = { context: shapeOf(ContextEvent) };
export const envelopeShape = envelopeOf("1.1", [...retiredNames, retiredContext], contextEvents);
const envelopeShape10 = envelopeOf("1.0", retiredNames, contextEvents);
const envelopeCheck = Compile(withKeysListed(envelopeShape) as typeof envelopeShape);

/** Text -> the neutral model, whatever the dialect. Never throws. */
export function parseEnvelope(text: string, options: ParseOptions): ParsedEnvelope {
  const json = readJson(text);
  return json.ok ? readEnvelope(json.value, options) : json;
}

/** The same from a JSON value that is already safe. */
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
  const reader: Reader = {
    document: value,
    now: options.now,
    newId: options.newId,
    issues: [],
    issuesMax: options.issuesMax ?? issuesMax,
    more: noMore(),
    leftOut: [],
    dropBadEvents: options.dropBadEvents === true,
  };
  const root = rootOf(value, reader);
  const read = root === undefined ? ({ ok: false } as const) : readRoot(root, reader, options);
  return { ...read, issues: listOf(reader) };
}

/** The common case, without a copy: a flawless envelope of our own dialect. */
function isCleanEnvelope(content: unknown): content is Envelope {
  // Where a page may not make code from strings, the check is slower than the walk that reports issues.
  return envelopeCheck.IsAccelerated() && isEnvelope(content) && isFaultless(content);
}

/** What the schema accepts; nothing is said of what it does not. */
export function isEnvelope(content: unknown): content is Envelope {
  return envelopeCheck.Check(content);
}

/** TypeBox tries each key of a closed object on a RegExp. A list of the keys it may have says the same and is faster. */
function withKeysListed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withKeysListed);
  if (!isRecord(schema)) return schema;
  const { note: _, ...parts } = schema;
  const copy = Object.fromEntries(Object.entries(parts).map(([keyword, part]) => [keyword, withKeysListed(part)]));
  if (copy.additionalProperties !== false || !isRecord(copy.properties)) return copy;
  const { additionalProperties: __, ...open } = copy;
  return { ...open, propertyNames: { enum: Object.keys(copy.properties) } };
}

type Unlisted<Read> = Read extends ParsedEnvelope ? Omit<Read, "issues"> : never;

function readRoot(root: Root, reader: Reader, options: ParseOptions): Unlisted<ParsedEnvelope> {
  const { leftOut } = reader;
  const schema = isRecord(root.content) ? root.content.schema : undefined;
  const claimed = isRecord(schema) ? schema.version : undefined;
  const dialect = dialectOf(root.name, claimed);
  const version = typeof claimed === "string" ? claimed.trim() : "";
  const about = version === "" ? { dialect } : { dialect, version };
  const place = { up: undefined, key: root.key };
  const decodeOptions = { peers: options.peers ?? noPeers, ...(options.receiver && { receiver: options.receiver }) };
  if (dialect === "0.9") {
    const decoded = readOvon(root.content, place, reader, decodeOptions);
    if (decoded === unusable) return { ok: false, ...about };
    return { ok: true, ...about, version: version || "0.9.3", leftOut, ...decoded };
  }
  const sender = senderOf(root.content);
  if (sender !== undefined) reader.sender = sender;
  const shape = shapeOf(dialect === "1.0" ? envelopeShape10 : envelopeShape);
  const content = mend(shape, root.content, place, reader);
  if (content === unusable) return { ok: false, ...about };
  const envelope = content as Envelope10;
  const decoded = dialect === "1.0" ? fromOpenFloor10(envelope, root.key) : fromOpenFloor11(envelope, root.key);
  return { ok: true, ...about, version: version || envelope.schema.version, leftOut, ...decoded };
}
