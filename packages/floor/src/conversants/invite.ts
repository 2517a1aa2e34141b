import { type FloorEvent, isSameAddress, isSameUri, type To } from "@plenary/protocol";
import { type Draft, type Origin, write } from "../decision-builder.ts";
import { everyone, resolve } from "../delivery/recipients.ts";
import { record } from "../events/record-event.ts";
import { type Floor, type Seat, sightOf } from "../floor.ts";
import type { Because } from "../rules.ts";
import { promised } from "./expected-roles.ts";

/** Spec 2.2: with the invite the conversant is on the list and has the floor, at once. */
export function passInvite(
  draft: Draft,
  origin: Origin,
  event: FloorEvent & { eventType: "invite" },
  because: Because,
): void {
  if (event.to === undefined) throw new Error("an invite without an addressee is refused before it is passed");
  // Nothing but an utterance is private.
  const to = addresseeOf(draft.floor, origin, { ...event.to, private: false });
  const present = resolve(draft.floor, to)[0];
  const expectedRoles = promised(draft.floor, origin, event);
  if (present !== undefined && expectedRoles.length > 0) promiseRoles(draft, origin, present, expectedRoles);
  const target = present?.identification.speakerUri ?? seatInvited(draft, origin, to, because, expectedRoles);
  record(draft, origin, to.speakerUri === event.to.speakerUri ? event : { ...event, to }, because, { target });
}

/** Who has a seat and is said to have moved is invited by its address: what answers there proves who it is. */
function addresseeOf(floor: Floor, { moved = [] }: Origin, to: To): To {
  const { speakerUri, serviceUrl } = to;
  if (speakerUri === undefined || serviceUrl === undefined) return to;
  const seat = moved.some((name) => isSameUri(name, speakerUri)) ? resolve(floor, to)[0] : undefined;
  const isElsewhere = seat !== undefined && !isSameAddress(seat.identification.serviceUrl, serviceUrl);
  return isElsewhere ? { serviceUrl } : to;
}

/** A conversant that is seated already gets them when it accepts this invite. */
function promiseRoles(draft: Draft, { turn, causedBy }: Origin, seat: Seat, expectedRoles: readonly string[]): void {
  const about = { because: "1.12/expected-role", causedBy, audience: everyone(draft.floor) } as const;
  write(draft, turn, { kind: "seated", ...about, seat: { ...seat, expectedRoles } });
}

function seatInvited(
  draft: Draft,
  origin: Origin,
  { speakerUri, serviceUrl }: To,
  because: Because,
  expectedRoles: readonly string[],
): string {
  const { floor } = draft;
  const { turn, causedBy, speakerUri: invitedBy } = origin;
  // Conversants have a speakerUri: until this one tells its own, its address stands for it.
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
    ...sightOf(floor.options),
  };
  const audience = [...everyone(floor), name];
  write(draft, turn, { kind: "seated", because, causedBy, audience, seat, isGranted: true });
  return name;
}
