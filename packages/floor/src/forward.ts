import { type FloorEvent, isPrivate } from "@plenary/protocol";
import { beginBatch, joinBatch, outgoing } from "./batch.ts";
import { type Draft, type Origin, write } from "./draft.ts";
import { signatureOf } from "./introduce.ts";
import { isOwn } from "./sense.ts";

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
