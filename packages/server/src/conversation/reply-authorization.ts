import { type Floor, openDelivery, seatNamed, seatOf } from "@plenary/floor";
import { type Envelope, isPrivate, isRecord, isSameAddress, readJson } from "@plenary/protocol";
import { Problem } from "../errors.ts";
import type { Self } from "../ports/outbound.ts";
import type { Principal } from "../ports/principal.ts";
import type { FloorStore } from "../ports/store.ts";
import { deliveryIn, isWebhookId } from "./delivery-id.ts";
import { beginningOf } from "./pending-replies.ts";
import { speakerAt } from "./relay-address.ts";

type Shell = { self: () => Self; deliverySecret: () => string };

type Answerer = { principal: Principal; inReplyTo?: string };

/** Delivery ids can be counted through: without a credential it takes the name that only its recipient was told. */
export function deliveryOf(shell: Shell, conversationId: string, from: Answerer): string | undefined {
  const { inReplyTo, principal } = from;
  if (inReplyTo === undefined) return undefined;
  if (principal.kind !== "recipient" || isProved(shell, conversationId, inReplyTo)) return deliveryIn(inReplyTo);
  throw notSent();
}

function notSent(): Problem {
  return new Problem("unauthorized", { detail: "In-Reply-To is no webhook-id that was sent for this conversation" });
}

/** A document may hold other keys beside the envelope; it is looked for among so many. */
const rootsMax = 8;

/** Runs before the envelope is read: a sender without proof costs only the reading of the conversation id. */
export function assertRecipientOf(shell: Shell, text: string, inReplyTo: string): void {
  const json = readJson(text);
  // The reader of the envelope reports what is wrong with the JSON.
  if (!json.ok) return;
  const roots = isRecord(json.value) ? Object.values(json.value).slice(0, rootsMax) : [];
  const isSent = roots.some((root) => {
    const conversation = isRecord(root) ? root.conversation : undefined;
    const id = isRecord(conversation) ? conversation.id : undefined;
    return typeof id === "string" && isProved(shell, id, inReplyTo);
  });
  if (!isSent) throw notSent();
}

export function isProved(shell: Shell, conversationId: string, inReplyTo: string): boolean {
  return isWebhookId(inReplyTo, { conversationId, delivery: deliveryIn(inReplyTo) }, shell.deliverySecret());
}

type Late = { speakerUri: string; whisperer?: string };

/**
 * The recipient of a delivery that is no longer awaited, if it is still reached at the address of then; `whisperer` where
 * the delivery held a private utterance. Undefined where `inReplyTo` is not the secret name of that delivery.
 */
export async function lateRecipient(
  shell: Shell & { store: Pick<FloorStore, "entries"> },
  floor: Floor,
  inReplyTo: string,
): Promise<Late | undefined> {
  const delivery = deliveryIn(inReplyTo);
  const seq = Number(/^d(\d+)\./u.exec(delivery)?.[1]);
  if (!isProved(shell, floor.id, inReplyTo) || !(seq >= 1)) return undefined;
  const entries = await shell.store.entries(floor.id, { after: seq - 1, limit: eventsOfDeliveryMax });
  const delivered = entries.flatMap((entry) => {
    const to = entry.kind === "event" ? entry.deliveries.find(({ id }) => id === delivery)?.to : undefined;
    return entry.kind !== "event" || to === undefined ? [] : [{ to, event: entry.event, sender: entry.sender }];
  });
  const seat = seatOf(floor, delivered[0]?.to ?? "");
  if (seat === undefined || seq < seat.since || seq < (seat.movedAt ?? 0)) return undefined;
  const whisperer = delivered.find(({ event }) => isPrivate(event))?.sender;
  return { speakerUri: seat.identification.speakerUri, ...(whisperer !== undefined && { whisperer }) };
}

/** The events of one delivery follow each other in the log; an envelope has no more of them. */
const eventsOfDeliveryMax = 64;

/** Whoever cannot name a delivery as only its recipient can, answers what was sent to itself and nothing else. */
export function mayAnswer(
  shell: Shell,
  { inReplyTo = "" }: Answerer,
  addressee: string,
  { sender, conversation }: Envelope,
) {
  return addressee === sender.speakerUri || isProved(shell, conversation.id, inReplyTo);
}

export async function assertRecipient(
  shell: Shell & { store: Pick<FloorStore, "entries"> },
  floor: Floor,
  from: Answerer,
  envelope: Envelope,
  delivery: string,
): Promise<void> {
  const { speakerUri } = envelope.sender;
  const open = openDelivery(floor, delivery);
  const to = open?.to ?? (await recipientInLog(shell.store, floor, delivery));
  const addressee = to === undefined ? undefined : seatOf(floor, to)?.identification;
  const sender = seatNamed(floor, speakerUri)?.identification;
  // A conversant at the same address may answer for it; no other conversant may.
  const isAnother =
    sender !== undefined &&
    addressee !== undefined &&
    sender.speakerUri !== addressee.speakerUri &&
    !isSameAddress(sender.serviceUrl, addressee.serviceUrl);
  if (isAnother) throw notSentTo();
  if (isProved(shell, floor.id, from.inReplyTo ?? "")) return;
  // Invited by its relay address alone, it has no other name here yet.
  const isRelayed =
    open !== undefined &&
    addressee !== undefined &&
    speakerAt(shell.self().serviceUrl, addressee.serviceUrl) === speakerUri;
  if (isRelayed && open.asker === undefined) return;
  if (sender === undefined) throw new Problem("unknown-conversation");
  if (open === undefined || (open.asker === undefined && addressee?.speakerUri === speakerUri)) return;
  throw notSentTo();
}

function notSentTo(): Problem {
  return new Problem("forbidden", { detail: "what In-Reply-To names was not sent to this sender" });
}

/** Of a delivery that is no longer open: a delivery is named after the entry that it began with. */
async function recipientInLog(store: Pick<FloorStore, "entries">, { id }: Floor, delivery: string) {
  const entry = await beginningOf(store, id, delivery);
  return entry?.kind === "event" ? entry.deliveries.find((one) => one.id === delivery)?.to : undefined;
}
