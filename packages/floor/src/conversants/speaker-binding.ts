import { type Envelope, isSameAddress, isSameUri } from "@plenary/protocol";
import { type DecisionBuilder, write } from "../decision-builder.ts";
import { abort, deliveriesInFlight } from "../delivery/outgoing-envelopes.ts";
import { everyone, seatLike } from "../delivery/recipients.ts";
import { type Floor, type OpenDelivery, type Seat, seatOf } from "../floor.ts";
import type { AnswerInput } from "../input.ts";

export const boundElsewhereProblem =
  "this speakerUri joined before from another address; the owner allows the new one on the page, with /allow in the terminal " +
  "or by POST .../move, and the operator re-binds it for every conversation by POST .../rebind";

/**
 * The first of these names that is bound to another address and not approved for this one. The bindings of the server are
 * facts of the moment the envelope came in; the approvals are read when the event takes effect.
 */
export function untrustedName(
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
 * An agent of this machine answers its invite from another port. A loopback floor takes this for a restart: the name is
 * bound to the new address. An existing seat under this name stays and gets the new address. Returns that seat's
 * name; undefined when the agent takes the seat it was invited to.
 */
export function rebindMoved(
  builder: DecisionBuilder,
  { facts }: Pick<AnswerInput, "facts">,
  { sender, events }: Envelope,
  open: OpenDelivery,
): string | undefined {
  const { floor } = builder;
  const { speakerUri: claimed } = sender;
  const invited = seatOf(floor, open.to);
  const hasMoved = facts?.moved?.some((name) => isSameUri(name, claimed)) === true;
  if (invited?.state !== "invited" || !hasMoved || floor.options.policy === "spec") return undefined;
  if (events.some(({ eventType }) => eventType === "declineInvite")) return undefined;
  const seated = otherSeat(builder, claimed, invited);
  if (seated !== undefined && seated.kind !== "agent") return undefined;
  const speakerUri = seated?.identification.speakerUri ?? claimed;
  const aborts =
    seated === undefined
      ? []
      : deliveriesInFlight(builder, ({ to, asker }) => to === speakerUri && asker === undefined);
  abort(builder, aborts);
  const { serviceUrl, speakerUri: replaces } = invited.identification;
  const about = { speakerUri, serviceUrl, aborts, ...(seated && { replaces }) };
  write(builder, open.turn, {
    kind: "rebound",
    because: "guard/moved-on-loopback",
    audience: everyone(floor),
    ...about,
  });
  return seated?.identification.speakerUri;
}

function otherSeat({ floor }: DecisionBuilder, claimed: string, invited: Seat): Seat | undefined {
  const seat = seatOf(floor, claimed) ?? seatLike(floor, claimed);
  return seat === invited ? undefined : seat;
}
