import { hash } from "node:crypto";
import type { Entry } from "@plenary/floor";
import { Problem } from "../errors.ts";
import type { FloorStore, RequestKey, RequestRecord } from "../ports/store.ts";

/** A request that its caller has named: repeating it has no second effect. */
export type NamedRequest = RequestKey & { hash: string };

const keyMax = 255;

/** `Idempotency-Key`, or the id that senders of webhooks give (reliability 4.2). */
export function requestKeyIn(header: (name: string) => string | undefined): string | undefined {
  const key = header("idempotency-key") ?? header("webhook-id");
  if (key === undefined || (key.length > 0 && key.length <= keyMax)) return key;
  throw new Problem("bad-request", { detail: `a request is named by 1 to ${keyMax} characters` });
}

export function namedRequest(caller: string, key: string, text: string): NamedRequest {
  return { caller, key, hash: hash("sha256", text, "base64url") };
}

/** What is known of this request; throws when its name was given to another one. */
export async function earlierOf(store: FloorStore, request: NamedRequest): Promise<RequestRecord | undefined> {
  const { caller, key } = request;
  const known = await store.request({ caller, key });
  if (known === undefined || known.hash === request.hash) return known;
  throw new Problem("key-reused", { detail: `${JSON.stringify(key)} named a request with another body` });
}

/** What it brought about at the time; undefined when that came to nothing after all. */
export async function broughtAbout(
  store: FloorStore,
  { conversationId, first, last }: RequestRecord,
): Promise<readonly Entry[] | undefined> {
  const count = last - first + 1;
  if (count <= 0) return [];
  const entries = await store.entries(conversationId, { after: first - 1, limit: count });
  return entries.length === count ? entries : undefined;
}
