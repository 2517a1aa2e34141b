import { type Envelope, type FloorEvent, isSameAddress, isSameUri } from "@plenary/protocol";
import { assignConvener, isChosenConvener } from "../convener/appoint-convener.ts";
import { asFloor, type DecisionBuilder, type Origin, write } from "../decision-builder.ts";
import { everyone, seatLike } from "../delivery/recipients.ts";
import { recordEvent } from "../events/record-event.ts";
import { convenerOf, type Floor, isGranted, type OpenDelivery, type Seat, seatNamed, seatOf } from "../floor.ts";
import type { Facts } from "../input.ts";
import { assignExpectedRoles } from "./roles.ts";
import { untrustedName } from "./speaker-binding.ts";

/** D14: any answer of an invited conversant but declineInvite joins it, also an empty one. */
export function join(builder: DecisionBuilder, origin: Origin, events: readonly FloorEvent[]): "joined" | undefined {
  const seat = seatOf(builder.floor, origin.speakerUri);
  if (seat === undefined || events.some(({ eventType }) => eventType === "declineInvite")) return undefined;
  const isNew = seat.state === "invited";
  // A conversant that is invited again for a role accepts explicitly.
  if (!isNew && !(seat.expectedRoles && events.some(({ eventType }) => eventType === "acceptInvite"))) return undefined;
  const { turn, causedBy } = origin;
  const { expectedRoles: _, ...others } = seat;
  const joined: Seat = { ...others, state: "joined" };
  const because = isNew ? "1.14/joined-by-answering" : "1.12/expected-role";
  write(builder, turn, { kind: "seated", because, causedBy, audience: everyone(builder.floor), seat: joined });
  if (isNew) onJoined(builder, origin, seat);
  assignExpectedRoles(builder, origin, seat);
  return isNew ? "joined" : undefined;
}

/** After an agent joined: asks for its manifest and gives it the convener role if it was chosen (D12, D14). */
function onJoined(builder: DecisionBuilder, origin: Origin, seat: Seat): void {
  const { speakerUri, serviceUrl } = seat.identification;
  builder.effects.push({ kind: "askManifest", speakerUri, serviceUrl });
  if (isChosenConvener(builder.floor, seat)) assignConvener(builder, origin, "convener/chosen", speakerUri);
}

/**
 * The seat that answers: the recipient of the delivery, or another agent at the same address. Only the invited agent
 * answers an invite, and only the convener a delegation.
 */
export function answeringSeat(floor: Floor, open: OpenDelivery, claimed: string): Seat | undefined {
  const receiver = seatOf(floor, open.to);
  const other = seatNamed(floor, claimed);
  if (receiver === undefined || other?.kind !== "agent" || open.isDelegation) return receiver;
  if (open.isInvite && receiver.state === "invited") return receiver;
  return isSameAddress(receiver.identification.serviceUrl, other.identification.serviceUrl) ? other : receiver;
}

/** True for a speaker that shared the address when the delivery went out, and has left or moved since. */
export function isLateSharer(floor: Floor, { to, also = [] }: OpenDelivery, claimed: string): boolean {
  if (!also.some((one) => isSameUri(one.to, claimed))) return false;
  const [receiver, other] = [seatOf(floor, to), seatOf(floor, claimed)].map((seat) => seat?.identification.serviceUrl);
  return receiver !== undefined && (other === undefined || !isSameAddress(receiver, other));
}

/** The speakerUri that answers: the seat's own, or the invited agent's own name (spec 1.12). Undefined for an impersonation. */
export function answererOf(
  builder: DecisionBuilder,
  envelope: Envelope,
  open: OpenDelivery,
  seat: Seat,
): string | undefined {
  const { floor } = builder;
  const { speakerUri } = seat.identification;
  const claimed = envelope.sender.speakerUri;
  if (isSameUri(claimed, speakerUri) || seatOf(floor, claimed) === seat) return speakerUri;
  if (seat.state !== "invited" || !isFree(floor, claimed)) return undefined;
  write(builder, open.turn, {
    kind: "renamed",
    because: "1.12/other-speaker-uri",
    audience: [...everyone(floor), claimed],
    from: speakerUri,
    to: claimed,
    identification: { ...seat.identification, speakerUri: claimed },
  });
  return claimed;
}

/** The name of a newcomer that is trusted at another address. Both its names count: the one it was invited by stays an alias. */
export function untrustedNewcomer(
  floor: Floor,
  seat: Seat,
  claimed: string,
  facts: Facts | undefined,
): string | undefined {
  if (seat.state !== "invited" || isPerson(floor, claimed)) return undefined;
  const { speakerUri, serviceUrl } = seat.identification;
  const { boundElsewhere = [], moved = [] } = facts ?? {};
  // An agent that moved proves it by answering under that name.
  const unproved = moved.filter((name) => !isSameUri(name, claimed));
  return untrustedName(floor, [claimed, speakerUri], serviceUrl, [...boundElsewhere, ...unproved]);
}

/** Taking the name of a person who is here is impersonation, not a change of address: the owner is not asked. */
function isPerson(floor: Floor, claimed: string): boolean {
  return (seatOf(floor, claimed) ?? seatLike(floor, claimed))?.kind === "person";
}

export function isFree(floor: Floor, speakerUri: string): boolean {
  if (isSameUri(speakerUri, floor.self.speakerUri)) return false;
  return seatOf(floor, speakerUri) === undefined && seatLike(floor, speakerUri) === undefined;
}

/**
 * D23: some agents wait for grantFloor before they speak. One that accepted without an utterance is
 * sent it once, and only to it: nothing changes for others. With a convener, the convener grants the floor.
 */
export function grantNewcomer(builder: DecisionBuilder, origin: Origin, events: readonly FloorEvent[]): void {
  const { floor } = builder;
  const seat = seatOf(floor, origin.speakerUri);
  const types = events.map(({ eventType }) => eventType);
  if (!types.includes("acceptInvite") || types.includes("utterance")) return;
  // 0.9 has no such event.
  if (seat === undefined || seat.dialect === "0.9" || convenerOf(floor) !== undefined) return;
  const { speakerUri } = seat.identification;
  if (!isGranted(floor, speakerUri)) return;
  const event: FloorEvent = { eventType: "grantFloor", to: { speakerUri } };
  const facts = { target: speakerUri, recipients: [seat] };
  recordEvent(builder, asFloor(builder, origin), event, "2.1/granted-on-joining", facts);
}
