import type { Failure, Seat } from "@plenary/floor";
import { type Desk, decodeAnswer, type Read } from "../../conversation/decode.ts";
import { webhookId } from "../../conversation/delivery-id.ts";
import { speakerAt } from "../../conversation/relay-address.ts";
import { beginDelivery } from "../../observability/spans.ts";
import { timeOf } from "../../ports/clock.ts";
import type { CredentialStore } from "../../ports/credentials.ts";
import type { DraftPiece, Letter, Outbound, Outcome, Self } from "../../ports/outbound.ts";
import type { FloorStore } from "../../ports/store.ts";
import { baggageOf } from "../baggage.ts";
import type { OpenAnswers } from "../expected-answers.ts";
import { type DeliveryLimits, waitFor } from "../limits.ts";
import { bodyOf, silence } from "../message.ts";
import { type AgentSocket, createLine, type Line, type Parcel, type ParcelEnd } from "./connection.ts";

/** Deliveries to agents that connected to us, and to people, whose address is ours too (D25). */
export type SocketOutbound = Outbound & {
  /** The newest socket of a speaker is the one that is written to. Returns the way to hang up. */
  connect(speakerUri: string, socket: AgentSocket): () => void;
  isConnected(speakerUri: string): boolean;
  /** Agents that are connected. */
  count(): number;
  connected(): readonly string[];
  /** Whether a person here has this name: what is sent to it is in its view already. */
  isPerson(speakerUri: string, seatedAs?: Seat["kind"]): Promise<boolean>;
  /** Whether an agent here has this name; false of a name that nobody is known by. */
  isAgent(speakerUri: string): Promise<boolean>;
  /** As an agent, since this floor started. */
  wasConnected(speakerUri: string): boolean;
  /** Whoever looks on is a person, seated here or not. */
  setOnlookers(isHere: (speakerUri: string) => boolean): void;
  carry<T>(speakerUri: string, parcel: Parcel, read: (text: string) => T | undefined): Promise<ParcelEnd<T>>;
  answer(speakerUri: string, id: string, text: string): ReturnType<Line["answer"]>;
  draft(speakerUri: string, id: string, piece: DraftPiece): boolean;
  takeDraft(speakerUri: string, id: string, chars: number): ReturnType<Line["takeDraft"]>;
};

type Options = Desk & {
  openAnswers: OpenAnswers;
  store: FloorStore;
  credentials: Pick<CredentialStore, "isPerson">;
  limits: DeliveryLimits;
  self: () => Self;
  deliverySecret: () => string;
};

export function createSocketOutbound(options: Options): SocketOutbound {
  const lines = new Map<string, Line>();
  /** Those that were connected once: their deliveries wait for them. */
  const agents = new Set<string>();
  let isOnlooker: (speakerUri: string) => boolean = () => false;
  const lineOf = (speakerUri: string) => {
    const line = lines.get(speakerUri) ?? createLine(options.clock, options.openAnswers);
    lines.set(speakerUri, line);
    return line;
  };
  const tidy = (speakerUri: string) => {
    if (lines.get(speakerUri)?.isIdle() === true) lines.delete(speakerUri);
  };
  const outbound: SocketOutbound = {
    reaches: ({ serviceUrl }) => speakerAt(options.self().serviceUrl, serviceUrl) !== undefined,
    send: (letter) => send(options, outbound, letter),
    connect(speakerUri, socket) {
      agents.delete(speakerUri);
      agents.add(speakerUri);
      const [oldest] = agents;
      if (agents.size > agentsMax && oldest !== undefined) agents.delete(oldest);
      const hangUp = lineOf(speakerUri).connect(socket);
      return () => {
        hangUp();
        tidy(speakerUri);
      };
    },
    isConnected: (speakerUri) => lines.get(speakerUri)?.isConnected() === true,
    count: () => outbound.connected().length,
    connected: () => [...lines].flatMap(([speakerUri, line]) => (line.isConnected() ? [speakerUri] : [])),
    async isPerson(speakerUri, seatedAs) {
      // Whoever looks on as an agent that is away for a moment must not take its deliveries from it.
      if (agents.has(speakerUri)) return false;
      const kind = seatedAs ?? (await kindOf(options, speakerUri));
      return kind === undefined ? isOnlooker(speakerUri) : kind === "person";
    },
    isAgent: async (speakerUri) => agents.has(speakerUri) || (await kindOf(options, speakerUri)) === "agent",
    wasConnected: (speakerUri) => agents.has(speakerUri),
    setOnlookers(isHere) {
      isOnlooker = isHere;
    },
    async carry(speakerUri, parcel, read) {
      const end = await lineOf(speakerUri).carry(parcel, read);
      tidy(speakerUri);
      return end;
    },
    answer: (speakerUri, id, text) => lines.get(speakerUri)?.answer(id, text) ?? "unknown",
    draft: (speakerUri, id, piece) => lines.get(speakerUri)?.draft(id, piece) === true,
    takeDraft: (speakerUri, id, chars) => lines.get(speakerUri)?.takeDraft(id, chars),
  };
  return outbound;
}

