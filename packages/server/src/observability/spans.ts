import { hash } from "node:crypto";
import {
  type Attributes,
  type Context,
  context,
  ProxyTracerProvider,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import type { DecidedEntries, InputOrigin } from "../conversation/context.ts";
import type { FloorIdentity, OutboundMessage } from "../ports/outbound.ts";

// A span contains ids, types and outcomes only: no utterance, no reason, no URL path (it may be a secret).

/** One delivery attempt. */
type DeliverySpan = {
  /** Header for the recipient. */
  traceparent: string;
  /** Runs the work with this span as the active span. */
  during<T>(work: () => T): T;
  end(outcome: string, error?: string | undefined): void;
};

export function beginDelivery(message: OutboundMessage, self: FloorIdentity): DeliverySpan {
  const tracer = tracerNow();
  if (tracer === undefined)
    return { traceparent: traceparentOf(message, self), during: (work) => work(), end: () => {} };
  const attributes = {
    ...attributesOf(message),
    "plenary.delivery": message.delivery,
    "plenary.event.types": message.envelope.events.map(({ eventType }) => eventType),
    ...serverAddressOf(message.to.serviceUrl),
  };
  const within = turnContext(message, self);
  const span = tracer.startSpan("deliver", { kind: SpanKind.CLIENT, attributes }, within);
  const { traceId, spanId, traceFlags } = span.spanContext();
  return {
    traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`,
    during: (work) => context.with(trace.setSpan(within, span), work),
    end(outcome, error) {
      span.setAttribute("plenary.outcome", outcome);
      if (error !== undefined) span.setAttribute("error.type", error).setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
}

/** Records a span from the decision on an input until it is durable. `begunAtS`: monotonic clock. */
export function recordDecision(origin: InputOrigin, { entries, begunAtS }: DecidedEntries, self: FloorIdentity): void {
  const tracer = tracerNow();
  if (tracer === undefined) return;
  const entry = entries.find(({ kind }) => kind === "received") ?? entries.at(-1);
  if (entry === undefined) return;
  const name = { conversationId: origin.conversationId, turn: entry.turn };
  const caller = origin.traceparent === undefined ? undefined : spanIn(origin.traceparent);
  const span = tracer.startSpan(
    `decide ${origin.kind}`,
    {
      startTime: begunAtS * 1_000,
      attributes: {
        ...attributesOf(name),
        ...(origin.delivery !== undefined && { "plenary.delivery": origin.delivery }),
        "plenary.event.types": entries.flatMap((one) => (one.kind === "event" ? [one.event.eventType] : [])),
        "plenary.outcome": entries.some(({ kind }) => kind === "refused") ? "refused" : "taken",
      },
      ...(caller && { links: [{ context: { ...caller, isRemote: true } }] }),
    },
    turnContext(name, self),
  );
  span.end(performance.now());
}

const tracerName = "plenary";

/** Undefined unless a tracer provider is registered; without one, spans cost nothing. */
function tracerNow(): Tracer | undefined {
  const provider = trace.getTracerProvider();
  if (provider instanceof ProxyTracerProvider) return provider.getDelegateTracer(tracerName);
  return provider.getTracer(tracerName);
}

/** Always sampled: a provider may sample by trace id. */
function turnContext(turn: TurnName, self: FloorIdentity): Context {
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId: traceIdOf(turn, self),
    spanId: turnSpanIdOf(turn, self),
    traceFlags: TraceFlags.SAMPLED,
    isRemote: true,
  });
}

function attributesOf({ conversationId, turn }: TurnName): Attributes {
  return { "plenary.conversation.id": conversationId, "plenary.turn": turn };
}

function serverAddressOf(serviceUrl: string): Attributes {
  return URL.canParse(serviceUrl) ? { "server.address": new URL(serviceUrl).hostname } : {};
}

type TurnName = { conversationId: string; turn: string };

type Floor = Pick<FloorIdentity, "speakerUri">;

/** W3C Trace Context: one trace per turn. The id is derived from the turn, so it is known for old logs too. */
export function traceIdOf({ conversationId, turn }: TurnName, self: Floor): string {
  return digest(self.speakerUri, conversationId, turn).slice(0, 32);
}

/** The turn as the parent span of all others. It is never recorded, because a turn has no definite end. */
function turnSpanIdOf({ conversationId, turn }: TurnName, self: Floor): string {
  return digest(self.speakerUri, conversationId, turn).slice(32, 48);
}

/** One span per delivery, used without a tracer provider. */
function traceparentOf(message: Pick<OutboundMessage, "conversationId" | "turn" | "delivery">, self: Floor): string {
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
