import { type Floor, relayUrlOf, type Seat, seatNamed } from "@plenary/floor";
import {
  type Envelope,
  encodeEnvelope,
  envelope,
  type FloorEvent,
  isPrivate,
  isSameAddress,
  isSameUri,
} from "@plenary/protocol";
import { isLocal, isLoopbackUrl } from "../auth/client-address.ts";
import type { AccessContext, ConversationContext, FloorContext, StorageContext } from "../context.ts";
import { type DecodedEnvelope, decodeEnvelope, type JsonText, peersOf } from "../conversation/decode.ts";
import { deliveryIn, isProved, lateRecipient } from "../conversation/reply-authorization.ts";
import { Problem } from "../errors.ts";
import type { Principal } from "../ports/principal.ts";
import { accept, type PostedEnvelope } from "../routing/post-envelope.ts";
import type { Viewers } from "../streams/viewers.ts";

type RelayContext = {
  server: ConversationContext & AccessContext;
  viewers: Viewers;
  invites: ReturnType<typeof createForeignInvites>;
};

/** An envelope sent to the relay address of a person, or to an unused relay address. */
type RelayedMessage = {
  speaker: string;
  read: DecodedEnvelope;
  document: JsonText;
  headers: Headers;
  address: string;
};

/**
 * D25': a late answer of a conversant of this floor is processed as if sent to the floor. Another floor may invite the
 * person while a client can show it, and then send envelopes. Everything else is refused with the right address. A sender
 * without proof gets the same response whether or not this floor has the conversation.
 */
export async function relayToPerson(context: RelayContext, posted: RelayedMessage): Promise<Response> {
  const { server, viewers, invites } = context;
  const { speaker, read } = posted;
  const { id } = read.envelope.conversation;
  const floor = await server.log.load(id);
  const isHeldHere = floor !== undefined;
  const own = isHeldHere ? ((await proofIn(server, posted)) ?? (await localAgent(server, posted, floor))) : undefined;
  if (own !== undefined) {
    const { headers, body } = await accept(server, { document: posted.document, ...own });
    return new Response(body, { headers });
  }
  if (read.envelope.events.some((event) => isInviteOf(server, speaker, event))) {
    if (!viewers.shows(speaker)) return answer(server, posted, [unavailable(read.envelope)]);
    if (!isHeldHere) invites.add(speaker, id);
  } else if (isHeldHere || !invites.has(speaker, id)) {
    throw unproved(server);
  }
  if (!isHeldHere) viewers.post(speaker, encodeEnvelope(read.envelope, "1.1").document);
  if (read.envelope.events.some((event) => isRemovalOf(speaker, event))) invites.remove(speaker, id);
  return answer(server, posted, []);
}

type Proof = Pick<PostedEnvelope, "principal" | "header" | "whisperer">;

/** A credential, or the id of a delivery, which only its recipient knows. */
async function proofIn(
  server: ConversationContext & AccessContext,
  posted: RelayedMessage,
): Promise<Proof | undefined> {
  const { headers, address } = posted;
  const header = (name: string) => headers.get(name) ?? undefined;
  if (header("authorization") === undefined && header("in-reply-to") === undefined) return undefined;
  try {
    const proof = { principal: await server.access.admitSender(headers, address), header };
    return proof.principal.kind === "recipient" ? await recipient(server, posted, proof) : proof;
  } catch (error) {
    if (error instanceof Problem && error.code === "unauthorized") return undefined;
    throw error;
  }
}

async function recipient(
  server: ConversationContext,
  { read, document }: RelayedMessage,
  proof: Proof,
): Promise<Proof | undefined> {
  const inReplyTo = proof.header("in-reply-to") ?? "";
  const floor = await server.log.load(read.envelope.conversation.id);
  if (floor === undefined || !isProved(server, floor.id, inReplyTo)) return undefined;
  if (floor.open.some(({ id }) => id === deliveryIn(inReplyTo))) return proof;
  const late = await lateRecipient(server, floor, inReplyTo);
  // In 0.9 the speakerUri of the sender is resolved by the conversants of the floor.
  if (late?.speakerUri !== decodeEnvelope(document, floor, server).envelope.sender.speakerUri) return undefined;
  // The delivery has ended, so the envelope is processed as an unsolicited one.
  const header = (name: string) => (name === "in-reply-to" ? undefined : proof.header(name));
  const principal: Principal = { ...proof.principal, kind: "agent", speakers: [late.speakerUri] };
  return { principal, header, ...(late.whisperer !== undefined && { whisperer: late.whisperer }) };
}

/**
 * Our choice: late answers often have no In-Reply-To. If floor, caller and agent are all on this machine, a seated agent
 * is trusted without proof, and its envelope answers the newest utterance that it received.
 */
