import { type Floor, focalAgent } from "@plenary/floor";
import {
  type Carried,
  type Issue,
  isRecord,
  isSameAddress,
  type ParsedEnvelope,
  type Peers,
  readEnvelope,
  readJson,
} from "@plenary/protocol";
import { Problem } from "../errors.ts";
import type { RequestLimits } from "../limits.ts";
import { type Clock, type Ids, timeOf } from "../ports/clock.ts";
import { currentName } from "./visibility.ts";

export type DecodedEnvelope = Extract<ParsedEnvelope, { ok: true }>;

type Seats = readonly { identification: { speakerUri: string; serviceUrl: string } }[];

/** 0.9 names agents by address only; the seats map addresses to speakers. */
export function peersOf(floor: Floor | undefined, seats: Seats = floor?.conversants ?? []): Peers {
  return {
    speakerUriOf: (serviceUrl) =>
      seats.find(({ identification }) => isSameAddress(identification.serviceUrl, serviceUrl))?.identification
        .speakerUri,
    serviceUrlOf: (speakerUri) => {
      const name = floor === undefined ? speakerUri : currentName(floor, speakerUri);
      return seats.find(({ identification }) => identification.speakerUri === name)?.identification.serviceUrl;
    },
  };
}

/** The persistent state of 0.9 and 1.0 peers, which only such peers receive (D19). */
export function carriedOf({ persistentState, conversantState }: Floor): Carried {
  const kept = Object.entries(persistentState).map(([key, { value }]) => [key, value] as const);
  return {
    ...(kept.length > 0 && { persistentState: Object.fromEntries(kept) }),
    ...(Object.keys(conversantState).length > 0 && { conversantState: { ...conversantState } }),
  };
}

export type DecodeContext = { clock: Clock; ids: Ids };

type EnvelopeContext = DecodeContext & { requestLimits: Pick<RequestLimits, "eventsMax"> };

/** A JSON document, parsed once, with its text. */
export type JsonText = { text: string; json: ReturnType<typeof readJson> };

export function jsonTextOf(text: string): JsonText {
  return { text, json: readJson(text) };
}

/** An incoming envelope. Throws a problem when no event of it can be used; then nothing is applied (D21). */
export function decodeEnvelope(
  { json }: JsonText,
  floor: Floor | undefined,
  context: EnvelopeContext,
): DecodedEnvelope {
  if (json.ok) assertFewEvents(json.value, context.requestLimits);
  const parsed = json.ok ? readEnvelope(json.value, readingOptions(peersOf(floor), context)) : json;
  if (parsed.ok && !isNothingLeft(parsed)) return parsed;
  const fatal = parsed.issues.find(isFatalIn(parsed)) ?? parsed.issues[0];
  throw new Problem(fatal?.rule === "json-syntax" ? "bad-json" : "bad-envelope", {
    ...(fatal && { detail: fatal.problem, pointer: fatal.path, spec: fatal.spec, fix: fatal.fix }),
    extra: { issues: parsed.issues },
  });
}

/** Counts all events before they are read, also those of unknown types. */
export function assertFewEvents(document: unknown, { eventsMax }: EnvelopeContext["requestLimits"]): void {
  if (!isRecord(document)) return;
  for (const root in document) {
    const content = document[root];
    const events = isRecord(content) && Array.isArray(content.events) ? content.events.length : 0;
    if (events <= eventsMax) continue;
    const detail = `the envelope has ${events} events; at most ${eventsMax} are allowed`;
    throw new Problem("too-large", { detail, pointer: `/${root}/events`, fix: "send them in several envelopes" });
  }
}

/** The parser left out every event of the document. */
function isNothingLeft({ envelope, leftOut }: DecodedEnvelope): boolean {
  return leftOut.length > 0 && envelope.events.length === 0;
}

function isFatalIn(parsed: ParsedEnvelope): (issue: Issue) => boolean {
  return ({ rule, repaired }) => (parsed.ok ? rule === parsed.leftOut[0]?.rule : !repaired);
}

/** An agent's answer: unusable events are dropped (D21). Undefined when it is not an envelope. */
export function decodeAnswer({ json }: JsonText, peers: Peers, context: DecodeContext): DecodedEnvelope | undefined {
  if (!json.ok) return undefined;
  const parsed = readEnvelope(json.value, { ...readingOptions(peers, context), dropBadEvents: true });
  return parsed.ok ? parsed : undefined;
}

function readingOptions(peers: Peers, { clock, ids }: DecodeContext) {
  return { now: timeOf(clock), newId: ids.newId, peers, receiver: { speakerUri: focalAgent } };
}

/** The claimed sender of an envelope that cannot be decoded; undefined when it has none. */
export function senderIn({ json }: JsonText): string | undefined {
  const root = json.ok && isRecord(json.value) ? json.value.openFloor : undefined;
  const sender = isRecord(root) ? root.sender : undefined;
  return isRecord(sender) && typeof sender.speakerUri === "string" ? sender.speakerUri : undefined;
}
