import type { FloorEvent } from "@plenary/protocol";
import { removeConversant } from "../conversants/leave.ts";
import { boundElsewhereProblem } from "../conversants/speaker-binding.ts";
import { asFloor, type DecisionBuilder, type Origin, write } from "../decision-builder.ts";
import { type OpenDelivery, type Seat, seatOf } from "../floor.ts";
import type { AnswerInput, Failure, Unsent } from "../input.ts";
import type { Because } from "../rules.ts";

const failureTexts: Record<Failure, string> = {
  unreachable: "could not be reached",
  timeout: "did not answer in time",
  "no-envelope": "did not answer with an envelope",
  refused: "refused what it was sent",
};

type MissDetails = { failure: Failure; detail?: string; isAboutOthers?: true };

/** A conversant did not answer: an invite counts as declined; after too many misses in a row the conversant is removed (D23). */
export function onConversantMissed(builder: DecisionBuilder, open: OpenDelivery, miss: MissDetails): void {
  const { failure, detail, isAboutOthers } = miss;
  const { id: delivery, to: speakerUri, turn } = open;
  const because = `delivery/${failure}` as const;
  const causedBy = write(builder, turn, {
    kind: "missed",
    because,
    audience: audienceOfMiss(builder, open, miss),
    delivery,
    speakerUri,
    failure,
    ...(detail !== undefined && { detail }),
    ...(isAboutOthers && { isUncounted: true }),
  });
  if (isAboutOthers) return;
  declineOrRemove(
    builder,
    open,
    causedBy,
    failure === "timeout" || failure === "unreachable",
    detail ?? failureTexts[failure],
  );
}

/** D42: the audience of the missed events sees the miss. A failed invite is shown by its declineInvite. */
function audienceOfMiss(
  { floor }: DecisionBuilder,
  { id, to, isInvite, whisperer }: MissedDelivery,
  miss: Pick<MissDetails, "isAboutOthers">,
): string[] {
  if (miss.isAboutOthers || isInvite) return [to];
  if (whisperer !== undefined) return [whisperer, to];
  // A delivery is named after the entry that it began with: `d12.0`.
  const seq = Number.parseInt(id.slice(1), 10);
  return floor.conversants.filter(({ since }) => since <= seq).map(({ identification }) => identification.speakerUri);
}

type MissedDelivery = Pick<OpenDelivery, "id" | "to" | "whisperer"> & { isInvite?: boolean };

/** D18: the delivery was stopped before it was sent, so it does not count as a miss. */
export function onUnsent(builder: DecisionBuilder, input: AnswerInput, turn: string, unsent: Unsent): void {
  const { delivery, failure = "unreachable", detail } = input;
  write(builder, turn, {
    kind: "missed",
    because: "delivery/unsent",
    audience: audienceOfMiss(builder, { id: delivery, ...unsent }, input),
    delivery,
    speakerUri: unsent.to,
    failure,
    ...(detail !== undefined && { detail }),
    isUncounted: true,
  });
}

/** It answered under another speaker's name; nothing of the answer counts. */
export function onImpersonation(builder: DecisionBuilder, open: OpenDelivery): void {
  const { id: delivery, to: speakerUri, turn } = open;
  const about = { audience: [speakerUri], delivery, speakerUri, failure: "refused" };
  const causedBy = write(builder, turn, { kind: "missed", because: "guard/impersonation", ...about });
  declineOrRemove(builder, open, causedBy, false, "answered under another speaker's name");
}

/** It answered under a name that is bound to another address, so it does not join. */
export function onBoundElsewhere(builder: DecisionBuilder, open: OpenDelivery, seat: Seat, name: string): void {
  const { id: delivery, to: speakerUri, turn, depth } = open;
  const because = "guard/bound-elsewhere";
  const { serviceUrl } = seat.identification;
  const move = { speakerUri: name, serviceUrl };
  const about = { audience: [speakerUri], delivery, speakerUri, failure: "refused", move };
  const causedBy = write(builder, turn, { kind: "missed", because, ...about });
  declineFor(builder, seat, { turn, depth, causedBy }, `@error answered as ${name}: ${boundElsewhereProblem}`, because);
}

function declineOrRemove(
  builder: DecisionBuilder,
  open: OpenDelivery,
  causedBy: number,
  isAbsent: boolean,
  problem: string,
): void {
  const seat = seatOf(builder.floor, open.to);
  if (seat === undefined) return;
  const origin = { turn: open.turn, depth: open.depth, causedBy };
  if (open.isInvite && seat.state === "invited") {
    declineFor(builder, seat, origin, `${isAbsent ? "@unavailable" : "@error"} ${problem}`);
  } else if (seat.misses >= builder.floor.options.missesMax) {
    const to = { speakerUri: seat.identification.speakerUri };
    const event: FloorEvent = { eventType: "uninvite", to, reason: `${isAbsent ? "@timedOut" : "@error"} ${problem}` };
    removeConversant(builder, asFloor(builder, origin), event, "delivery/given-up", seat);
  }
}

/** Declines an invite on behalf of an agent that cannot answer; the inviter gets the reason. */
function declineFor(
  builder: DecisionBuilder,
  seat: Seat,
  origin: Pick<Origin, "turn" | "depth" | "causedBy">,
  reason: string,
  because: Because = "1.15/on-its-behalf",
): void {
  const { speakerUri } = seat.identification;
  const to = seat.invitedBy === undefined ? {} : { to: { speakerUri: seat.invitedBy } };
  const event: FloorEvent = { eventType: "declineInvite", ...to, reason };
  removeConversant(builder, { ...origin, speakerUri, withheld: [] }, event, because, seat);
}

/**
 * D23': the event only informs its recipient about others, so missing it is no failure. Utterances, questions and changes
 * of the recipient's own standing count.
 */
export function isAboutOthers({ eventType }: FloorEvent, isTarget: boolean): boolean {
  switch (eventType) {
    case "acceptInvite":
    case "declineInvite":
    case "publishManifests":
    case "bye":
      return true;
    case "invite":
    case "uninvite":
    case "requestFloor":
    case "grantFloor":
    case "revokeFloor":
    case "yieldFloor":
      return !isTarget;
    case "utterance":
    case "getManifests":
      return false;
  }
}
