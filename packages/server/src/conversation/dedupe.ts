import { hash } from "node:crypto";
import { type Decision, type Entry, type Facts, type Floor, seatOf } from "@plenary/floor";
import type { Envelope, FloorEvent } from "@plenary/protocol";
import { Problem } from "../errors.ts";
import type { ConversationLog, DedupeKey, RequestKey } from "../ports/conversation-log.ts";
import type { Lookups, RequestRecord } from "../ports/lookups.ts";
import { refusalsOf } from "./receipt.ts";

type IndexedKey = DedupeKey & { index: number };

/** One key per utterance. The span is not part of the hash: where it is missing, each decoding makes up another. */
export function dedupeKeys(floor: Floor, { sender, events }: Pick<Envelope, "sender" | "events">): IndexedKey[] {
  const speaker = seatOf(floor, sender.speakerUri)?.identification.speakerUri ?? sender.speakerUri;
  return events.flatMap((event, index) => {
    if (event.eventType !== "utterance") return [];
    return [{ index, sender: speaker, dialogEventId: event.parameters.dialogEvent.id, hash: hashOf(event) }];
  });
}

/** Replaces the hash of an utterance that was erased before its import: any text with its id counts as a repetition. */
export const anyWords = "";

/** Cached, because a decision needs the hash twice. */
const hashes = new WeakMap<FloorEvent, string>();

function hashOf(event: FloorEvent & { eventType: "utterance" }): string {
  const known = hashes.get(event);
  if (known !== undefined) return known;
  const fresh = hash("sha256", JSON.stringify([event.to, event.parameters.dialogEvent.features]), "base64url");
  hashes.set(event, fresh);
  return fresh;
}

/** Which utterances of an envelope repeat an earlier one, or use its id for another text. */
export function repetitionsIn(keys: readonly IndexedKey[], known: readonly (readonly string[])[]): Facts {
  if (keys.length === 1 && known[0]?.length === 0) return {};
  const duplicates: number[] = [];
  const clashes: number[] = [];
  for (const [at, { index, dialogEventId, hash }] of keys.entries()) {
    const earlier = keys.slice(0, at).filter((key) => key.dialogEventId === dialogEventId);
    const before = [...(known[at] ?? []), ...earlier.map((key) => key.hash)];
    if (before.includes(hash) || before.includes(anyWords)) duplicates.push(index);
    else if (before.length > 0) clashes.push(index);
  }
  return { ...(duplicates.length > 0 && { duplicates }), ...(clashes.length > 0 && { clashes }) };
}

/** Keys of the utterances that took effect or are parked; ignored and refused ones have none (D29). */
export function dedupeOf(
  { floor, entries }: Decision,
  envelope: Envelope,
  { duplicates = [] }: { duplicates?: readonly number[] },
): { dedupe: readonly DedupeKey[] } {
  if (entries.every(({ kind }) => kind === "late")) return { dedupe: [] };
  const refused = refusalsOf(entries, envelope.events).map(({ index }) => index);
  const fresh = dedupeKeys(floor, envelope).filter(
    ({ index }) => !refused.includes(index) && !duplicates.includes(index),
  );
  return { dedupe: fresh.map(({ sender, dialogEventId, hash }) => ({ sender, dialogEventId, hash })) };
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
export async function earlierOf(
  lookups: Pick<Lookups, "request">,
  request: NamedRequest,
): Promise<RequestRecord | undefined> {
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
