import type { FloorEvent } from "@plenary/protocol";
import { type DecisionBuilder, later, type Origin, write } from "../decision-builder.ts";
import { signatureOf } from "../delivery/conversant-listing.ts";
import { outgoingContext, startEnvelope } from "../delivery/outgoing-envelopes.ts";
import { resolve, viewFor } from "../delivery/recipients.ts";
import type { DeliveryFact } from "../entry.ts";
import { refuse } from "../events/refuse.ts";
import { convenerOf, type Floor, type Parked, type Seat, seatOf } from "../floor.ts";
import type { Because } from "../rules.ts";

/** Limit of parked envelopes per sender. */
export const parkedMax = 64;

type Delegation = { event: FloorEvent; delivery: DeliveryFact; until: string };

/** Spec 2.2: sends one event to the convener in its own envelope and parks the events after it. */
export function delegate(
  builder: DecisionBuilder,
  origin: Origin,
  event: FloorEvent,
  rest: readonly FloorEvent[],
  because: Because,
): void {
  const { floor } = builder;
  const convener = seatOf(floor, convenerOf(floor) ?? "");
  if (convener === undefined) throw new Error("only a floor with a convener delegates");
  const { speakerUri, serviceUrl } = convener.identification;
  const view = shownToConvener(floor, event, convener, origin);
  const out = outgoingContext(builder, origin, signatureOf(floor, origin.speakerUri));
  const flags = { isInvite: false, isDelegation: true };
  const { delivery: id } = startEnvelope(builder, out, { speakerUri, serviceUrl }, view, flags);
  const until = later(builder.now, floor.options.convenerDeadlineMs);
  builder.effects.push({ kind: "timer", id: `delegation:${id}`, at: until });
  park(builder, origin, rest, because, { event, delivery: { id, to: speakerUri }, until });
}

/** D10': with the history that the invitee would get, without whispers that the convener had no part in. */
function shownToConvener(floor: Floor, event: FloorEvent, convener: Seat, origin: Origin): FloorEvent {
  const { withheld, whispered = [] } = origin;
  return viewFor(event, true, resolve(floor, event.to).includes(convener) ? withheld : [...withheld, ...whispered]);
}

type WaitingFacts = Pick<Origin, "whispered" | "boundElsewhere" | "moved" | "whisperer">;

/** The facts that are needed when the parked events take effect. */
function waitingFacts({ whispered, boundElsewhere, moved, whisperer }: WaitingFacts): WaitingFacts {
  return {
    ...(whispered && { whispered }),
    ...(boundElsewhere && { boundElsewhere }),
    ...(moved && { moved }),
    ...(whisperer !== undefined && { whisperer }),
  };
}

/** Only the sender sees the entry: parked events may hold whispers. */
export function park(
  builder: DecisionBuilder,
  origin: Origin,
  rest: readonly FloorEvent[],
  because: Because,
  delegation?: Delegation,
): void {
  const { speakerUri: sender, turn, depth, causedBy, withheld, isAddressed = false } = origin;
  const about = { causedBy, audience: [sender], sender, rest, withheld, ...waitingFacts(origin), depth, isAddressed };
  write(builder, turn, { kind: "parked", because, ...about, ...delegation });
}

/** Resumes a parked envelope. Undefined when its sender has left meanwhile: then its events are refused. */
export function unpark(builder: DecisionBuilder, parked: Parked, because: Because): Origin | undefined {
  const { sender, turn, depth, isAddressed, withheld, seq, delegated, rest } = parked;
  write(builder, turn, { kind: "unparked", because, causedBy: seq, audience: [sender], parkedSeq: seq });
  const origin = { speakerUri: sender, turn, depth, causedBy: seq, isAddressed, withheld, ...waitingFacts(parked) };
  const seat = seatOf(builder.floor, sender);
  // A sender that left and came back starts anew.
  if (seat !== undefined && seat.since < seq) return origin;
  for (const event of delegated === undefined ? rest : [delegated, ...rest]) {
    refuse(builder, origin, event, { because: "guard/not-seated", problem: "the sender has left" });
  }
  return undefined;
}
