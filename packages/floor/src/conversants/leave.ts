import { type FloorEvent, isSameAddress } from "@plenary/protocol";
import { asFloor, type Draft, type Origin, write } from "../decision-builder.ts";
import { abort, isOnlyFor, underWay } from "../delivery/outgoing-envelopes.ts";
import { everyone } from "../delivery/recipients.ts";
import { record } from "../events/record-event.ts";
import { ownerOf, type Seat } from "../floor.ts";
import type { Because } from "../rules.ts";
import { passInvite } from "./invite.ts";

/** The one that goes still hears it; then it is gone at once from every list (spec 2.2). */
export function passRemoval(
  draft: Draft,
  origin: Origin,
  event: FloorEvent,
  because: Because,
  leaver: Seat | undefined,
): void {
  if (leaver === undefined) {
    record(draft, origin, event, because);
    return;
  }
  const { speakerUri } = leaver.identification;
  const wasOwner = ownerOf(draft.floor) === speakerUri;
  record(draft, origin, event, because, { target: speakerUri, aborts: stop(draft, speakerUri) });
  if (wasOwner) passOwnership(draft, origin);
  afterLeaving(draft, origin, leaver);
}

function stop(draft: Draft, speakerUri: string): string[] {
  const aborts = underWay(draft, (open) => isOnlyFor(open, speakerUri));
  abort(draft, aborts);
  return aborts;
}

/** D20: the longest-seated person takes over. */
function passOwnership(draft: Draft, { turn, causedBy }: Origin): void {
  const heir = draft.floor.conversants.find((seat) => seat.kind === "person");
  if (heir === undefined) return;
  const { speakerUri } = heir.identification;
  const audience = everyone(draft.floor);
  write(draft, turn, { kind: "role", role: "owner", speakerUri, because: "owner/passed-on", causedBy, audience });
}

function afterLeaving(draft: Draft, origin: Origin, leaver: Seat): void {
  const { conversants, options } = draft.floor;
  const hasPerson = conversants.some((seat) => seat.kind === "person");
  if (conversants.length === 0 || (leaver.kind === "person" && !hasPerson)) {
    closeFloor(draft, origin, "ending/nobody-left");
  } else if (options.favoriteAgent !== undefined && hasPerson) {
    inviteBack(draft, origin, leaver, options.favoriteAgent);
  }
}

/** D20, the specification's "go back": the last agent has gone, and somebody is still there to talk to. */
function inviteBack(draft: Draft, origin: Origin, leaver: Seat, favoriteAgent: string): void {
  const hasAgent = draft.floor.conversants.some((seat) => seat.kind === "agent");
  if (hasAgent || isSameAddress(leaver.identification.serviceUrl, favoriteAgent)) return;
  const invite = { eventType: "invite" as const, to: { serviceUrl: favoriteAgent } };
  passInvite(draft, asFloor(draft, origin), invite, "ending/favorite-agent");
}

/** Every agent left is uninvited, and nothing more is taken. People keep their seats: they may read on. */
export function closeFloor(
  draft: Draft,
  origin: Origin,
  because: Because,
  reason = "the conversation has ended",
): void {
  const { turn, causedBy } = origin;
  for (const seat of draft.floor.conversants.filter(({ kind }) => kind === "agent")) {
    const { speakerUri } = seat.identification;
    const event: FloorEvent = { eventType: "uninvite", to: { speakerUri }, reason };
    const facts = { target: speakerUri, aborts: stop(draft, speakerUri), recipients: [seat] };
    record(draft, asFloor(draft, origin), event, because, facts);
  }
  write(draft, turn, { kind: "closed", because, causedBy, audience: everyone(draft.floor) });
}
