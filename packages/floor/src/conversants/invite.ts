import { type FloorEvent, isSameAddress, isSameUri, type To } from "@plenary/protocol";
import { type DecisionBuilder, type Origin, write } from "../decision-builder.ts";
import { everyone, resolve } from "../delivery/recipients.ts";
import { recordEvent } from "../events/record-event.ts";
import { type Floor, initialVisibility, type Seat } from "../floor.ts";
import type { Because } from "../rules.ts";
import { expectedRolesIn } from "./expected-roles.ts";

/** Spec 2.2: the invite seats the conversant and grants it the floor at once. */
export function inviteConversant(
  builder: DecisionBuilder,
  origin: Origin,
  event: FloorEvent & { eventType: "invite" },
  because: Because,
): void {
  if (event.to === undefined) throw new Error("an invite without an addressee is refused before it is passed");
  // Nothing but an utterance is private.
  const to = addresseeOf(builder.floor, origin, { ...event.to, private: false });
  const present = resolve(builder.floor, to)[0];
  const expectedRoles = expectedRolesIn(builder.floor, origin, event);
  if (present !== undefined && expectedRoles.length > 0) setExpectedRoles(builder, origin, present, expectedRoles);
  const target = present?.identification.speakerUri ?? seatInvited(builder, origin, to, because, expectedRoles);
  recordEvent(builder, origin, to.speakerUri === event.to.speakerUri ? event : { ...event, to }, because, { target });
}

/** A seated agent with a new address is invited by that address: its answer proves its name. */
function addresseeOf(floor: Floor, { moved = [] }: Origin, to: To): To {
  const { speakerUri, serviceUrl } = to;
  if (speakerUri === undefined || serviceUrl === undefined) return to;
  const seat = moved.some((name) => isSameUri(name, speakerUri)) ? resolve(floor, to)[0] : undefined;
  const isElsewhere = seat !== undefined && !isSameAddress(seat.identification.serviceUrl, serviceUrl);
  return isElsewhere ? { serviceUrl } : to;
}

/** A seated conversant gets these roles when it accepts this invite. */
function setExpectedRoles(
  builder: DecisionBuilder,
  { turn, causedBy }: Origin,
  seat: Seat,
  expectedRoles: readonly string[],
): void {
  const about = { because: "1.12/expected-role", causedBy, audience: everyone(builder.floor) } as const;
  write(builder, turn, { kind: "seated", ...about, seat: { ...seat, expectedRoles } });
}

function seatInvited(
  builder: DecisionBuilder,
  origin: Origin,
  { speakerUri, serviceUrl }: To,
  because: Because,
  expectedRoles: readonly string[],
): string {
  const { floor } = builder;
  const { turn, causedBy, speakerUri: invitedBy } = origin;
  // Its address stands for its speakerUri until it answers.
  const name = speakerUri ?? serviceUrl;
  if (name === undefined || serviceUrl === undefined) throw new Error("an invite names an address");
  const seat: Seat = {
    identification: { speakerUri: name, serviceUrl, organization: "", conversationalName: "", synopsis: "" },
    kind: "agent",
    state: "invited",
    invitedBy,
    since: floor.seq + 1,
    misses: 0,
    ...(speakerUri === undefined && { isProvisional: true }),
    ...(expectedRoles.length > 0 && { expectedRoles }),
    ...initialVisibility(floor.options),
  };
  const audience = [...everyone(floor), name];
  write(builder, turn, { kind: "seated", because, causedBy, audience, seat, isGranted: true });
  return name;
}
