import { createHmac, timingSafeEqual } from "node:crypto";
import { type Floor, openDelivery, seatNamed, seatOf } from "@plenary/floor";
import { type Envelope, isPrivate, isRecord, isSameAddress } from "@plenary/protocol";
import { Problem } from "../errors.ts";
import type { ConversationLog } from "../ports/conversation-log.ts";
import type { FloorIdentity } from "../ports/outbound.ts";
import type { Principal } from "../ports/principal.ts";
import { speakerAt } from "../ports/speaker-uri.ts";
import type { JsonText } from "./decode.ts";
import { beginningOf, seqIn } from "./log-lookup.ts";

type NamedDelivery = { conversationId: string; delivery: string };

/**
 * Delivery ids are counted per conversation; this id is unique in all conversations, so agents can use it to detect
 * repetitions. It is a secret of the recipient: an agent without a credential can use it to answer later (D22).
 */
export function webhookId({ conversationId, delivery }: NamedDelivery, deliverySecret: string): string {
  const text = JSON.stringify([conversationId, delivery]);
  return `${createHmac("sha256", deliverySecret).update(text).digest("base64url")}:${delivery}`;
}

/** The delivery that `In-Reply-To` names, with or without the secret part before it. */
export function deliveryIn(inReplyTo: string): string {
  return inReplyTo.slice(inReplyTo.lastIndexOf(":") + 1).trim();
}

type ReplyContext = { self: FloorIdentity; deliverySecret: string };

type ReplySender = { principal: Principal; inReplyTo?: string };

/** Delivery ids can be guessed: a sender without a credential needs the secret id that only the recipient received. */
export function deliveryOf(context: ReplyContext, conversationId: string, from: ReplySender): string | undefined {
  const { inReplyTo, principal } = from;
  if (inReplyTo === undefined) return undefined;
  if (principal.kind !== "recipient" || isProved(context, conversationId, inReplyTo)) return deliveryIn(inReplyTo);
  throw notSent();
}

function notSent(): Problem {
  return new Problem("unauthorized", { detail: "In-Reply-To is not a webhook-id that was sent for this conversation" });
}

/** A document may have other keys besides the envelope; at most this many are searched. */
const rootsMax = 8;

/** Runs before the envelope is decoded: for a sender without proof the floor reads only the conversation id. */
export function assertRecipientOf(context: ReplyContext, { json }: JsonText, inReplyTo: string): void {
  // Decoding the envelope reports the error in the JSON.
  if (!json.ok) return;
  const roots = isRecord(json.value) ? Object.values(json.value).slice(0, rootsMax) : [];
  const isSent = roots.some((root) => {
    const conversation = isRecord(root) ? root.conversation : undefined;
    const id = isRecord(conversation) ? conversation.id : undefined;
    return typeof id === "string" && isProved(context, id, inReplyTo);
  });
  if (!isSent) throw notSent();
}

export function isProved(context: ReplyContext, conversationId: string, inReplyTo: string): boolean {
  const delivered = { conversationId, delivery: deliveryIn(inReplyTo) };
  const expected = Buffer.from(webhookId(delivered, context.deliverySecret));
  const given = Buffer.from(inReplyTo.trim());
  return given.length === expected.length && timingSafeEqual(given, expected);
}

type LateRecipient = { speakerUri: string; whisperer?: string };

/**
 * The recipient of a delivery that is no longer open, if its address has not changed since; `whisperer` where the
 * delivery held a private utterance. Undefined where `inReplyTo` is not the secret id of that delivery.
 */
export async function lateRecipient(
  context: ReplyContext & { log: Pick<ConversationLog, "entries"> },
  floor: Floor,
  inReplyTo: string,
): Promise<LateRecipient | undefined> {
  const delivery = deliveryIn(inReplyTo);
  const seq = seqIn(delivery);
  if (!isProved(context, floor.id, inReplyTo) || !(seq >= 1)) return undefined;
  const entries = await context.log.entries(floor.id, { after: seq - 1, limit: eventsOfDeliveryMax });
  const delivered = entries.flatMap((entry) => {
    const to = entry.kind === "event" ? entry.deliveries.find(({ id }) => id === delivery)?.to : undefined;
    return entry.kind !== "event" || to === undefined ? [] : [{ to, event: entry.event, sender: entry.sender }];
  });
  const seat = seatOf(floor, delivered[0]?.to ?? "");
  if (seat === undefined || seq < seat.since || seq < (seat.movedAt ?? 0)) return undefined;
  const whisperer = delivered.find(({ event }) => isPrivate(event))?.sender;
  return { speakerUri: seat.identification.speakerUri, ...(whisperer !== undefined && { whisperer }) };
}

/** The events of one delivery are consecutive entries; an envelope has at most this many events. */
const eventsOfDeliveryMax = 64;

/** Without the secret id of a delivery, a sender may answer only what was sent to it. */
export function mayAnswer(
  context: ReplyContext,
  { inReplyTo = "" }: ReplySender,
  addressee: string,
  { sender, conversation }: Envelope,
) {
  return addressee === sender.speakerUri || isProved(context, conversation.id, inReplyTo);
}

/** A promise only where the log must be read: for a delivery that is no longer open. */
export function assertRecipient(
  context: ReplyContext & { log: Pick<ConversationLog, "entries"> },
  floor: Floor,
  from: ReplySender,
  envelope: Envelope,
  delivery: string,
): Promise<void> | undefined {
  const open = openDelivery(floor, delivery);
  const check = (to: string | undefined) => assertAddressee(context, { floor, from, envelope, open, to });
  if (open === undefined) return recipientInLog(context.log, floor, delivery).then(check);
  check(open.to);
  return undefined;
}

type RecipientCheck = {
  floor: Floor;
  from: ReplySender;
  envelope: Envelope;
  open: ReturnType<typeof openDelivery>;
  to: string | undefined;
};

function assertAddressee(context: ReplyContext, { floor, from, envelope, open, to }: RecipientCheck): void {
  const { speakerUri } = envelope.sender;
  const addressee = to === undefined ? undefined : seatOf(floor, to)?.identification;
  const sender = seatNamed(floor, speakerUri)?.identification;
  // A conversant at the same address may answer for it; no other conversant may.
  const isAnother =
    sender !== undefined &&
    addressee !== undefined &&
    sender.speakerUri !== addressee.speakerUri &&
    !isSameAddress(sender.serviceUrl, addressee.serviceUrl);
  if (isAnother) throw notSentTo();
  if (isProved(context, floor.id, from.inReplyTo ?? "")) return;
  // A conversant invited by its relay address alone has no other name here yet.
  const isRelayed =
    open !== undefined &&
    addressee !== undefined &&
    speakerAt(context.self.serviceUrl, addressee.serviceUrl) === speakerUri;
  if (isRelayed && open.asker === undefined) return;
  if (sender === undefined) throw new Problem("unknown-conversation");
  if (open === undefined || (open.asker === undefined && addressee?.speakerUri === speakerUri)) return;
  throw notSentTo();
}

function notSentTo(): Problem {
  return new Problem("forbidden", { detail: "the delivery in In-Reply-To was not sent to this sender" });
}

/** For a delivery that is no longer open. */
async function recipientInLog(log: Pick<ConversationLog, "entries">, { id }: Floor, delivery: string) {
  const entry = await beginningOf(log, id, delivery);
  return entry?.kind === "event" ? entry.deliveries.find((one) => one.id === delivery)?.to : undefined;
}
