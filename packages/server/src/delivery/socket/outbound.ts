import type { Failure, Seat } from "@plenary/floor";
import { type DecodeContext, type DecodedEnvelope, decodeAnswer, type JsonText } from "../../conversation/decode.ts";
import { webhookId } from "../../conversation/reply-authorization.ts";
import type { DeliveryLimits } from "../../limits.ts";
import { beginDelivery } from "../../observability/spans.ts";
import { timeOf } from "../../ports/clock.ts";
import type { ConversationLog } from "../../ports/conversation-log.ts";
import type { CredentialStore } from "../../ports/credentials.ts";
import type { DraftPiece, FloorIdentity, Outbound, OutboundMessage, Outcome } from "../../ports/outbound.ts";
import { speakerAt } from "../../ports/speaker-uri.ts";
import type { ExpectedAnswers } from "../expected-answers.ts";
import { baggageOf, bodyOf, emptyAnswer, waitFor } from "../message.ts";
import {
  type AgentConnection,
  type AgentSocket,
  createAgentConnection,
  type SocketDelivery,
  type SocketDeliveryEnd,
} from "./connection.ts";

/** Deliveries to relay addresses of this floor: to agents connected by socket, and to people (D25). */
export type SocketOutbound = Outbound & {
  /** The newest socket of a speaker is used. Returns a function that disconnects it. */
  connect(speakerUri: string, socket: AgentSocket): () => void;
  isConnected(speakerUri: string): boolean;
  /** Number of connected agents. */
  count(): number;
  connected(): readonly string[];
  /** Whether this speaker is a person, who sees every delivery in the log anyway. */
  isPerson(speakerUri: string, seatedAs?: Seat["kind"]): Promise<boolean>;
  /** Whether this speaker is an agent; false for an unknown speaker. */
  isAgent(speakerUri: string): Promise<boolean>;
  /** Whether it was connected as an agent since this floor started. */
  wasConnected(speakerUri: string): boolean;
  deliver<T>(
    speakerUri: string,
    delivery: SocketDelivery,
    read: (document: JsonText) => T | undefined,
  ): Promise<SocketDeliveryEnd<T>>;
  answer(speakerUri: string, id: string, document: JsonText): ReturnType<AgentConnection["answer"]>;
  draft(speakerUri: string, id: string, piece: DraftPiece): boolean;
  takeDraft(speakerUri: string, id: string, chars: number): ReturnType<AgentConnection["takeDraft"]>;
};

type Options = DecodeContext & {
  expectedAnswers: ExpectedAnswers;
  log: ConversationLog;
  credentials: Pick<CredentialStore, "isPerson">;
  limits: DeliveryLimits;
  self: FloorIdentity;
  deliverySecret: string;
  /** Viewers of a conversation are people, with or without a seat. */
  presence: { isHere(speakerUri: string): boolean };
};

export function createSocketOutbound(options: Options): SocketOutbound {
  const connections = new Map<string, AgentConnection>();
  /** Speakers that were connected: their deliveries wait for them. */
  const agents = new Set<string>();
  const connectionOf = (speakerUri: string) => {
    const connection = connections.get(speakerUri) ?? createAgentConnection(options.clock, options.expectedAnswers);
    connections.set(speakerUri, connection);
    return connection;
  };
  const dropIfIdle = (speakerUri: string) => {
    if (connections.get(speakerUri)?.isIdle() === true) connections.delete(speakerUri);
  };
  const outbound: SocketOutbound = {
    reaches: ({ serviceUrl }) => speakerAt(options.self.serviceUrl, serviceUrl) !== undefined,
    send: (message) => send(options, outbound, message),
    connect(speakerUri, socket) {
      agents.delete(speakerUri);
      agents.add(speakerUri);
      const [oldest] = agents;
      if (agents.size > agentsMax && oldest !== undefined) agents.delete(oldest);
      const disconnect = connectionOf(speakerUri).connect(socket);
      return () => {
        disconnect();
        dropIfIdle(speakerUri);
      };
    },
    isConnected: (speakerUri) => connections.get(speakerUri)?.isConnected() === true,
    count: () => outbound.connected().length,
    connected: () =>
      [...connections].flatMap(([speakerUri, connection]) => (connection.isConnected() ? [speakerUri] : [])),
    async isPerson(speakerUri, seatedAs) {
      // A viewer with the name of a disconnected agent must not make its deliveries count as received.
      if (agents.has(speakerUri)) return false;
      const kind = seatedAs ?? (await seatKindOf(options, speakerUri));
      return kind === undefined ? options.presence.isHere(speakerUri) : kind === "person";
    },
    isAgent: async (speakerUri) => agents.has(speakerUri) || (await seatKindOf(options, speakerUri)) === "agent",
    wasConnected: (speakerUri) => agents.has(speakerUri),
    async deliver(speakerUri, delivery, read) {
      const end = await connectionOf(speakerUri).deliver(delivery, read);
      dropIfIdle(speakerUri);
      return end;
    },
    answer: (speakerUri, id, document) => connections.get(speakerUri)?.answer(id, document) ?? "unknown",
    draft: (speakerUri, id, piece) => connections.get(speakerUri)?.draft(id, piece) === true,
    takeDraft: (speakerUri, id, chars) => connections.get(speakerUri)?.takeDraft(id, chars),
  };
  return outbound;
}

