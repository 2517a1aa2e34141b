import { type FloorEvent, isSameAddress } from "@plenary/protocol";
import { unknownConversant } from "../commands/command-authority.ts";
import { inviteConversant } from "../conversants/invite.ts";
import { asFloor, type DecisionBuilder, type Origin, write } from "../decision-builder.ts";
import { everyone } from "../delivery/recipients.ts";
import type { CommandRefusal } from "../effect.ts";
import { recordEvent } from "../events/record-event.ts";
import { conversantLimit, isOwn } from "../events/validate-event.ts";
import { convenerOf, type Floor, type Seat, seatOf, seatsAt } from "../floor.ts";
import type { Command } from "../input.ts";
import type { Because } from "../rules.ts";

type Appointment = Extract<Command, { verb: "convener" }>;

/** D12: gives the role to the named conversant; without a name, takes it away. */
export function appointConvener(
  builder: DecisionBuilder,
  origin: Origin,
  because: Because,
  named: Appointment,
): CommandRefusal | undefined {
  const { speakerUri, serviceUrl } = named;
  if (serviceUrl !== undefined) return appointAt(builder, origin, because, serviceUrl);
  if (speakerUri !== undefined) return appointNamed(builder, origin, because, speakerUri);
  const former = convenerOf(builder.floor);
  setChosenConvener(builder, origin, because, undefined);
  write(builder, origin.turn, { kind: "role", role: "convener", because, audience: everyone(builder.floor) });
  // Otherwise it would act as convener until its next delivery.
  if (former !== undefined) notifyRoles(builder, origin, former, "you convene no longer", [former]);
  return undefined;
}

function appointNamed(
  builder: DecisionBuilder,
  origin: Origin,
  because: Because,
  named: string,
): CommandRefusal | undefined {
  const seat = seatOf(builder.floor, named);
  if (seat === undefined) return unknownConversant("command/convener/unknown");
  const { speakerUri, openFloorRoles } = seat.identification;
  if (isUnfit(seat)) return unfit;
  if (openFloorRoles?.convener !== true) return notOffered;
  setChosenConvener(builder, origin, because, undefined);
  assignConvener(builder, origin, because, speakerUri);
  return undefined;
}

/** An agent that is not here is invited. The former convener keeps the role until the new one has joined. */
function appointAt(
  builder: DecisionBuilder,
  origin: Origin,
  because: Because,
  serviceUrl: string,
): CommandRefusal | undefined {
  const { floor } = builder;
  const [seat, other] = seatsAt(floor, serviceUrl);
  if (other !== undefined) return ambiguous;
  if (seat === undefined) {
    const objection = isOwn(serviceUrl, floor.self.serviceUrl) ? itself : conversantLimit(floor);
    if (objection !== undefined) return { ...objection, status: 422 };
  } else if (isUnfit(seat)) {
    return unfit;
  }
  if (seat?.state === "joined") {
    setChosenConvener(builder, origin, because, undefined);
    assignConvener(builder, origin, because, seat.identification.speakerUri);
    return undefined;
  }
  setChosenConvener(builder, origin, because, serviceUrl);
  if (seat === undefined || !isOnItsWay(floor, seat)) {
    inviteConversant(builder, origin, { eventType: "invite", to: { serviceUrl } }, "convener/chosen");
  }
  return undefined;
}

/** People receive no deliveries, so nothing can be delegated to them. */
function isUnfit({ kind, identification }: Seat): boolean {
  return kind === "person" || identification.openFloorRoles?.convener === false;
}

/** A stopped invite is sent again; an open one is not. */
function isOnItsWay({ open }: Floor, { identification: { speakerUri } }: Seat): boolean {
  return open.some(({ to, isInvite }) => isInvite && to === speakerUri);
}

/** Sets the agent that becomes convener when it joins. */
function setChosenConvener(
  builder: DecisionBuilder,
  { turn }: Origin,
  because: Because,
  serviceUrl: string | undefined,
): void {
  if (serviceUrl === builder.floor.options.convener) return;
  const audience = everyone(builder.floor);
  write(builder, turn, { kind: "chosen", because, audience, ...(serviceUrl !== undefined && { serviceUrl }) });
}

/** True when the chosen agent joins and no agent from its address is convener already. */
export function isChosenConvener(floor: Floor, { identification }: Seat): boolean {
  const { convener: chosen } = floor.options;
  if (chosen === undefined || !isSameAddress(chosen, identification.serviceUrl)) return false;
  const chair = seatOf(floor, convenerOf(floor) ?? "");
  return chair === undefined || !isSameAddress(chair.identification.serviceUrl, chosen);
}

/** The new convener is notified at once: otherwise it would act only on the next event. */
export function assignConvener(builder: DecisionBuilder, origin: Origin, because: Because, speakerUri: string): void {
  const { floor } = builder;
  const former = convenerOf(floor);
  const audience = everyone(floor);
  write(builder, origin.turn, { kind: "role", role: "convener", because, audience, speakerUri });
  notifyRoles(builder, asFloor(builder, origin), speakerUri, "you convene now", [speakerUri, former]);
}

/**
 * Our choice (spec-notes): every envelope lists the roles, so the agents concerned are sent one, with a grantFloor as any
 * newcomer gets it. The others see the roles in their next envelope.
 */
function notifyRoles(
  builder: DecisionBuilder,
  origin: Origin,
  speakerUri: string,
  reason: string,
  concerned: readonly (string | undefined)[],
): void {
  const event: FloorEvent = { eventType: "grantFloor", to: { speakerUri }, reason };
  const recipients = builder.floor.conversants.filter(({ identification }) =>
    concerned.includes(identification.speakerUri),
  );
  recordEvent(builder, origin, event, "convener/told", { target: speakerUri, recipients });
}

const unfit: CommandRefusal = {
  because: "command/convener/unfit",
  status: 422,
  problem: "this conversant does not serve as a convener: name an agent that does",
};

const notOffered: CommandRefusal = {
  because: "command/convener/not-offered",
  status: 422,
  problem:
    "the manifest of this agent does not offer to convene (openFloorRoles.convener): name another, or name this one by its serviceUrl to appoint it all the same",
};

const ambiguous: CommandRefusal = {
  because: "1.8/ambiguous-addressee",
  status: 422,
  problem: "several conversants share this address: name one by speakerUri",
};

const itself = { because: "guard/self-invite", problem: "a floor does not convene itself" } as const;
