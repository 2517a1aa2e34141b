import { type Envelope, type FloorEvent, isSameUri } from "@plenary/protocol";
import { giveChair, isChosen } from "./appoint.ts";
import { foreignName } from "./bound.ts";
import { type Draft, type Origin, write } from "./draft.ts";
import { type Floor, type OpenDelivery, type Seat, seatOf } from "./floor.ts";
import type { Facts } from "./input.ts";
import { everyone, seatLike } from "./recipients.ts";

/** D14: whatever an invited conversant says but declineInvite makes it join, even nothing at all. */
export function join(draft: Draft, origin: Origin, events: readonly FloorEvent[]): void {
  const { speakerUri, turn, causedBy } = origin;
  const seat = seatOf(draft.floor, speakerUri);
  if (seat?.state !== "invited" || events.some(({ eventType }) => eventType === "declineInvite")) return;
  const because = "1.14/joined-by-answering";
  const audience = everyone(draft.floor);
  write(draft, turn, { kind: "seated", because, causedBy, audience, seat: { ...seat, state: "joined" } });
  makeKnown(draft, origin, seat);
}

/** Joining makes the agent known: its manifest is asked for, and the role promised to it is given (D12, D14). */
function makeKnown(draft: Draft, origin: Origin, seat: Seat): void {
  const { speakerUri, serviceUrl } = seat.identification;
  draft.effects.push({ kind: "askManifest", speakerUri, serviceUrl });
  if (isChosen(draft.floor, seat)) giveChair(draft, origin, "convener/chosen", speakerUri);
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
  if (seat.state !== "invited") return undefined;
  const { speakerUri, serviceUrl } = seat.identification;
  return foreignName(floor, [claimed, speakerUri], serviceUrl, facts?.boundElsewhere);
}

export function isFree(floor: Floor, speakerUri: string): boolean {
  if (isSameUri(speakerUri, floor.self.speakerUri)) return false;
  return seatOf(floor, speakerUri) === undefined && seatLike(floor, speakerUri) === undefined;
}
