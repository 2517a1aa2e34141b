import { type Envelope, isSameUri } from "@plenary/protocol";
import { abort, underWay } from "./batch.ts";
import { type Draft, write } from "./draft.ts";
import { type OpenDelivery, type Seat, seatOf } from "./floor.ts";
import type { AnswerInput } from "./input.ts";
import { everyone, seatLike } from "./recipients.ts";

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
