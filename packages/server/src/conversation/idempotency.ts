import { hash } from "node:crypto";
import type { Entry } from "@plenary/floor";
import { Problem } from "../errors.ts";
import type { FloorStore, RequestKey, RequestRecord } from "../ports/store.ts";

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
export async function earlierOf(store: FloorStore, request: NamedRequest): Promise<RequestRecord | undefined> {
  const { caller, key } = request;
  const known = await store.request({ caller, key });
  if (known === undefined || known.hash === request.hash) return known;
  throw new Problem("key-reused", { detail: `${JSON.stringify(key)} was used for a request with another body` });
}

/** The entries of the first request; undefined when they were not written. */
export async function resultingEntries(
  store: FloorStore,
  { conversationId, first, last }: RequestRecord,
): Promise<readonly Entry[] | undefined> {
  const count = last - first + 1;
  if (count <= 0) return [];
  const entries = await store.entries(conversationId, { after: first - 1, limit: count });
  return entries.length === count ? entries : undefined;
}
