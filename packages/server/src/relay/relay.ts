import { createHash } from "node:crypto";
import { relayUrlOf } from "@plenary/floor";
import { encodeEnvelope, envelope } from "@plenary/protocol";
import type { ServerContext } from "../context.ts";
import { type DecodedEnvelope, decodeAnswer, decodeEnvelope, peersOf } from "../conversation/decode.ts";
import { type SocketOutbound, withDelivery } from "../delivery/socket/outbound.ts";
import { Problem } from "../errors.ts";
import type { StreamLimits } from "../limits.ts";
import { spanIn } from "../observability/trace-ids.ts";
import type { Clock } from "../ports/clock.ts";
import { speakerIn } from "../ports/relay-address.ts";
import { assertKind, readAnonymousText, readText } from "../routing/body.ts";
import type { Viewers } from "../streams/viewers.ts";
import { createForeignInvites } from "./foreign-invites.ts";
import { relayToPerson } from "./relay-to-person.ts";

/** Takes envelopes of any floor for somebody who is reached through this one (D25). */
export type Relay = (request: Request, to: RelayTo) => Promise<Response>;

/** `speaker`: as it stands in the address. */
type RelayTo = { speaker: string; address: string; isStranger: boolean; onWait?: (() => void) | undefined };

type Options = {
  server: ServerContext;
  sockets: SocketOutbound;
  viewers: Viewers;
  limits: StreamLimits;
};

export function createRelay(options: Options): Relay {
  const { server, sockets, limits } = options;
  const underWay = new Map<string, number>();
  const isAgent = createAgentLookup(sockets, server.clock, limits.mailboxesMax);
  const invites = createForeignInvites({ people: limits.mailboxesMax, ofEach: limits.mailboxMax });
  return async (request, { speaker: encodedSpeaker, address, isStranger, onWait }) => {
    const speaker = speakerIn(encodedSpeaker);
    if (speaker === undefined) throw new Problem("not-found", { detail: "this is no relay address" });
    const count = underWay.get(speaker) ?? 0;
    if (count >= limits.relaysPerSpeakerMax) throw new Problem("busy", { detail: "too much is on its way there" });
    underWay.set(speaker, count + 1);
    try {
      const text = await textOf(request, server, isStranger ? address : undefined);
      const read = decodeEnvelope(text, undefined, server);
      // Other floors try again for ten seconds, or a minute (D23).
      if (!sockets.isConnected(speaker) && (await isAgent(speaker))) {
        throw new Problem("unavailable", { detail: "this agent is not connected now", retryAfterS: 1 });
      }
      // A name that nobody has is answered like that of a person: nobody learns here who the people of this floor are.
      if (!sockets.isConnected(speaker)) {
        const posted = { speaker, read, text, headers: request.headers, address };
        return await relayToPerson({ ...options, invites }, posted);
      }
      onWait?.();
      const answer = await relayToAgent(options, speaker, read, request);
      return Response.json(encodeEnvelope(answer, read.dialect, { peers: peersOf(undefined) }).document);
    } finally {
      const left = (underWay.get(speaker) ?? 1) - 1;
      if (left > 0) underWay.set(speaker, left);
      else underWay.delete(speaker);
    }
  };
}

/** `stranger`: the address of somebody without a credential. */
function textOf(request: Request, server: ServerContext, stranger: string | undefined): Promise<string> {
  if (stranger === undefined) return readText(request, server.bodyBytesMax);
  assertKind(request.headers);
  return readAnonymousText(request, stranger, server);
}

const goodForMs = 10_000;

/** It takes a look into the conversations of somebody to tell, so what was found is so for a while. */
function createAgentLookup(sockets: SocketOutbound, clock: Clock, namesMax: number) {
  const names = new Map<string, { found: Promise<boolean>; untilMs: number }>();
  return async (speaker: string): Promise<boolean> => {
    const known = names.get(speaker);
    // Unless it has come as an agent since, which needs no look.
    if (known !== undefined && clock.now() < known.untilMs) return sockets.wasConnected(speaker) || known.found;
    const asked = { found: sockets.isAgent(speaker), untilMs: clock.now() + goodForMs };
    names.delete(speaker);
    names.set(speaker, asked);
    const [oldest] = names.keys();
    if (names.size > namesMax && oldest !== undefined) names.delete(oldest);
    asked.found.catch(() => names.delete(speaker));
    return asked.found;
  };
}

/** The agent's answer is the answer; one that does not come in time is silence. */
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
  const parcel = {
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
  const end = await sockets.deliver(speaker, parcel, (text) => decodeAnswer(text, peersOf(undefined), server));
  return end.kind === "answered" ? end.answer.envelope : silenceOf(options, speaker, read);
}

const idMax = 128;
/** W3C Baggage: as much as everybody passes on. */
const baggageMax = 8_192;

/** The other floor's own id, so that an agent can tell a repetition, and whose it is, so that floors do not get mixed up. */
function nameOf({ envelope: { sender, conversation } }: DecodedEnvelope, id: string): string {
  const whose = JSON.stringify([sender.speakerUri, sender.serviceUrl, conversation.id]);
  return `relay:${createHash("sha256").update(whose).digest("base64url").slice(0, 16)}:${id.slice(0, idMax)}`;
}

function silenceOf({ server }: Options, speakerUri: string, { envelope: { conversation } }: DecodedEnvelope) {
  const serviceUrl = relayUrlOf(server.self().serviceUrl, speakerUri);
  return envelope({ conversation: { id: conversation.id }, sender: { speakerUri, serviceUrl }, events: [] });
}
