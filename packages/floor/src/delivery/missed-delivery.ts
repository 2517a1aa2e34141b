import type { FloorEvent } from "@plenary/protocol";
import { passRemoval } from "../conversants/leave.ts";
import { boundElsewhere } from "../conversants/speaker-binding.ts";
import { asFloor, type Draft, type Origin, write } from "../decision-builder.ts";
import { type OpenDelivery, type Seat, seatOf } from "../floor.ts";
import type { AnswerInput, Failure, Unsent } from "../input.ts";
import type { Because } from "../rules.ts";

const explain: Record<Failure, string> = {
  unreachable: "could not be reached",
  timeout: "did not answer in time",
  "no-envelope": "did not answer with an envelope",
  refused: "refused what it was sent",
};

type Miss = { failure: Failure; detail?: string; isAboutOthers?: true };

/** A conversant did not answer: an invite counts as declined, and after too many in a row it is let go (D23). */
export function onConversantMissed(draft: Draft, open: OpenDelivery, miss: Miss): void {
  const { failure, detail, isAboutOthers } = miss;
  const { id: delivery, to: speakerUri, turn } = open;
  const because = `delivery/${failure}` as const;
  const causedBy = write(draft, turn, {
    kind: "missed",
    because,
    audience: witnessesOf(draft, open, miss),
    delivery,
    speakerUri,
    failure,
    ...(detail !== undefined && { detail }),
    ...(isAboutOthers && { isUncounted: true }),
  });
  if (isAboutOthers) return;
  letGo(draft, open, causedBy, failure === "timeout" || failure === "unreachable", detail ?? explain[failure]);
}

/** D42: who was entitled to what was missed learns of it. That an invite failed is said by declining it. */
function witnessesOf(
  { floor }: Draft,
  { id, to, isInvite, whisperer }: Missed,
  miss: Pick<Miss, "isAboutOthers">,
): string[] {
  if (miss.isAboutOthers || isInvite) return [to];
  if (whisperer !== undefined) return [whisperer, to];
  // A delivery is named after the entry that it began with: `d12.0`.
  const seq = Number.parseInt(id.slice(1), 10);
  return floor.conversants.filter(({ since }) => since <= seq).map(({ identification }) => identification.speakerUri);
}

type Missed = Pick<OpenDelivery, "id" | "to" | "whisperer"> & { isInvite?: boolean };

/** D18: it was stopped before it was sent. The recipient is not to blame, so it does not count as a miss. */
export function onUnsent(draft: Draft, input: AnswerInput, turn: string, unsent: Unsent): void {
  const { delivery, failure = "unreachable", detail } = input;
  write(draft, turn, {
    kind: "missed",
    because: "delivery/unsent",
    audience: witnessesOf(draft, { id: delivery, ...unsent }, input),
    delivery,
    speakerUri: unsent.to,
    failure,
    ...(detail !== undefined && { detail }),
    isUncounted: true,
  });
}

/** It answered under the name of somebody else; nothing of that counts. */
export function onImpersonation(draft: Draft, open: OpenDelivery): void {
  const { id: delivery, to: speakerUri, turn } = open;
  const about = { audience: [speakerUri], delivery, speakerUri, failure: "refused" };
  const causedBy = write(draft, turn, { kind: "missed", because: "guard/impersonation", ...about });
  letGo(draft, open, causedBy, false, "answered under the name of somebody else");
}

/** It answered under a name that is trusted at another address; it never joins by that. */
export function onBoundElsewhere(draft: Draft, open: OpenDelivery, seat: Seat, name: string): void {
  const { id: delivery, to: speakerUri, turn, depth } = open;
  const because = "guard/bound-elsewhere";
  const { serviceUrl } = seat.identification;
  const move = { speakerUri: name, serviceUrl };
  const about = { audience: [speakerUri], delivery, speakerUri, failure: "refused", move };
  const causedBy = write(draft, turn, { kind: "missed", because, ...about });
  declineFor(draft, seat, { turn, depth, causedBy }, `@error answered as ${name}: ${boundElsewhere}`, because);
}

function letGo(draft: Draft, open: OpenDelivery, causedBy: number, isAbsent: boolean, problem: string): void {
  const seat = seatOf(draft.floor, open.to);
  if (seat === undefined) return;
  const origin = { turn: open.turn, depth: open.depth, causedBy };
  if (open.isInvite && seat.state === "invited") {
    declineFor(draft, seat, origin, `${isAbsent ? "@unavailable" : "@error"} ${problem}`);
  } else if (seat.misses >= draft.floor.options.missesMax) {
    const to = { speakerUri: seat.identification.speakerUri };
    const event: FloorEvent = { eventType: "uninvite", to, reason: `${isAbsent ? "@timedOut" : "@error"} ${problem}` };
    passRemoval(draft, asFloor(draft, origin), event, "delivery/given-up", seat);
  }
}

/** An invited agent that cannot answer is declined on its behalf; its inviter hears why. */
function declineFor(
  draft: Draft,
  seat: Seat,
  origin: Pick<Origin, "turn" | "depth" | "causedBy">,
  reason: string,
  because: Because = "1.15/on-its-behalf",
): void {
  const { speakerUri } = seat.identification;
  const to = seat.invitedBy === undefined ? {} : { to: { speakerUri: seat.invitedBy } };
  const event: FloorEvent = { eventType: "declineInvite", ...to, reason };
  passRemoval(draft, { ...origin, speakerUri, withheld: [] }, event, because, seat);
}
