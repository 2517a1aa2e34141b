import { hash } from "node:crypto";
import type { FloorIdentity, OutboundMessage } from "../ports/outbound.ts";

export type TurnName = { conversationId: string; turn: string };

type Floor = Pick<FloorIdentity, "speakerUri">;

/** W3C Trace Context: one trace per turn. The id is derived from the turn, so it is known for old logs too. */
export function traceIdOf({ conversationId, turn }: TurnName, self: Floor): string {
  return digest(self.speakerUri, conversationId, turn).slice(0, 32);
}

/** The turn as the parent span of all others. It is never recorded, because a turn has no definite end. */
export function turnSpanIdOf({ conversationId, turn }: TurnName, self: Floor): string {
  return digest(self.speakerUri, conversationId, turn).slice(32, 48);
}

/** One span per delivery, used without a tracer provider. */
export function traceparentOf(
  message: Pick<OutboundMessage, "conversationId" | "turn" | "delivery">,
  self: Floor,
): string {
  const span = digest(self.speakerUri, message.conversationId, message.delivery).slice(0, 16);
  return `00-${traceIdOf(message, self)}-${span}-01`;
}

/** The trace of each turn of a conversation, cached: a turn has many entries. */
export function tracesOf(conversationId: string, self: Floor): (turn: string) => string {
  const known = new Map<string, string>();
  return (turn) => {
    const trace = known.get(turn) ?? traceIdOf({ conversationId, turn }, self);
    known.set(turn, trace);
    return trace;
  };
}

const pattern = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})$/u;

/** The caller's span; undefined when the header is invalid. */
export function spanIn(traceparent: string): { traceId: string; spanId: string; traceFlags: number } | undefined {
  const [, traceId, spanId, flags] = pattern.exec(traceparent) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) };
}

function digest(...parts: string[]): string {
  return hash("sha256", JSON.stringify(parts), "hex");
}
