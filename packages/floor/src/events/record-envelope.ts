import { type Carried, type Dialect, type FloorEvent, isPrivate } from "@plenary/protocol";
import { append, type DecisionBuilder, type Origin } from "../decision-builder.ts";
import { resolve } from "../delivery/recipients.ts";
import type { ReceivedEntry } from "../entry.ts";
import type { Floor } from "../floor.ts";
import type { Facts, LeftOutEvent } from "../input.ts";
import type { Because } from "../rules.ts";
import { isSameAddressee } from "./validate-event.ts";

/** How an envelope came in. */
type EnvelopeMetadata = {
  dialect?: Dialect;
  carried?: Carried;
  via?: "operator" | "agent";
  floors?: readonly string[];
  leftOut?: readonly LeftOutEvent[];
};

type AnswerMetadata = { answers?: string; audience?: readonly string[]; silentTo?: string };

/**
 * Records the accepted envelope, before any of its events takes effect, under `origin.causedBy`. By default only its sender
 * sees the entry.
 */
export function recordEnvelope(
  builder: DecisionBuilder,
  origin: Origin,
  events: readonly FloorEvent[],
  because: Because,
  { dialect, carried, via, floors, leftOut }: EnvelopeMetadata,
  { answers, audience = [origin.speakerUri], silentTo }: AnswerMetadata = {},
): void {
  const { floor, now: at } = builder;
  const { speakerUri: sender, turn, depth, causedBy: seq, whisperer, moved, isPassedOn } = origin;
  const entry: ReceivedEntry = {
    seq,
    at,
    kind: "received",
    turn,
    because,
    audience,
    sender,
    events,
    depth,
  };
  if (answers !== undefined) entry.answers = answers;
  if (dialect !== undefined) entry.dialect = dialect;
  if (via === "operator") entry.via = via;
  if (isPassedOn === true) entry.isPassedOn = true;
  if (whisperer !== undefined) entry.whisperer = whisperer;
  if (moved !== undefined) entry.moved = moved;
  if (silentTo !== undefined) entry.silentTo = silentTo;
  if (floors !== undefined && floors.length > 0) entry.floors = floors.slice(-floorsMax);
  if (leftOut !== undefined && leftOut.length > 0) entry.leftOut = leftOut;
  if (carried?.persistentState !== undefined || carried?.conversantState !== undefined) {
    keepState(floor, entry, carried);
  }
  append(builder, entry);
}

/** Longer chains are cut by their depth, so no more floors are kept. */
const floorsMax = 16;

const stateBytesMax = 64 * 1024;

/** D19: keeps the state that older peers ask for, within a limit. Unchanged values keep their owner. */
function keepState(floor: Floor, entry: ReceivedEntry, { persistentState = {}, conversantState = {} }: Carried): void {
  let room = stateBytesMax - bytesOf([floor.persistentState, floor.conversantState]);
  const fits = (value: unknown, before: unknown) => {
    const bytes = bytesOf(value) - (before === undefined ? 0 : bytesOf(before));
    if (bytes > room) return false;
    room -= bytes;
    return true;
  };
  const changed = Object.entries(persistentState).filter(([key, value]) => {
    const before = Object.hasOwn(floor.persistentState, key) ? floor.persistentState[key]?.value : undefined;
    return !isEqual(before, value) && fits({ [key]: { by: entry.sender, value } }, before);
  });
  if (changed.length > 0) entry.persistentState = Object.fromEntries(changed);
  const { sender } = entry;
  if (!Object.hasOwn(conversantState, sender)) return;
  const [mine, before] = [conversantState[sender], floor.conversantState[sender]];
  if (!isEqual(before, mine) && fits({ [sender]: mine }, before)) entry.conversantState = mine;
}

function isEqual(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** In UTF-8, as it is stored. */
function bytesOf(value: unknown): number {
  let bytes = 0;
  for (const letter of JSON.stringify(value) ?? "") {
    const code = letter.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}

/** The events of an envelope without duplicates. */
export type NewEvents = {
  events: readonly FloorEvent[];
  /** All events, at their index in the envelope. */
  given: readonly FloorEvent[];
  hasNewId: boolean;
};

/** The facts that are needed later, when an event takes effect. */
type OriginFacts = Pick<Origin, "withheld" | "whispered" | "boundElsewhere" | "moved">;

export function originFacts(facts: Facts | undefined): OriginFacts {
  const { withheld = [], whispered = [], boundElsewhere = [], moved = [] } = facts ?? {};
  return {
    withheld,
    ...(whispered.length > 0 && { whispered }),
    ...(boundElsewhere.length > 0 && { boundElsewhere }),
    ...(moved.length > 0 && { moved }),
  };
}

/** D29: leaves out duplicates and replaces an id that belongs to another text. */
export function newEventsIn(floor: Floor, written: readonly FloorEvent[], facts: Facts | undefined): NewEvents {
  const { duplicates = [], clashes = [] } = facts ?? {};
  if (duplicates.length === 0 && clashes.length === 0) {
    return { events: inOrder(floor, written), given: written, hasNewId: false };
  }
  const given = written.map((event, index) => {
    if (!clashes.includes(index) || event.eventType !== "utterance") return event;
    const { dialogEvent } = event.parameters;
    const id = `${dialogEvent.id}~${floor.seq + 1}.${index}`;
    return { ...event, parameters: { ...event.parameters, dialogEvent: { ...dialogEvent, id } } };
  });
  const events = inOrder(
    floor,
    given.filter((_event, index) => !duplicates.includes(index)),
  );
  return { events, given, hasNewId: clashes.length > 0 };
}

/** Moves a whisper behind the request that names the same addressee, while that one is not seated (D15). */
function inOrder(floor: Floor, events: readonly FloorEvent[]): readonly FloorEvent[] {
  if (events.length < 2) return events;
  const followers = new Map<FloorEvent, FloorEvent[]>();
  const moved = new Set<FloorEvent>();
  for (const [index, event] of events.entries()) {
    if (!isPrivate(event) || resolve(floor, event.to).length > 0) continue;
    const request = events.find((other) => isRequest(other) && isSameAddressee(other, event.to));
    // Anywhere after its invite, its addressee is seated.
    if (request === undefined || (request.eventType === "invite" && events.indexOf(request) < index)) continue;
    moved.add(event);
    followers.set(request, [...(followers.get(request) ?? []), event]);
  }
  if (moved.size === 0) return events;
  return events.flatMap((event) => (moved.has(event) ? [] : [event, ...(followers.get(event) ?? [])]));
}

function isRequest({ eventType }: FloorEvent): boolean {
  return eventType === "getManifests" || eventType === "invite";
}
