import { type FloorEvent, isPrivate } from "@plenary/protocol";
import { inviteConversant } from "../conversants/invite.ts";
import { removeConversant } from "../conversants/leave.ts";
import { type DecisionBuilder, type Origin, write } from "../decision-builder.ts";
import { signatureOf } from "../delivery/conversant-listing.ts";
import {
  abort,
  addToEnvelope,
  deliveriesInFlight,
  isOnlyFor,
  outgoingContext,
  startEnvelope,
} from "../delivery/outgoing-envelopes.ts";
import { resolve } from "../delivery/recipients.ts";
import { type Floor, type Seat, seatOf } from "../floor.ts";
import type { Because } from "../rules.ts";
import { startQuestionTimer } from "./question-timeout.ts";
import { type EventDetails, recordEvent } from "./record-event.ts";
import { isOwn } from "./validate-event.ts";

/** Applies one event and delivers it. The only place where event types differ in their effect. */
export function takeEffect(builder: DecisionBuilder, origin: Origin, event: FloorEvent, because: Because): void {
  const { floor } = builder;
  switch (event.eventType) {
    case "invite":
      inviteConversant(builder, origin, event, because);
      return;
    case "uninvite":
      removeConversant(builder, origin, event, because, targetOf(floor, event));
      return;
    case "bye":
    case "declineInvite":
      removeConversant(builder, origin, event, because, seatOf(floor, origin.speakerUri));
      return;
    case "revokeFloor":
      revokeAndAbort(builder, origin, event, because);
      return;
    case "utterance":
      recordEvent(builder, origin, event, because, about(targetOf(floor, event)));
      startQuestionTimer(builder, origin, event);
      return;
    case "grantFloor":
      recordEvent(builder, origin, event, because, about(targetOf(floor, event)));
      return;
    case "getManifests":
      recordEvent(builder, origin, event, because);
      if (resolve(floor, event.to).length === 0) forward(builder, origin, event);
      return;
    case "acceptInvite":
    case "publishManifests":
    case "requestFloor":
    case "yieldFloor":
      recordEvent(builder, origin, event, because);
      return;
  }
}

const noDetails: EventDetails = {};

function about(target: Seat | undefined): EventDetails {
  return target === undefined ? noDetails : { target: target.identification.speakerUri };
}

function targetOf(floor: Floor, event: FloorEvent): Seat | undefined {
  return resolve(floor, event.to)[0];
}

/** D18: aborts the open deliveries of the revoked agent; late answers do not count. */
function revokeAndAbort(builder: DecisionBuilder, origin: Origin, event: FloorEvent, because: Because): void {
  const target = targetOf(builder.floor, event);
  if (target === undefined) {
    recordEvent(builder, origin, event, because);
    return;
  }
  const { speakerUri } = target.identification;
  const aborts = deliveriesInFlight(builder, (open) => isOnlyFor(open, speakerUri) && !open.isDelegation);
  abort(builder, aborts);
  recordEvent(builder, origin, event, because, { target: speakerUri, aborts });
}

/** Sends a getManifests to an outsider; the answer is passed on to the asker (D15). */
export function forward(builder: DecisionBuilder, origin: Origin, event: FloorEvent): void {
  const { floor } = builder;
  const { speakerUri: asker, turn, causedBy, depth } = origin;
  const serviceUrl = event.to?.serviceUrl;
  if (serviceUrl === undefined || isOwn(serviceUrl, floor.self.serviceUrl)) return;
  const to = { speakerUri: event.to?.speakerUri ?? serviceUrl, serviceUrl };
  const out = outgoingContext(builder, origin, signatureOf(floor, asker));
  const flags = { isInvite: false, isDelegation: false };
  const envelope = addToEnvelope(out, to, event, false) ?? startEnvelope(builder, out, to, event, flags);
  envelope.isForwarded = true;
  write(builder, turn, {
    kind: "forwarded",
    because: "2.2/getManifests/elsewhere",
    causedBy,
    audience: [asker],
    delivery: { id: envelope.delivery, to: to.speakerUri, ...(isPrivate(event) && { whisperer: asker }) },
    serviceUrl,
    depth,
    asker,
  });
}
