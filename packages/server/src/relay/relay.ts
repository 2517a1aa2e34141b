import { createHash } from "node:crypto";
import { encodeEnvelope } from "@plenary/protocol";
import type { AccessContext, ConversationContext, ReceivingContext } from "../context.ts";
import { type DecodedEnvelope, decodeAnswer, decodeEnvelope, type JsonText, peersOf } from "../conversation/decode.ts";
import { type SocketOutbound, withDelivery } from "../delivery/socket/outbound.ts";
import { Problem } from "../errors.ts";
import { createCounts } from "../keyed-counter.ts";
import type { StreamLimits } from "../limits.ts";
import { spanIn } from "../observability/spans.ts";
import type { Clock } from "../ports/clock.ts";
import { speakerIn } from "../ports/speaker-uri.ts";
import { assertKind, readAnonymousJson, readJsonText } from "../routing/body.ts";
import type { Viewers } from "../streams/viewers.ts";
import { answerFrom, createForeignInvites, relayToPerson } from "./relay-to-person.ts";

/** Accepts envelopes of any floor for people and agents with a relay address of this floor (D25). */
export type Relay = (request: Request, to: RelayTo) => Promise<Response>;

/** `speaker`: encoded, as in the relay address. */
type RelayTo = { speaker: string; address: string; isAnonymous: boolean; onWait?: (() => void) | undefined };

type Options = {
  server: ConversationContext & AccessContext;
  sockets: SocketOutbound;
  viewers: Viewers;
  limits: StreamLimits;
};

export function createRelay(options: Options): Relay {
  const { server, sockets, limits } = options;
  const inFlight = createCounts();
  const isAgent = createAgentLookup(sockets, server.clock, limits.mailboxesMax);
  const invites = createForeignInvites({ people: limits.mailboxesMax, ofEach: limits.mailboxMax });
  return async (request, { speaker: encodedSpeaker, address, isAnonymous, onWait }) => {
    const speaker = speakerIn(encodedSpeaker);
    if (speaker === undefined) throw new Problem("not-found", { detail: "this is not a relay address" });
    if (inFlight.of(speaker) >= limits.relaysPerSpeakerMax)
      throw new Problem("busy", { detail: "too many envelopes are in flight to this relay address" });
    const release = inFlight.add(speaker);
    try {
      const document = await documentOf(request, server, isAnonymous ? address : undefined);
      const read = decodeEnvelope(document, undefined, server);
      // Other floors retry for ten seconds or a minute (D23).
      if (!sockets.isConnected(speaker) && (await isAgent(speaker))) {
        throw new Problem("unavailable", { detail: "this agent is not connected now", retryAfterS: 1 });
      }
      // An unknown speaker is answered like a person, so the response does not disclose the people of this floor.
      if (!sockets.isConnected(speaker)) {
        const posted = { speaker, read, document, headers: request.headers, address };
        return await relayToPerson({ ...options, invites }, posted);
      }
      onWait?.();
      const answer = await relayToAgent(options, speaker, read, request);
      return Response.json(encodeEnvelope(answer, read.dialect, { peers: peersOf(undefined) }).document);
    } finally {
      release();
    }
  };
}

/** `anonymousAddress`: the address of a client without a credential. */
function documentOf(
  request: Request,
  server: ReceivingContext & AccessContext,
  anonymousAddress?: string,
): Promise<JsonText> {
  if (anonymousAddress === undefined) return readJsonText(request, server.bodyBytesMax);
  assertKind(request.headers);
  return readAnonymousJson(request, anonymousAddress, server);
}

const cachedMs = 10_000;

/** Cached, because the lookup reads the conversations of the speaker. */
function createAgentLookup(sockets: SocketOutbound, clock: Clock, namesMax: number) {
  const names = new Map<string, { found: Promise<boolean>; untilMs: number }>();
  return async (speaker: string): Promise<boolean> => {
    const known = names.get(speaker);
    // `wasConnected` is cheap and newer than the cached result.
    if (known !== undefined && clock.now() < known.untilMs) return sockets.wasConnected(speaker) || known.found;
    const lookup = { found: sockets.isAgent(speaker), untilMs: clock.now() + cachedMs };
    names.delete(speaker);
    names.set(speaker, lookup);
    const [oldest] = names.keys();
    if (names.size > namesMax && oldest !== undefined) names.delete(oldest);
    lookup.found.catch(() => names.delete(speaker));
    return lookup.found;
  };
}

/** Returns the agent's answer, or an envelope without events when there is none in time. */
async function relayToAgent(options: Options, speaker: string, read: DecodedEnvelope, request: Request) {
  const { server, sockets, limits } = options;
  const { document } = encodeEnvelope(read.envelope, read.dialect, {
    peers: peersOf(undefined),
    carried: read.carried,
  });
  const id = nameOf(read, request.headers.get("webhook-id") ?? server.ids.newId());
  const baggage = request.headers.get("baggage");
  const traceparent = request.headers.get("traceparent");
  const about = {
    ...(baggage !== null && baggage.length <= baggageMax && { baggage }),
    ...(traceparent !== null && spanIn(traceparent) !== undefined && { traceparent }),
  };
  const message = {
    id,
    write: (name: string) => withDelivery(JSON.stringify(document), name, about),
    connectMs: limits.relayAnswerMs,
    silenceMs: limits.relayAnswerMs,
    answerMs: limits.relayAnswerMs,
    streamMs: limits.relayAnswerMs,
    signal: request.signal,
    onRetry: () => {},
    onDraft: () => {},
  };
  const end = await sockets.deliver(speaker, message, (document) => decodeAnswer(document, peersOf(undefined), server));
  return end.kind === "answered" ? end.answer.envelope : answerFrom(server, speaker, read);
}

const idMax = 128;
/** W3C Baggage: the size that every platform must propagate. */
const baggageMax = 8_192;

/** Contains the id of the other floor, so that an agent detects repetitions, and a hash of the sender, so that floors do not collide. */
function nameOf({ envelope: { sender, conversation } }: DecodedEnvelope, id: string): string {
  const origin = JSON.stringify([sender.speakerUri, sender.serviceUrl, conversation.id]);
  return `relay:${createHash("sha256").update(origin).digest("base64url").slice(0, 16)}:${id.slice(0, idMax)}`;
}
