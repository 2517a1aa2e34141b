import type { EventType, FloorEvent } from "../model/event.ts";

/** The tokens with a meaning of their own in each event: spec 1.13, 1.15, 1.21 and 1.22; @roleRejected is of 1.1.1. */
export const reasonTokensOf = {
  utterance: [],
  invite: [],
  uninvite: ["@timedOut", "@brokenPolicy", "@error"],
  acceptInvite: [],
  declineInvite: ["@outOfDomain", "@unavailable", "@refused", "@error", "@roleRejected"],
  bye: [],
  getManifests: [],
  publishManifests: [],
  requestFloor: [],
  grantFloor: [],
  revokeFloor: ["@timedOut", "@brokenPolicy", "@override", "@error"],
  yieldFloor: ["@outOfDomain", "@complete", "@timedOut", "@refused", "@error"],
} as const satisfies Record<EventType, readonly string[]>;

export type ReasonToken<Name extends EventType = EventType> = (typeof reasonTokensOf)[Name][number];

/** Free text; the tokens of the event are listed for completion in editors. */
export type Reason<Name extends EventType = EventType> = ReasonToken<Name> | (string & Record<never, never>);

/** Spec 1.8: the special tokens in a reason, in order, each with its @. */
export function reasonTokens(reason: string | undefined): string[] {
  return [...(reason?.match(/@[a-zA-Z0-9_]+/g) ?? [])];
}

export function hasReason(event: FloorEvent, token: ReasonToken): boolean {
  return reasonTokens(event.reason).includes(token);
}
