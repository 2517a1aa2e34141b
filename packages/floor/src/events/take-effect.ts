import { type FloorEvent, isPrivate } from "@plenary/protocol";
import { passInvite } from "../conversants/invite.ts";
import { passRemoval } from "../conversants/leave.ts";
import { type Draft, type Origin, write } from "../decision-builder.ts";
import { signatureOf } from "../delivery/conversant-listing.ts";
import { abort, beginBatch, isOnlyFor, joinBatch, outgoing, underWay } from "../delivery/outgoing-envelopes.ts";
import { resolve } from "../delivery/recipients.ts";
import { type Floor, type Seat, seatOf } from "../floor.ts";
import type { Because } from "../rules.ts";
import { awaitAnswer } from "./question-timeout.ts";
import { type Facts, record } from "./record-event.ts";
import { isOwn } from "./validate-event.ts";

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

/** Somebody who is not at the floor may be asked what it can do; its answer is passed on to the asker (D15). */
export function forward(draft: Draft, origin: Origin, event: FloorEvent): void {
  const { floor } = draft;
  const { speakerUri: asker, turn, causedBy, depth } = origin;
  const serviceUrl = event.to?.serviceUrl;
  if (serviceUrl === undefined || isOwn(serviceUrl, floor.self.serviceUrl)) return;
  const to = { speakerUri: event.to?.speakerUri ?? serviceUrl, serviceUrl };
  const out = outgoing(draft, origin, signatureOf(floor, asker));
  const flags = { isInvite: false, isDelegation: false };
  const batch = joinBatch(out, to, event, false) ?? beginBatch(draft, out, to, event, flags);
  batch.isForwarded = true;
  write(draft, turn, {
    kind: "forwarded",
    because: "2.2/getManifests/elsewhere",
    causedBy,
    audience: [asker],
    delivery: { id: batch.delivery, to: to.speakerUri, ...(isPrivate(event) && { whisperer: asker }) },
    serviceUrl,
    depth,
    asker,
  });
}
