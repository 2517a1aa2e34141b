import { hash } from "node:crypto";
import { type Decision, type Entry, type Facts, type Floor, seatOf } from "@plenary/floor";
import type { Envelope, FloorEvent } from "@plenary/protocol";
import { Problem } from "../errors.ts";
import type { ConversationLog, DedupeKey, RequestKey, UtteranceName } from "../ports/conversation-log.ts";
import type { Lookups, RequestRecord } from "../ports/lookups.ts";
import { refusalsOf } from "./receipt.ts";

type IndexedName = UtteranceName & { index: number; event: Utterance };

type Utterance = FloorEvent & { eventType: "utterance" };

const none: readonly never[] = [];

/** One name per utterance. */
export function utterancesIn(
  floor: Floor,
  { sender, events }: Pick<Envelope, "sender" | "events">,
): readonly IndexedName[] {
  let found: IndexedName[] | undefined;
  let index = 0;
  for (const event of events) {
    if (event.eventType === "utterance") {
      found ??= [];
      found.push({
        index,
        sender: nameOf(floor, sender.speakerUri),
        dialogEventId: event.parameters.dialogEvent.id,
        event,
      });
    }
    index += 1;
  }
  return found ?? none;
}

function nameOf(floor: Floor, speakerUri: string): string {
  return seatOf(floor, speakerUri)?.identification.speakerUri ?? speakerUri;
}

/** Replaces the hash of an utterance that was erased before its import: any text with its id counts as a repetition. */
export const anyWords = "";

/**
 * Distinguishes utterances with the same id. Computed only when an id is used again. The span is not part of it: where it
 * is missing, each decoding makes up another.
 */
export function contentHash({ to, parameters }: Utterance): string {
  return hash("sha256", JSON.stringify([to, parameters.dialogEvent.features]), "base64url");
}

/** Which utterances of an envelope repeat an earlier one, or use its id for another text. `known`: hashes per utterance. */
export function repetitionsIn(utterances: readonly IndexedName[], known: readonly (readonly string[])[]): Facts {
  const [only] = known;
  if (utterances.length === 1 && only?.length === 0) return nothingRepeated;
  const duplicates: number[] = [];
  const clashes: number[] = [];
  for (const [at, { index, dialogEventId, event }] of utterances.entries()) {
    const earlier = utterances.slice(0, at).filter((one) => one.dialogEventId === dialogEventId);
    const before = [...(known[at] ?? []), ...earlier.map((one) => contentHash(one.event))];
    if (before.length === 0) continue;
    if (before.includes(anyWords) || before.includes(contentHash(event))) duplicates.push(index);
    else clashes.push(index);
  }
  return { ...(duplicates.length > 0 && { duplicates }), ...(clashes.length > 0 && { clashes }) };
}

const nothingRepeated: Facts = {};

/** Keys of the utterances that took effect or are parked; ignored and refused ones have none (D29). */
export function dedupeOf(
  { floor, entries }: Decision,
  envelope: Envelope,
  { duplicates = none }: { duplicates?: readonly number[] },
): readonly DedupeKey[] {
  const utterances = utterancesIn(floor, envelope);
  if (utterances.length === 0 || entries.every(({ kind }) => kind === "late")) return none;
  const refused = refusalsOf(entries, envelope.events);
  const received = entries.find((entry) => entry.kind === "received");
  const keys: DedupeKey[] = [];
  for (const { index, sender, dialogEventId, event } of utterances) {
    if (duplicates.includes(index) || refused.some((one) => one.index === index)) continue;
    const isLogged = received?.sender === sender && received.events.some((one) => isSameUtterance(one, event));
    keys.push(isLogged ? { sender, dialogEventId } : { sender, dialogEventId, hash: contentHash(event) });
  }
  return keys;
}

/** The floor copies an event that it changes, for example when it gives it a new id. */
function isSameUtterance(logged: FloorEvent, event: Utterance): boolean {
  if (logged === event) return true;
  if (logged.eventType !== "utterance" || logged.to !== event.to) return false;
  const [{ dialogEvent }, given] = [logged.parameters, event.parameters.dialogEvent];
  return dialogEvent.id === given.id && dialogEvent.features === given.features;
}

/** The content of a key without a hash, which is in the entry of the received envelope. */
export function loggedHash(entries: readonly Entry[], { sender, dialogEventId }: UtteranceName): string {
  for (const entry of entries) {
    if (entry.kind !== "received" || entry.sender !== sender) continue;
    for (const event of entry.events) {
      if (event.eventType === "utterance" && event.parameters.dialogEvent.id === dialogEventId)
        return contentHash(event);
    }
  }
  return anyWords;
}

/** A request with an idempotency key: repeating it has no second effect. */
export type NamedRequest = RequestKey & { hash: string };

const keyMax = 255;

/** `Idempotency-Key`, or the id of a webhook (reliability 4.2). */
export function requestKeyIn(header: (name: string) => string | undefined): string | undefined {
  const key = header("idempotency-key") ?? header("webhook-id");
  if (key === undefined || (key.length > 0 && key.length <= keyMax)) return key;
  throw new Problem("bad-request", { detail: `an idempotency key has 1 to ${keyMax} characters` });
}

export function namedRequest(caller: string, key: string, text: string): NamedRequest {
  return { caller, key, hash: hash("sha256", text, "base64url") };
}

/** The record of this request; throws when the key was used for another request. */
export async function earlierOf(lookups: Lookups, request: NamedRequest): Promise<RequestRecord | undefined> {
  const { caller, key } = request;
  const known = await lookups.request({ caller, key });
  if (known === undefined || known.hash === request.hash) return known;
  throw new Problem("key-reused", { detail: `${JSON.stringify(key)} was used for a request with another body` });
}

/** The entries of the first request; undefined when they were not written. */
export async function resultingEntries(
  log: Pick<ConversationLog, "entries">,
  { conversationId, first, last }: RequestRecord,
): Promise<readonly Entry[] | undefined> {
  const count = last - first + 1;
  if (count <= 0) return [];
  const entries = await log.entries(conversationId, { after: first - 1, limit: count });
  return entries.length === count ? entries : undefined;
}