async function localAgent(
  server: ConversationContext & AccessContext,
  posted: RelayedMessage,
  floor: Floor,
): Promise<Proof | undefined> {
  const { headers } = posted;
  const hasProof = headers.has("authorization") || headers.has("in-reply-to");
  const seat = seatNamed(floor, decodeEnvelope(posted.document, floor, server).envelope.sender.speakerUri);
  if (hasProof || !isLocal(server, posted) || seat === undefined || !isLocalAgent(server, seat)) return undefined;
  const { speakerUri } = seat.identification;
  const principal: Principal = { id: `neighbour ${speakerUri}`, kind: "agent", speakers: [speakerUri], scopes: [] };
  const whisperer = await newestWhisperer(server, floor, speakerUri);
  const header = (name: string) => headers.get(name) ?? undefined;
  return { principal, header, ...(whisperer !== undefined && { whisperer }) };
}

function isLocalAgent({ url }: FloorContext, { kind, state, identification: { serviceUrl } }: Seat): boolean {
  const isElsewhere = URL.canParse(serviceUrl) && new URL(serviceUrl).origin !== new URL(url).origin;
  return kind === "agent" && state === "joined" && isElsewhere && isLoopbackUrl(serviceUrl);
}

/** The sender of the newest utterance to this conversant, if that utterance is private. */
async function newestWhisperer(
  { log }: StorageContext,
  { id, seq }: Floor,
  speakerUri: string,
): Promise<string | undefined> {
  const entries = await log.entries(id, { after: Math.max(0, seq - newestMax), limit: newestMax });
  const received = entries.findLast((entry) => {
    if (entry.kind !== "event" || entry.event.eventType !== "utterance") return false;
    return entry.deliveries.some(({ to }) => isSameUri(to, speakerUri));
  });
  return received?.kind === "event" && isPrivate(received.event) ? received.sender : undefined;
}

const newestMax = 200;

function isInviteOf({ self }: FloorContext, speaker: string, { eventType, to }: FloorEvent): boolean {
  if (eventType !== "invite") return false;
  if (to?.speakerUri !== undefined) return isSameUri(to.speakerUri, speaker);
  return to?.serviceUrl === undefined || isSameAddress(to.serviceUrl, relayUrlOf(self.serviceUrl, speaker));
}

function isRemovalOf(speaker: string, { eventType, to }: FloorEvent): boolean {
  return eventType === "uninvite" && (to?.speakerUri === undefined || isSameUri(to.speakerUri, speaker));
}

function unavailable({ sender: { speakerUri } }: Envelope): FloorEvent {
  const reason = "@unavailable no client of this person shows conversations of other floors now";
  return { eventType: "declineInvite", to: { speakerUri }, reason };
}

function unproved({ self }: FloorContext): Problem {
  const detail = "nothing proves that the sender shares a conversation with the owner of this address";
  const fix =
    `send it to ${self.serviceUrl}, or here, with the header In-Reply-To: the webhook-id of what it answers, or with ` +
    "Authorization: Bearer and a key of the sender; a conversation of another floor begins with an invite";
  return new Problem("forbidden", { detail, fix });
}

function answer(server: FloorContext, { speaker, read }: RelayedMessage, events: FloorEvent[]): Response {
  const reply = answerFrom(server, speaker, read, events);
  return Response.json(encodeEnvelope(reply, read.dialect, { peers: peersOf(undefined) }).document);
}

/** An envelope of this speaker, sent from its relay address, in the conversation of the envelope that was read. */
export function answerFrom(
  { self }: FloorContext,
  speakerUri: string,
  { envelope: { conversation } }: DecodedEnvelope,
  events: FloorEvent[] = [],
): Envelope {
  const serviceUrl = relayUrlOf(self.serviceUrl, speakerUri);
  return envelope({ conversation: { id: conversation.id }, sender: { speakerUri, serviceUrl }, events });
}

/**
 * Conversations of other floors to which people of this floor were invited, while a client could show them. In memory;
 * limited per person and in the number of people, newest kept.
 */
export function createForeignInvites({ people, ofEach }: { people: number; ofEach: number }) {
  const known = new Map<string, Set<string>>();
  return {
    has: (speaker: string, conversationId: string): boolean => known.get(speaker)?.has(conversationId) === true,
    add(speaker: string, conversationId: string): void {
      const mine = known.get(speaker) ?? new Set();
      known.delete(speaker);
      known.set(speaker, newest(mine.add(conversationId), ofEach));
      newest(known, people);
    },
    remove(speaker: string, conversationId: string): void {
      known.get(speaker)?.delete(conversationId);
    },
  };
}

/** Deletes the oldest above `max`. */
function newest<Kept extends Set<string> | Map<string, unknown>>(kept: Kept, max: number): Kept {
  for (const one of kept.keys()) {
    if (kept.size <= max) break;
    kept.delete(one);
  }
  return kept;
}
