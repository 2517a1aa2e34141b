import { type Carried, noPeers, type Peers } from "../dialects/dialect.ts";
import { ContextEvent } from "../dialects/openfloor-1.0/context-event.ts";
import { type Envelope10, fromOpenFloor10 } from "../dialects/openfloor-1.0/decode.ts";
import { fromOpenFloor11, retiredContext, retiredNames } from "../dialects/openfloor-1.1/decode.ts";
import { readOvon } from "../dialects/ovon-0.9/decode.ts";
import { isRecord } from "../is-record.ts";
import { type Envelope, envelopeOf } from "../model/envelope.ts";
import type { To } from "../model/event.ts";
import { senderOf } from "../model/sender-deviations.ts";
import { type Dialect, dialectOf } from "../model/version.ts";
import type { Issue, Loss } from "../repair/issue.ts";
import { issuesMax, listOf, noMore } from "../repair/issue-list.ts";
import { repairValue } from "../repair/repair.ts";
import { type LeftOut, type ParseDefaults, type ParseState, shapeOf, unusable } from "../repair/shape.ts";
import { type Root, rootOf } from "./root-key.ts";

export type ParseOptions = ParseDefaults & {
  /** In an agent's answer: drop an unreadable event instead of refusing the envelope (D21). */
  dropBadEvents?: boolean;
  /** Limit of listed issues, 100 by default; one more gives the total. */
  issuesMax?: number;
  /** Known peers by address; 0.9 names agents by address alone. */
  peers?: Peers;
  /** The addressee of a 0.9 whisper that names none. */
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
      /** Content that 1.1.0 cannot express. */
      losses: Loss[];
      carried: Carried;
      /** Events of the document that were left out as unreadable. */
      leftOut: LeftOut[];
    }
  | { ok: false; issues: Issue[]; dialect?: Dialect; version?: string };

const contextEvents = { context: ContextEvent };
export const envelopeShape = envelopeOf("1.1", [...retiredNames, retiredContext], contextEvents);
const envelopeShape10 = envelopeOf("1.0", retiredNames, contextEvents);

/** Finds and repairs the issues of a checked JSON value, of whatever dialect. It loads no compiler of checks. */
export function walkEnvelope(value: unknown, options: ParseOptions): ParsedEnvelope {
  const state: ParseState = {
    document: value,
    now: options.now,
    newId: options.newId,
    issues: [],
    issuesMax: options.issuesMax ?? issuesMax,
    more: noMore(),
    leftOut: [],
    dropBadEvents: options.dropBadEvents === true,
  };
  const root = rootOf(value, state);
  const read = root === undefined ? ({ ok: false } as const) : readRoot(root, state, options);
  return { ...read, issues: listOf(state) };
}

type Unlisted<Read> = Read extends ParsedEnvelope ? Omit<Read, "issues"> : never;

function readRoot(root: Root, state: ParseState, options: ParseOptions): Unlisted<ParsedEnvelope> {
  const { leftOut } = state;
  const schema = isRecord(root.content) ? root.content.schema : undefined;
  const claimed = isRecord(schema) ? schema.version : undefined;
  const dialect = dialectOf(root.name, claimed);
  const version = typeof claimed === "string" ? claimed.trim() : "";
  const about = version === "" ? { dialect } : { dialect, version };
  const place = { up: undefined, key: root.key };
  const decodeOptions = { peers: options.peers ?? noPeers, ...(options.receiver && { receiver: options.receiver }) };
  if (dialect === "0.9") {
    const decoded = readOvon(root.content, place, state, decodeOptions);
    if (decoded === unusable) return { ok: false, ...about };
    return { ok: true, ...about, version: version || "0.9.3", leftOut, ...decoded };
  }
  const sender = senderOf(root.content);
  if (sender !== undefined) state.sender = sender;
  const shape = shapeOf(dialect === "1.0" ? envelopeShape10 : envelopeShape);
  const content = repairValue(shape, root.content, place, state);
  if (content === unusable) return { ok: false, ...about };
  const envelope = content as Envelope10;
  const decoded = dialect === "1.0" ? fromOpenFloor10(envelope, root.key) : fromOpenFloor11(envelope, root.key);
  return { ok: true, ...about, version: version || envelope.schema.version, leftOut, ...decoded };
}
