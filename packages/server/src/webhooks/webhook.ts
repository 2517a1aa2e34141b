import { createHash, randomBytes } from "node:crypto";
import { kindNames } from "@plenary/api";
import type { Entry, Floor } from "@plenary/floor";
import { tracedEntryFor } from "../conversation/conversation-view.ts";
import { readerFor } from "../conversation/visibility.ts";
import { type Clock, timeOf } from "../ports/clock.ts";
import type { Principal } from "../ports/principal.ts";

/** The caller that registered a webhook: it sees what this caller may see. */
export type Registrant = Pick<Principal, "id" | "kind" | "untilMs">;

export type Webhook = {
  id: string;
  url: string;
  /** Default: all. */
  kinds?: readonly string[];
  /** Of entries of the kind `event`. */
  eventTypes?: readonly string[];
  /** Default: all conversations of the floor. */
  conversation?: string;
  /** The log is read as this conversant; without it as the operator (D33). */
  speaker?: string;
  label?: string;
  registrant: Registrant;
  /** Newest first. A replaced secret signs until `untilMs`. */
  secrets: readonly { secret: string; untilMs?: number }[];
  createdAt: string;
};

/** The progress in one conversation: entries up to `seq` are delivered or not wanted. */
export type Lane = {
  conversationId: string;
  seq: number;
  /** The lane ends with this entry; without it, it follows the conversation. */
  until?: number;
  /** Of the next entry. */
  failing?: { sinceMs: number; tries: number; retryAtMs: number; failure: string };
};

/** A webhook with its progress, as it is stored. */
export type WebhookRecord = {
  hook: Webhook;
  /** Decisions up to this position are delivered, not wanted, or in a lane. Only for webhooks of all conversations. */
  position: number;
  lanes: Lane[];
  lastDeliveredAt?: string;
  /** No delivery has succeeded since. */
  failingSinceMs?: number;
  /** Why it is disabled. */
  disabled?: string;
};

export function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString("base64")}`;
}

/** The secret for the caller is in no view but the first. */
export function viewOf({ hook, lanes, lastDeliveredAt, disabled, ...record }: WebhookRecord) {
  const { registrant: _, secrets: __, kinds = kindNames, ...shown } = hook;
  const failing = lanes.flatMap((lane) => lane.failing ?? []).sort((one, other) => one.sinceMs - other.sinceMs);
  const failure = disabled ?? failing[0]?.failure;
  const sinceMs = failing[0]?.sinceMs ?? record.failingSinceMs;
  return {
    ...shown,
    kinds,
    state: disabled !== undefined ? "disabled" : failing.length > 0 ? "failing" : "active",
    ...(failure !== undefined && { failure }),
    ...(failure !== undefined && sinceMs !== undefined && { failedSince: new Date(sinceMs).toISOString() }),
    ...(lastDeliveredAt !== undefined && { lastDeliveredAt }),
  } as const;
}

export type WebhookMessage = { id: string; body: string };

/** The message for an entry; undefined when the webhook does not want it, or its registrant may not see it now. */
export function messageOf(
  hook: Webhook,
  floor: Floor,
  entry: Entry,
  traceOf: (turn: string) => string,
): WebhookMessage | undefined {
  if (!isWanted(hook, entry)) return undefined;
  const shown = tracedEntryFor(entry, readerFor(floor, hook.speaker), traceOf);
  if (shown.kind === "hidden") return undefined;
  const { seq, kind, at: timestamp } = entry;
  const data = { conversation: floor.id, seq, entry: shown };
  return { id: messageId(hook, floor.id, seq), body: JSON.stringify({ type: `entry.${kind}`, timestamp, data }) };
}

function isWanted({ kinds, eventTypes }: Webhook, entry: Entry): boolean {
  if (kinds !== undefined && !kinds.includes(entry.kind)) return false;
  return eventTypes === undefined || entry.kind !== "event" || eventTypes.includes(entry.event.eventType);
}

/** The same for each attempt, so receivers can drop repetitions. */
export function messageId({ id }: Pick<Webhook, "id">, conversationId: string, seq: number): string {
  const text = JSON.stringify([id, conversationId, seq]);
  return `evt_${createHash("sha256").update(text).digest("base64url").slice(0, 32)}`;
}

export function pingOf({ id }: Webhook, clock: Clock): WebhookMessage {
  const body = JSON.stringify({ type: "ping", timestamp: timeOf(clock), data: { webhook: id } });
  return { id: `ping_${randomBytes(18).toString("base64url")}`, body };
}
