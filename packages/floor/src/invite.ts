import type { FloorEvent, To } from "@plenary/protocol";
import type { Because } from "./because.ts";
import { type Draft, type Origin, write } from "./draft.ts";
import { type Seat, sightOf } from "./floor.ts";
import { everyone, resolve } from "./recipients.ts";
import { record } from "./record.ts";

/** Spec 2.2: with the invite the conversant is on the list and has the floor, at once. */
export function passInvite(
  draft: Draft,
  origin: Origin,
  event: FloorEvent & { eventType: "invite" },
  because: Because,
): void {
  if (event.to === undefined) throw new Error("an invite without an addressee is refused before it is passed");
  // Nothing but an utterance is private.
  const present = resolve(draft.floor, { ...event.to, private: false })[0];
  const target = present?.identification.speakerUri ?? seatInvited(draft, origin, event.to, because);
  record(draft, origin, event, because, { target });
}

function seatInvited(draft: Draft, origin: Origin, { speakerUri, serviceUrl }: To, because: Because): string {
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
    ...sightOf(floor.options),
  };
  const audience = [...everyone(floor), name];
  write(draft, turn, { kind: "seated", because, causedBy, audience, seat, isGranted: true });
  return name;
}
