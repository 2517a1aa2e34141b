import type { FloorEvent } from "@plenary/protocol";
import { abort, isOnlyFor, underWay } from "./batch.ts";
import type { Because } from "./because.ts";
import type { Draft, Origin } from "./draft.ts";
import { type Floor, type Seat, seatOf } from "./floor.ts";
import { forward } from "./forward.ts";
import { passInvite } from "./invite.ts";
import { awaitAnswer } from "./lapse.ts";
import { passRemoval } from "./leave.ts";
import { resolve } from "./recipients.ts";
import { type Facts, record } from "./record.ts";

/** The event takes effect and goes to whom it concerns. The one place where events differ in what they do. */
export function pass(draft: Draft, origin: Origin, event: FloorEvent, because: Because): void {
  const { floor } = draft;
  switch (event.eventType) {
    case "invite":
      passInvite(draft, origin, event, because);
      return;
    case "uninvite":
      passRemoval(draft, origin, event, because, targetOf(floor, event));
      return;
    case "bye":
    case "declineInvite":
      passRemoval(draft, origin, event, because, seatOf(floor, origin.speakerUri));
      return;
    case "revokeFloor":
      passStop(draft, origin, event, because);
      return;
    case "utterance":
      record(draft, origin, event, because, about(targetOf(floor, event)));
      awaitAnswer(draft, origin, event);
      return;
    case "grantFloor":
      record(draft, origin, event, because, about(targetOf(floor, event)));
      return;
    case "getManifests":
      record(draft, origin, event, because);
      if (resolve(floor, event.to).length === 0) forward(draft, origin, event);
      return;
    case "acceptInvite":
    case "publishManifests":
    case "requestFloor":
    case "yieldFloor":
      record(draft, origin, event, because);
      return;
  }
}

const nobody: Facts = {};

function about(target: Seat | undefined): Facts {
  return target === undefined ? nobody : { target: target.identification.speakerUri };
}

function targetOf(floor: Floor, event: FloorEvent): Seat | undefined {
  return resolve(floor, event.to)[0];
}

/** D18: what the one stopped is working on is cut short, and its late answer will not count. */
function passStop(draft: Draft, origin: Origin, event: FloorEvent, because: Because): void {
  const target = targetOf(draft.floor, event);
  if (target === undefined) {
    record(draft, origin, event, because);
    return;
  }
  const { speakerUri } = target.identification;
  const aborts = underWay(draft, (open) => isOnlyFor(open, speakerUri) && !open.isDelegation);
  abort(draft, aborts);
  record(draft, origin, event, because, { target: speakerUri, aborts });
}
