import { type Floor, focalAgent } from "@plenary/floor";
import {
  type Carried,
  type Issue,
  isRecord,
  isSameAddress,
  type ParsedEnvelope,
  type Peers,
  parseEnvelope,
  readEnvelope,
  readJson,
} from "@plenary/protocol";
import { Problem } from "../errors.ts";
import type { DoorLimits } from "../limits.ts";
import { type Clock, type Ids, timeOf } from "../ports/clock.ts";
import { currentName } from "./conversation-view.ts";

export type Read = Extract<ParsedEnvelope, { ok: true }>;

type Seats = readonly { identification: { speakerUri: string; serviceUrl: string } }[];

/** 0.9 names agents by address alone; the seats say who is where. */
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

/** What peers of 0.9 and 1.0 asked to keep, for such peers alone (D19). */
export function carriedOf({ persistentState, conversantState }: Floor): Carried {
  const kept = Object.entries(persistentState).map(([key, { value }]) => [key, value] as const);
  return {
    ...(kept.length > 0 && { persistentState: Object.fromEntries(kept) }),
    ...(Object.keys(conversantState).length > 0 && { conversantState: { ...conversantState } }),
  };
}

export type Desk = { clock: Clock; ids: Ids };

type DoorDesk = Desk & { doorLimits: Pick<DoorLimits, "eventsMax"> };

/** An envelope at the door: nothing can be made of it = a problem, and nothing is applied (D21). */
export function decodeAtDoor(text: string, floor: Floor | undefined, desk: DoorDesk): Read {
  const json = readJson(text);
  if (json.ok) assertFewEvents(json.value, desk.doorLimits);
  const parsed = json.ok ? readEnvelope(json.value, readingOptions(floor, desk)) : json;
  if (parsed.ok && !isNothingLeft(parsed)) return parsed;
  const fatal = parsed.issues.find(isFatalIn(parsed)) ?? parsed.issues[0];
  throw new Problem(fatal?.rule === "json-syntax" ? "bad-json" : "bad-envelope", {
    ...(fatal && { detail: fatal.problem, pointer: fatal.path, spec: fatal.spec, fix: fatal.fix }),
    extra: { issues: parsed.issues },
  });
}

/** Before they are read, and whether or not their types are known. */
export function assertFewEvents(document: unknown, { eventsMax }: DoorDesk["doorLimits"]): void {
  if (!isRecord(document)) return;
  for (const root in document) {
    const content = document[root];
    const events = isRecord(content) && Array.isArray(content.events) ? content.events.length : 0;
    if (events <= eventsMax) continue;
    const detail = `an envelope has at most ${eventsMax} events, and this one ${events}`;
    throw new Problem("too-large", { detail, pointer: `/${root}/events`, fix: "send them in several envelopes" });
  }
}

/** Every event of the document was left out. */
function isNothingLeft({ envelope, leftOut }: Read): boolean {
  return leftOut.length > 0 && envelope.events.length === 0;
}

function isFatalIn(parsed: ParsedEnvelope): (issue: Issue) => boolean {
  return ({ rule, repaired }) => (parsed.ok ? rule === parsed.leftOut[0]?.rule : !repaired);
}

/** An agent's answer: only what nothing can be made of is dropped (D21). Undefined when it is no envelope at all. */
export function decodeAnswer(text: string, peers: Peers, { clock, ids }: Desk): Read | undefined {
  const options = { now: timeOf(clock), newId: ids.newId, peers, dropBadEvents: true };
  const parsed = parseEnvelope(text, { ...options, receiver: { speakerUri: focalAgent } });
  return parsed.ok ? parsed : undefined;
}

function readingOptions(floor: Floor | undefined, { clock, ids }: Desk) {
  const receiver = { speakerUri: focalAgent };
  return { now: timeOf(clock), newId: ids.newId, peers: peersOf(floor), receiver };
}

/** Whom an envelope that cannot be read says it is from, as far as that can be told. */
export function senderIn(text: string): string | undefined {
  const read = readJson(text);
  const root = read.ok && isRecord(read.value) ? read.value.openFloor : undefined;
  const sender = isRecord(root) ? root.sender : undefined;
  return isRecord(sender) && typeof sender.speakerUri === "string" ? sender.speakerUri : undefined;
}
