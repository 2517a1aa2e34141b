import { type FloorEvent, isPrivate } from "@plenary/protocol";
import { isUnder, type Permission, permissionOf, quotas, standingOf } from "../authority.ts";
import { boundElsewhereProblem, untrustedName } from "../conversants/speaker-binding.ts";
import type { Origin } from "../decision-builder.ts";
import { resolve } from "../delivery/recipients.ts";
import { convenerOf, type Floor, ownerOf, type Quota, type Seat, seatOf, turnState } from "../floor.ts";
import type { FloorOptions } from "../options.ts";
import type { Action } from "../table.ts";
import type { Objection } from "./refuse.ts";

/** Objections to the sender alone, for any target. Under every policy only conversants are heard. */
export function objectionToSender(floor: Floor, event: FloorEvent, { speakerUri }: Origin): Objection | undefined {
  if (permissionOf(floor, event.eventType, speakerUri) !== "refuse") return undefined;
  if (standingOf(floor, speakerUri) === "absent") return absent;
  return floor.options.policy === "spec" ? undefined : notJoined;
}

const absent: Objection = { because: "guard/not-seated", problem: "the sender has left" };

const notJoined: Objection = {
  because: "guard/not-joined",
  problem: "an invited conversant joins before it does this: answer the invite first",
};

/** Refusals of the guarded policy beyond the specification (D13), from the authority matrix. */
export function objectionTo(floor: Floor, event: FloorEvent, origin: Origin, action: Action): Objection | undefined {
  if (floor.options.policy === "spec") return undefined;
  const permission = permissionOf(floor, event.eventType, origin.speakerUri);
  if (action === "delegate" && isUnder(permission, "aloud") && isPrivate(event)) return undelegatedWhisper;
  return (
    // A delegated event is judged when the convener returns it, by the convener's standing.
    (action === "pass" ? protectedTarget(floor, event, origin) : undefined) ??
    strangeAddress(floor, event, origin) ??
    overQuota(floor, event, origin, permission)
  );
}

// A delegated whisper would be visible to the convener.
const undelegatedWhisper: Objection = {
  because: "guard/whisper-without-floor",
  problem: "a private utterance is not shown to the convener: ask for the floor first",
};

/** The speaker whose standing counts: the convener that approved the event, while it is the convener. */
function judgeOf(floor: Floor, { approvedBy, speakerUri }: Origin): string {
  return approvedBy !== undefined && standingOf(floor, approvedBy) === "convener" ? approvedBy : speakerUri;
}

function protectedTarget(floor: Floor, event: FloorEvent, origin: Origin): Objection | undefined {
  const by = judgeOf(floor, origin);
  const permission = permissionOf(floor, event.eventType, by);
  const isUnprotected = isUnder(permission, "unprotected");
  if (!isUnprotected && !isUnder(permission, "not-owner")) return undefined;
  const [target] = resolve(floor, event.to);
  const itself = target?.identification.speakerUri;
  if (target === undefined || itself === origin.speakerUri) return undefined;
  if (!isUnprotected) return ownership(floor, target);
  return protection(floor, target) ?? guestObjection(floor, by, target);
}

/** D13': a guest may not remove or silence agents that the owner, or the floor for the owner, invited, unless the owner allows it. */
function guestObjection(floor: Floor, by: string, { invitedBy }: Seat): Objection | undefined {
  const isOwners = invitedBy === undefined || invitedBy === ownerOf(floor) || invitedBy === floor.self.speakerUri;
  if (!isOwners || floor.options.guestsMay === "moderate" || seatOf(floor, by)?.isGuest !== true) return undefined;
  const problem = "a guest does not remove or silence what the owner brought: ask the owner (option guestsMay)";
  return { because: "guard/guest", problem };
}

function ownership(floor: Floor, { identification }: Seat): Objection | undefined {
  if (identification.speakerUri !== ownerOf(floor)) return undefined;
  return { because: "guard/protected-owner", problem: "the owner of a conversation cannot be removed or silenced" };
}

function protection(floor: Floor, target: Seat): Objection | undefined {
  if (target.identification.speakerUri === convenerOf(floor)) {
    return { because: "guard/protected-convener", problem: "only the owner removes or silences the convener" };
  }
  const objection = ownership(floor, target);
  if (objection !== undefined || target.kind === "agent") return objection;
  return { because: "guard/protected-person", problem: "only the convener or the owner removes or silences a person" };
}

/** A name that is bound to one address is not invited at another before owner or operator approve it. */
function strangeAddress(floor: Floor, { eventType, to }: FloorEvent, origin: Origin): Objection | undefined {
  if (eventType !== "invite" || to?.speakerUri === undefined || to.serviceUrl === undefined) return undefined;
  const { speakerUri, serviceUrl } = to;
  if (untrustedName(floor, [speakerUri], serviceUrl, origin.boundElsewhere) === undefined) return undefined;
  // Only a person's invite is a request for approval: an agent proves nothing by naming an address.
  const isPersons = seatOf(floor, origin.speakerUri)?.kind === "person";
  return {
    because: "guard/bound-elsewhere",
    problem: boundElsewhereProblem,
    ...(isPersons && { move: { speakerUri, serviceUrl } }),
  };
}

const quotaOption = {
  invites: "turnInvitesMax",
  uninvites: "turnUninvitesMax",
  manifests: "turnManifestsMax",
} as const satisfies Record<Quota, keyof FloorOptions>;

function overQuota(floor: Floor, event: FloorEvent, origin: Origin, permission: Permission): Objection | undefined {
  const quota = isUnder(permission, "quota") ? quotas[event.eventType] : undefined;
  if (quota === undefined) return undefined;
  const { speakerUri, turn } = origin;
  const spent = turnState(floor, turn)?.spent?.find((one) => one.speakerUri === speakerUri)?.[quota] ?? 0;
  const option = quotaOption[quota];
  const max = floor.options[option];
  if (spent < max) return undefined;
  return { because: `quota/${quota}`, problem: `at most ${max} ${quota} of one agent in a turn (${option})` };
}

/** The quota that an event of this sender is counted against, if any. */
export function quotaOf(floor: Floor, { eventType }: FloorEvent, speakerUri: string): Quota | undefined {
  if (floor.options.policy === "spec") return undefined;
  return isUnder(permissionOf(floor, eventType, speakerUri), "quota") ? quotas[eventType] : undefined;
}
