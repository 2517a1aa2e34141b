import { type Envelope, type FloorEvent, isSameAddress, isSameUri } from "@plenary/protocol";
import { giveChair, isChosen } from "../convener/appoint-convener.ts";
import { asFloor, type Draft, type Origin, write } from "../decision-builder.ts";
import { everyone, seatLike } from "../delivery/recipients.ts";
import { record } from "../events/record-event.ts";
import { convenerOf, type Floor, isGranted, type OpenDelivery, type Seat, seatNamed, seatOf } from "../floor.ts";
import type { Facts } from "../input.ts";
import { assignPromised } from "./roles.ts";
import { foreignName } from "./speaker-binding.ts";

/** D14: whatever an invited conversant says but declineInvite makes it join, even nothing at all. */
export function join(draft: Draft, origin: Origin, events: readonly FloorEvent[]): "joined" | undefined {
  const seat = seatOf(draft.floor, origin.speakerUri);
  if (seat === undefined || events.some(({ eventType }) => eventType === "declineInvite")) return undefined;
  const isNew = seat.state === "invited";
  // Somebody who is here and is invited again for a role says that it accepts.
  if (!isNew && !(seat.expectedRoles && events.some(({ eventType }) => eventType === "acceptInvite"))) return undefined;
  const { turn, causedBy } = origin;
  const { expectedRoles: _, ...others } = seat;
  const joined: Seat = { ...others, state: "joined" };
  const because = isNew ? "1.14/joined-by-answering" : "1.12/expected-role";
  write(draft, turn, { kind: "seated", because, causedBy, audience: everyone(draft.floor), seat: joined });
  if (isNew) makeKnown(draft, origin, seat);
  assignPromised(draft, origin, seat);
  return isNew ? "joined" : undefined;
}

/** Joining makes the agent known: its manifest is asked for, and the chair promised to it is given (D12, D14). */
function makeKnown(draft: Draft, origin: Origin, seat: Seat): void {
  const { speakerUri, serviceUrl } = seat.identification;
  draft.effects.push({ kind: "askManifest", speakerUri, serviceUrl });
  if (isChosen(draft.floor, seat)) giveChair(draft, origin, "convener/chosen", speakerUri);
}

/**
 * Whose answer it is: the conversant's that the delivery went to, or another agent's that is seated at the same address. An
 * invite is answered by the invited, a delegation by the convener.
 */
export function answeringSeat(floor: Floor, open: OpenDelivery, claimed: string): Seat | undefined {
  const receiver = seatOf(floor, open.to);
  const other = seatNamed(floor, claimed);
  if (receiver === undefined || other?.kind !== "agent" || open.isDelegation) return receiver;
  if (open.isInvite && receiver.state === "invited") return receiver;
  return isSameAddress(receiver.identification.serviceUrl, other.identification.serviceUrl) ? other : receiver;
}

/** It shared the address of a delivery when that went out, and has left since or moved. */
export function isLateSharer(floor: Floor, { to, also = [] }: OpenDelivery, claimed: string): boolean {
  if (!also.some((one) => isSameUri(one.to, claimed))) return false;
  const [receiver, other] = [seatOf(floor, to), seatOf(floor, claimed)].map((seat) => seat?.identification.serviceUrl);
  return receiver !== undefined && (other === undefined || !isSameAddress(receiver, other));
}

/** Who answers: the conversant itself, the invited under a name of its own (spec 1.12), or somebody it must not be. */
export function answererOf(draft: Draft, envelope: Envelope, open: OpenDelivery, seat: Seat): string | undefined {
  const { floor } = draft;
  const { speakerUri } = seat.identification;
  const claimed = envelope.sender.speakerUri;
  if (isSameUri(claimed, speakerUri) || seatOf(floor, claimed) === seat) return speakerUri;
  if (seat.state !== "invited" || !isFree(floor, claimed)) return undefined;
  write(draft, open.turn, {
    kind: "renamed",
    because: "1.12/other-speaker-uri",
    audience: [...everyone(floor), claimed],
    from: speakerUri,
    to: claimed,
    identification: { ...seat.identification, speakerUri: claimed },
  });
  return claimed;
}

/** The name under which somebody would join who has it at another address. Both count: the one it was invited by stays an alias. */
export function foreignNewcomer(
  floor: Floor,
  seat: Seat,
  claimed: string,
  facts: Facts | undefined,
): string | undefined {
  if (seat.state !== "invited" || isPerson(floor, claimed)) return undefined;
  const { speakerUri, serviceUrl } = seat.identification;
  const { boundElsewhere = [], moved = [] } = facts ?? {};
  // Who has moved proves it by answering under that very name.
  const unproved = moved.filter((name) => !isSameUri(name, claimed));
  return foreignName(floor, [claimed, speakerUri], serviceUrl, [...boundElsewhere, ...unproved]);
}

/** Nobody moves by taking the name of a person who is here: that is impersonation, and the owner is not asked about it. */
function isPerson(floor: Floor, claimed: string): boolean {
  return (seatOf(floor, claimed) ?? seatLike(floor, claimed))?.kind === "person";
}

export function isFree(floor: Floor, speakerUri: string): boolean {
  if (isSameUri(speakerUri, floor.self.speakerUri)) return false;
  return seatOf(floor, speakerUri) === undefined && seatLike(floor, speakerUri) === undefined;
}

/**
 * D23: some agents take an invite for a seat and wait for grantFloor before they speak. One that accepted without a word is
 * sent it once; nobody else is, because nothing changes for others. A convener decides about the floor itself.
 */
export function grantNewcomer(draft: Draft, origin: Origin, events: readonly FloorEvent[]): void {
  const { floor } = draft;
  const seat = seatOf(floor, origin.speakerUri);
  const types = events.map(({ eventType }) => eventType);
  if (!types.includes("acceptInvite") || types.includes("utterance")) return;
  // 0.9 has no such event.
  if (seat === undefined || seat.dialect === "0.9" || convenerOf(floor) !== undefined) return;
  const { speakerUri } = seat.identification;
  if (!isGranted(floor, speakerUri)) return;
  const event: FloorEvent = { eventType: "grantFloor", to: { speakerUri } };
  const facts = { target: speakerUri, recipients: [seat] };
  record(draft, asFloor(draft, origin), event, "2.1/granted-on-joining", facts);
}
