import { type FloorEvent, isSameAddress } from "@plenary/protocol";
import { passInvite } from "../conversants/invite.ts";
import { asFloor, type Draft, type Origin, write } from "../decision-builder.ts";
import { everyone } from "../delivery/recipients.ts";
import type { Refusal } from "../effect.ts";
import { record } from "../events/record-event.ts";
import { isOwn, noRoom } from "../events/validate-event.ts";
import { convenerOf, type Floor, type Seat, seatOf, seatsAt } from "../floor.ts";
import type { Command } from "../input.ts";
import type { Because } from "../rules.ts";

type Refused = (Refusal & { because: Because }) | undefined;
type Appointment = Extract<Command, { verb: "convener" }>;

/** D12: the role is given to whom the owner names, and taken when nobody is named. */
export function appoint(draft: Draft, origin: Origin, because: Because, named: Appointment): Refused {
  const { speakerUri, serviceUrl } = named;
  if (serviceUrl !== undefined) return appointAt(draft, origin, because, serviceUrl);
  if (speakerUri !== undefined) return appointNamed(draft, origin, because, speakerUri);
  const former = convenerOf(draft.floor);
  choose(draft, origin, because, undefined);
  write(draft, origin.turn, { kind: "role", role: "convener", because, audience: everyone(draft.floor) });
  // Else it would go on chairing until it hears of something.
  if (former !== undefined) tell(draft, origin, former, "you convene no longer", [former]);
  return undefined;
}

function appointNamed(draft: Draft, origin: Origin, because: Because, named: string): Refused {
  const seat = seatOf(draft.floor, named);
  if (seat === undefined) {
    return { because: "command/convener/unknown", status: 404, problem: "nobody here has this speakerUri" };
  }
  const { speakerUri, openFloorRoles } = seat.identification;
  if (isUnfit(seat)) return unfit;
  if (openFloorRoles?.convener !== true) return notOffered;
  choose(draft, origin, because, undefined);
  giveChair(draft, origin, because, speakerUri);
  return undefined;
}

/** Whoever is not here is invited, and the convener before keeps the chair until it has come. */
function appointAt(draft: Draft, origin: Origin, because: Because, serviceUrl: string): Refused {
  const { floor } = draft;
  const [seat, other] = seatsAt(floor, serviceUrl);
  if (other !== undefined) return ambiguous;
  if (seat === undefined) {
    const objection = isOwn(serviceUrl, floor.self.serviceUrl) ? itself : noRoom(floor);
    if (objection !== undefined) return { ...objection, status: 422 };
  } else if (isUnfit(seat)) {
    return unfit;
  }
  if (seat?.state === "joined") {
    choose(draft, origin, because, undefined);
    giveChair(draft, origin, because, seat.identification.speakerUri);
    return undefined;
  }
  choose(draft, origin, because, serviceUrl);
  if (seat === undefined || !isOnItsWay(floor, seat)) {
    passInvite(draft, origin, { eventType: "invite", to: { serviceUrl } }, "convener/chosen");
  }
  return undefined;
}

/** People read the log and are sent nothing, so nothing could be delegated to them. */
function isUnfit({ kind, identification }: Seat): boolean {
  return kind === "person" || identification.openFloorRoles?.convener === false;
}

/** An invite that was stopped is sent again; one that is under way is not. */
function isOnItsWay({ open }: Floor, { identification: { speakerUri } }: Seat): boolean {
  return open.some(({ to, isInvite }) => isInvite && to === speakerUri);
}

/** Who is to convene once it joins: the newest choice is the only one. */
function choose(draft: Draft, { turn }: Origin, because: Because, serviceUrl: string | undefined): void {
  if (serviceUrl === draft.floor.options.convener) return;
  const audience = everyone(draft.floor);
  write(draft, turn, { kind: "chosen", because, audience, ...(serviceUrl !== undefined && { serviceUrl }) });
}

/** The one that was chosen has joined, and the chair is not with somebody from its address already. */
export function isChosen(floor: Floor, { identification }: Seat): boolean {
  const { convener: chosen } = floor.options;
  if (chosen === undefined || !isSameAddress(chosen, identification.serviceUrl)) return false;
  const chair = seatOf(floor, convenerOf(floor) ?? "");
  return chair === undefined || !isSameAddress(chair.identification.serviceUrl, chosen);
}

/** It is told at once: a convener that waits for the next event would leave the floor as it found it until then. */
export function giveChair(draft: Draft, origin: Origin, because: Because, speakerUri: string): void {
  const { floor } = draft;
  const former = convenerOf(floor);
  const audience = everyone(floor);
  write(draft, origin.turn, { kind: "role", role: "convener", because, audience, speakerUri });
  tell(draft, asFloor(draft, origin), speakerUri, "you convene now", [speakerUri, former]);
}

/**
 * Our choice (spec-notes): every envelope tells the roles, so those concerned are sent one. The floor that it gives is what
 * any newcomer is given. Everyone else learns of the roles with the next event.
 */
function tell(
  draft: Draft,
  origin: Origin,
  speakerUri: string,
  reason: string,
  concerned: readonly (string | undefined)[],
): void {
  const event: FloorEvent = { eventType: "grantFloor", to: { speakerUri }, reason };
  const recipients = draft.floor.conversants.filter(({ identification }) =>
    concerned.includes(identification.speakerUri),
  );
  record(draft, origin, event, "convener/told", { target: speakerUri, recipients });
}

const unfit = {
  because: "command/convener/unfit",
  status: 422,
  problem: "this conversant does not serve as a convener: name an agent that does",
} as const satisfies Refused;

const notOffered = {
  because: "command/convener/not-offered",
  status: 422,
  problem:
    "the manifest of this agent does not offer to convene (openFloorRoles.convener): name another, or name this one by its serviceUrl to appoint it all the same",
} as const satisfies Refused;

const ambiguous = {
  because: "1.8/ambiguous-addressee",
  status: 422,
  problem: "several conversants share this address: name one by speakerUri",
} as const satisfies Refused;

const itself = { because: "guard/self-invite", problem: "a floor does not convene itself" } as const;