async function send(options: Options, outbound: SocketOutbound, message: OutboundMessage): Promise<Outcome> {
  try {
    const speakerUri = speakerAt(options.self.serviceUrl, message.to.serviceUrl) ?? message.to.speakerUri;
    const dialect = message.dialect ?? "1.1";
    // People read the log (D24), and answer at any time.
    const isReadInLog = !outbound.isConnected(speakerUri) && (await outbound.isPerson(speakerUri, message.seatedAs));
    const writing = isReadInLog ? undefined : bodyOf(message, dialect);
    const body = writing instanceof Promise ? await writing : writing;
    if (body === undefined) return { kind: "envelope", envelope: emptyAnswer(message), dialect, carried: {} };
    const span = beginDelivery(message, options.self);
    const delivery = socketDeliveryOf(options, message, body, span.traceparent);
    const begunAt = outbound.isConnected(speakerUri) ? options.clock.now() : undefined;
    const end = await span.during(() =>
      outbound.deliver(speakerUri, delivery, (document) => decodeAnswer(document, message.peers, options)),
    );
    span.end(end.kind, end.kind === "answered" || end.kind === "aborted" ? undefined : end.kind);
    return outcomeOf(end, begunAt === undefined ? undefined : Math.max(0, options.clock.now() - begunAt));
  } catch (error) {
    const detail = error instanceof Error ? error.message : "it cannot be encoded";
    return { kind: "failure", failure: "unreachable", detail };
  }
}

function socketDeliveryOf(
  { limits, deliverySecret, self }: Options,
  message: OutboundMessage,
  body: string,
  traceparent: string,
): SocketDelivery {
  const id = message.webhookId ?? webhookId(message, deliverySecret);
  const { isInvite, isCheck, isDelegation, onRetry, onSent, onDraft } = message;
  const about = { isDelegation, baggage: baggageOf(message, self), traceparent };
  return {
    id,
    write: (name) => withDelivery(body, name, about),
    connectMs: isCheck ? 0 : isInvite ? limits.inviteRetryMs : limits.retryMs,
    ...waitFor(message, limits),
    signal: message.stop ?? message.signal,
    onRetry,
    ...(onSent && { onSent }),
    onDraft,
  };
}

/**
 * `{"openFloor":{...},"delivery":"d1"}`, with `"delegated":true` where the convener must decide, and with the values of
 * the HTTP headers: baggage (D17) and trace.
 */
export function withDelivery(
  body: string,
  id: string,
  about: { isDelegation?: boolean; baggage?: string; traceparent?: string } = {},
): string {
  const { isDelegation = false, ...headers } = about;
  const more = { delivery: id, ...(isDelegation && { delegated: true }), ...headers };
  return `${body.slice(0, -1)},${JSON.stringify(more).slice(1)}`;
}

function outcomeOf(end: SocketDeliveryEnd<DecodedEnvelope>, tookMs: number | undefined): Outcome {
  switch (end.kind) {
    case "answered": {
      const { envelope, dialect, carried, leftOut, issues } = end.answer;
      const encounter = { issues, ...(tookMs !== undefined && { tookMs }) };
      return { kind: "envelope", envelope, dialect, carried, leftOut, encounter };
    }
    case "aborted":
      return { kind: "aborted" };
    case "unreachable":
      return failed("unreachable", "not-connected", "it did not reconnect in time");
    case "timeout":
      return failed("timeout", "timeout", "it did not answer in time");
    case "unreadable":
      return failed("no-envelope", "no-envelope", "its answer is not an envelope");
  }
}

function failed(failure: Failure, code: string, detail: string): Outcome {
  return { kind: "failure", failure, code, detail };
}

const agentsMax = 10_000;
const conversationsLookedAt = 20;

/** Undefined for an invited agent: people can be invited the same way, so only a seat given by the host says the kind. */
export function seatedAsIn({ kind, invitedBy }: Seat): Seat["kind"] | undefined {
  return kind === "person" || invitedBy === undefined ? kind : undefined;
}

/**
 * The kind of a speaker without a seat given by the host: by its credential, by a seat it took when it created a
 * conversation, or by a seat from the operator. A seat given by an owner counts only in that conversation: otherwise an
 * owner could make deliveries of others to an agent count as received. Works after a restart, without open sockets.
 */
async function seatKindOf(options: Options, speakerUri: string): Promise<Seat["kind"] | undefined> {
  const { log, credentials, clock } = options;
  if (await credentials.isPerson(speakerUri, timeOf(clock))) return "person";
  let found: Seat["kind"] | undefined;
  for (const { id } of await log.list({ limit: conversationsLookedAt, speaker: speakerUri })) {
    const floor = await log.load(id);
    const seat = floor?.conversants.find(({ identification }) => identification.speakerUri === speakerUri);
    if (seat === undefined) continue;
    const [entry] = await log.entries(id, { after: seat.since - 1, limit: 1 });
    if (entry?.kind !== "opened" && entry?.because !== "command/seat/operator") continue;
    found = seat.kind;
    if (found === "person") return found;
  }
  return found;
}