async function send(options: Options, outbound: SocketOutbound, letter: Letter): Promise<Outcome> {
  try {
    const speakerUri = speakerAt(options.self().serviceUrl, letter.to.serviceUrl) ?? letter.to.speakerUri;
    const dialect = letter.dialect ?? "1.1";
    const body = await bodyOf(letter, dialect);
    const isHeardAlready = !outbound.isConnected(speakerUri) && (await outbound.isPerson(speakerUri, letter.seatedAs));
    // People read the log (D24), and answer when they like.
    if (body === undefined || isHeardAlready) {
      return { kind: "envelope", envelope: silence(letter), dialect, carried: {} };
    }
    const span = beginDelivery(letter, options.self());
    const parcel = parcelOf(options, letter, body, span.traceparent);
    const begunAt = outbound.isConnected(speakerUri) ? options.clock.now() : undefined;
    const end = await span.during(() =>
      outbound.carry(speakerUri, parcel, (text) => decodeAnswer(text, letter.peers, options)),
    );
    span.end(end.kind, end.kind === "answered" || end.kind === "aborted" ? undefined : end.kind);
    return outcomeOf(end, begunAt === undefined ? undefined : Math.max(0, options.clock.now() - begunAt));
  } catch (error) {
    const detail = error instanceof Error ? error.message : "it cannot be written";
    return { kind: "failure", failure: "unreachable", detail };
  }
}

function parcelOf(
  { limits, deliverySecret, self }: Options,
  letter: Letter,
  body: string,
  traceparent: string,
): Parcel {
  const id = webhookId(letter, deliverySecret());
  const { isInvite, isCheck, isDelegation, signal, onRetry, onSent, onDraft } = letter;
  const about = { isDelegation, baggage: baggageOf(letter, self()), traceparent };
  return {
    id,
    write: (name) => withDelivery(body, name, about),
    connectMs: isCheck ? 0 : isInvite ? limits.inviteRetryMs : limits.retryMs,
    ...waitFor(letter, limits),
    signal,
    onRetry,
    ...(onSent && { onSent }),
    onDraft,
  };
}

/**
 * `{"openFloor":{...},"delivery":"d1"}`, with `"delegated":true` where the convener is asked to decide, and what headers
 * say elsewhere: how far the turn has come (D17), and its trace.
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

function outcomeOf(end: ParcelEnd<Read>, tookMs: number | undefined): Outcome {
  switch (end.kind) {
    case "answered": {
      const { envelope, dialect, carried, leftOut, issues } = end.answer;
      const encounter = { issues, ...(tookMs !== undefined && { tookMs }) };
      return { kind: "envelope", envelope, dialect, carried, leftOut, encounter };
    }
    case "aborted":
      return { kind: "aborted" };
    case "unreachable":
      return failed("unreachable", "not-connected", "its socket did not come back");
    case "timeout":
      return failed("timeout", "timeout", "it did not answer in time");
    case "unreadable":
      return failed("no-envelope", "no-envelope", "its answer is no envelope");
  }
}

function failed(failure: Failure, code: string, detail: string): Outcome {
  return { kind: "failure", failure, code, detail };
}

const agentsMax = 10_000;
const conversationsLookedAt = 20;

/** People may be invited like agents, so an invitation does not tell what somebody is; the host does. */
export function seatedAsIn({ kind, invitedBy }: Seat): Seat["kind"] | undefined {
  return kind === "person" || invitedBy === undefined ? kind : undefined;
}

/**
 * What somebody is wherever no host has said it: by its credential, or by a seat that it took itself when it began a
 * conversation, or that the operator gave it. What an owner says counts in its own conversation only: otherwise it could
 * have what others send to an agent pass for heard. Also after a restart, when nobody is connected yet.
 */
async function kindOf(options: Options, speakerUri: string): Promise<Seat["kind"] | undefined> {
  const { store, credentials, clock } = options;
  if (await credentials.isPerson(speakerUri, timeOf(clock))) return "person";
  let found: Seat["kind"] | undefined;
  for (const { id } of await store.list({ limit: conversationsLookedAt, speaker: speakerUri })) {
    const floor = await store.load(id);
    const seat = floor?.conversants.find(({ identification }) => identification.speakerUri === speakerUri);
    if (seat === undefined) continue;
    const [entry] = await store.entries(id, { after: seat.since - 1, limit: 1 });
    if (entry?.kind !== "opened" && entry?.because !== "command/seat/operator") continue;
    found = seat.kind;
    if (found === "person") return found;
  }
  return found;
}
