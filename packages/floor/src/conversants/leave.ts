import { type FloorEvent, isSameAddress } from "@plenary/protocol";
import { asFloor, type DecisionBuilder, type Origin, write } from "../decision-builder.ts";
import { abort, deliveriesInFlight, isOnlyFor } from "../delivery/outgoing-envelopes.ts";
import { everyone } from "../delivery/recipients.ts";
import { recordEvent } from "../events/record-event.ts";
import { ownerOf, type Seat } from "../floor.ts";
import type { Because } from "../rules.ts";
import { inviteConversant } from "./invite.ts";

/** The leaver still receives the event; then it is removed from every list at once (spec 2.2). */
export function removeConversant(
  builder: DecisionBuilder,
  origin: Origin,
  event: FloorEvent,
  because: Because,
  leaver: Seat | undefined,
): void {
  if (leaver === undefined) {
    recordEvent(builder, origin, event, because);
    return;
  }
  const { speakerUri } = leaver.identification;
  const wasOwner = ownerOf(builder.floor) === speakerUri;
  recordEvent(builder, origin, event, because, { target: speakerUri, aborts: stop(builder, speakerUri) });
  if (wasOwner) passOwnership(builder, origin);
  afterLeaving(builder, origin, leaver);
}

function stop(builder: DecisionBuilder, speakerUri: string): string[] {
  const aborts = deliveriesInFlight(builder, (open) => isOnlyFor(open, speakerUri));
  abort(builder, aborts);
  return aborts;
}

/** D20: the longest-seated person becomes the owner. */
function passOwnership(builder: DecisionBuilder, { turn, causedBy }: Origin): void {
  const heir = builder.floor.conversants.find((seat) => seat.kind === "person");
  if (heir === undefined) return;
  const { speakerUri } = heir.identification;
  const audience = everyone(builder.floor);
  write(builder, turn, { kind: "role", role: "owner", speakerUri, because: "owner/passed-on", causedBy, audience });
}

function afterLeaving(builder: DecisionBuilder, origin: Origin, leaver: Seat): void {
  const { conversants, options } = builder.floor;
  const hasPerson = conversants.some((seat) => seat.kind === "person");
  if (conversants.length === 0 || (leaver.kind === "person" && !hasPerson)) {
    closeFloor(builder, origin, "ending/nobody-left");
  } else if (options.favoriteAgent !== undefined && hasPerson) {
    inviteBack(builder, origin, leaver, options.favoriteAgent);
  }
}

/** D20, the specification's "go back": the last agent has left and a person is still here. */
function inviteBack(builder: DecisionBuilder, origin: Origin, leaver: Seat, favoriteAgent: string): void {
  const hasAgent = builder.floor.conversants.some((seat) => seat.kind === "agent");
  if (hasAgent || isSameAddress(leaver.identification.serviceUrl, favoriteAgent)) return;
  const invite = { eventType: "invite" as const, to: { serviceUrl: favoriteAgent } };
  inviteConversant(builder, asFloor(builder, origin), invite, "ending/favorite-agent");
}

/** Uninvites every agent and ends the conversation. People keep their seats, so they can read it. */
export function closeFloor(
  builder: DecisionBuilder,
  origin: Origin,
  because: Because,
  reason = "the conversation has ended",
): void {
  const { turn, causedBy } = origin;
  for (const seat of builder.floor.conversants.filter(({ kind }) => kind === "agent")) {
    const { speakerUri } = seat.identification;
    const event: FloorEvent = { eventType: "uninvite", to: { speakerUri }, reason };
    const facts = { target: speakerUri, aborts: stop(builder, speakerUri), recipients: [seat] };
    recordEvent(builder, asFloor(builder, origin), event, because, facts);
  }
  write(builder, turn, { kind: "closed", because, causedBy, audience: everyone(builder.floor) });
}
