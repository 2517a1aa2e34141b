import { type Envelope, isSameAddress, isSameUri } from "@plenary/protocol";
import { type Draft, write } from "../decision-builder.ts";
import { abort, underWay } from "../delivery/outgoing-envelopes.ts";
import { everyone, seatLike } from "../delivery/recipients.ts";
import { type Floor, type OpenDelivery, type Seat, seatOf } from "../floor.ts";
import type { AnswerInput } from "../input.ts";

export const boundElsewhere =
  "this speakerUri joined before from another address; the owner allows the new one on the page, with /allow in the terminal " +
  "or by POST .../move, and the operator re-binds it for every conversation by POST .../rebind";

/**
 * The first of these names that was trusted at another address before and is not approved for this one. What the shell
 * found is a fact of the moment the envelope came in; what was approved is read where it takes effect.
 */
export function foreignName(
  floor: Floor,
  names: readonly string[],
  serviceUrl: string,
  trustedElsewhere: readonly string[] | undefined,
): string | undefined {
  if (trustedElsewhere === undefined || floor.options.policy === "spec") return undefined;
  return names.find((name) => {
    return trustedElsewhere.some((one) => isSameUri(one, name)) && !isApproved(floor, name, serviceUrl);
  });
}

function isApproved({ bindings }: Floor, name: string, serviceUrl: string): boolean {
  return Object.entries(bindings).some(([speakerUri, approved]) => {
    return isSameUri(speakerUri, name) && isSameAddress(approved, serviceUrl);
  });
}

/**
 * An agent of this machine answers its invite from another port, which a loopback floor takes for a restart: the name is
 * bound to the new address. An agent that has a seat under this name keeps it and is reached there. Returns that seat's
 * name; undefined where it takes the seat it was invited to.
 */
export function rebindMoved(
  draft: Draft,
  { facts }: Pick<AnswerInput, "facts">,
  { sender, events }: Envelope,
  open: OpenDelivery,
): string | undefined {
  const { floor } = draft;
  const { speakerUri: claimed } = sender;
  const invited = seatOf(floor, open.to);
  const hasMoved = facts?.moved?.some((name) => isSameUri(name, claimed)) === true;
  if (invited?.state !== "invited" || !hasMoved || floor.options.policy === "spec") return undefined;
  if (events.some(({ eventType }) => eventType === "declineInvite")) return undefined;
  const seated = otherSeat(draft, claimed, invited);
  if (seated !== undefined && seated.kind !== "agent") return undefined;
  const speakerUri = seated?.identification.speakerUri ?? claimed;
  const aborts =
    seated === undefined ? [] : underWay(draft, ({ to, asker }) => to === speakerUri && asker === undefined);
  abort(draft, aborts);
  const { serviceUrl, speakerUri: replaces } = invited.identification;
  const about = { speakerUri, serviceUrl, aborts, ...(seated && { replaces }) };
  write(draft, open.turn, {
    kind: "rebound",
    because: "guard/moved-on-loopback",
    audience: everyone(floor),
    ...about,
  });
  return seated?.identification.speakerUri;
}

function otherSeat({ floor }: Draft, claimed: string, invited: Seat): Seat | undefined {
  const seat = seatOf(floor, claimed) ?? seatLike(floor, claimed);
  return seat === invited ? undefined : seat;
}
