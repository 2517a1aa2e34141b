import type { FloorEvent } from "@plenary/protocol";
import { type Draft, later, type Origin, write } from "../decision-builder.ts";
import { signatureOf } from "../delivery/conversant-listing.ts";
import { beginBatch, outgoing } from "../delivery/outgoing-envelopes.ts";
import { resolve, viewFor } from "../delivery/recipients.ts";
import type { DeliveryFact } from "../entry.ts";
import { refuse } from "../events/refuse.ts";
import { convenerOf, type Floor, type Parked, type Seat, seatOf } from "../floor.ts";
import type { Because } from "../rules.ts";

/** Envelopes of one sender that may wait for the convener. */
export const parkedMax = 64;

type Delegation = { event: FloorEvent; delivery: DeliveryFact; until: string };

/** Spec 2.2: alone, in its own envelope, to the convener; what follows waits for the answer. */
export function delegate(
  draft: Draft,
  origin: Origin,
  event: FloorEvent,
  rest: readonly FloorEvent[],
  because: Because,
): void {
  const { floor } = draft;
  const convener = seatOf(floor, convenerOf(floor) ?? "");
  if (convener === undefined) throw new Error("only a floor with a convener delegates");
  const { speakerUri, serviceUrl } = convener.identification;
  const view = shownToConvener(floor, event, convener, origin);
  const out = outgoing(draft, origin, signatureOf(floor, origin.speakerUri));
  const flags = { isInvite: false, isDelegation: true };
  const { delivery: id } = beginBatch(draft, out, { speakerUri, serviceUrl }, view, flags);
  const until = later(draft.now, floor.options.convenerDeadlineMs);
  draft.effects.push({ kind: "timer", id: `delegation:${id}`, at: until });
  park(draft, origin, rest, because, { event, delivery: { id, to: speakerUri }, until });
}

/** D10': the history that the invitee would get. Whispers in it are for the two they were between. */
function shownToConvener(floor: Floor, event: FloorEvent, convener: Seat, origin: Origin): FloorEvent {
  const { withheld, whispered = [] } = origin;
  return viewFor(event, true, resolve(floor, event.to).includes(convener) ? withheld : [...withheld, ...whispered]);
}

type WaitingFacts = Pick<Origin, "whispered" | "boundElsewhere" | "moved" | "whisperer">;

/** What the shell found that counts when the rest takes effect. */
function factsOf({ whispered, boundElsewhere, moved, whisperer }: WaitingFacts): WaitingFacts {
  return {
    ...(whispered && { whispered }),
    ...(boundElsewhere && { boundElsewhere }),
    ...(moved && { moved }),
    ...(whisperer !== undefined && { whisperer }),
  };
}

/** The sender alone may see it: what waits may hold whispers, and the convener is sent what it is asked about. */
export function park(
  draft: Draft,
  origin: Origin,
  rest: readonly FloorEvent[],
  because: Because,
  delegation?: Delegation,
): void {
  const { speakerUri: sender, turn, depth, causedBy, withheld, isAddressed = false } = origin;
  const about = { causedBy, audience: [sender], sender, rest, withheld, ...factsOf(origin), depth, isAddressed };
  write(draft, turn, { kind: "parked", because, ...about, ...delegation });
}

/** Takes a parked envelope up again. Undefined when its sender has left meanwhile: then nothing of it has an effect. */
export function unpark(draft: Draft, parked: Parked, because: Because): Origin | undefined {
  const { sender, turn, depth, isAddressed, withheld, seq, delegated, rest } = parked;
  write(draft, turn, { kind: "unparked", because, causedBy: seq, audience: [sender], parkedSeq: seq });
  const origin = { speakerUri: sender, turn, depth, causedBy: seq, isAddressed, withheld, ...factsOf(parked) };
  const seat = seatOf(draft.floor, sender);
  // Whoever left and came back starts anew.
  if (seat !== undefined && seat.since < seq) return origin;
  for (const event of delegated === undefined ? rest : [delegated, ...rest]) {
    refuse(draft, origin, event, { because: "guard/not-seated", problem: "the sender has left" });
  }
  return undefined;
}
