import { type Conversation, type EventOf, type FloorEvent, isPrivate, isSameUri, type To } from "@plenary/protocol";
import { isPerson, listedName } from "@plenary/sdk";
import type { Matter, Present, Sight } from "./policy.ts";

/** The name that this agent has in the chair; undefined when somebody else sits there, or nobody. */
function chairOf(conversation: Conversation, self: { speakerUri: string; serviceUrl?: string }) {
  const { conversants = [], assignedFloorRoles } = conversation;
  const convener = assignedFloorRoles?.convener?.[0];
  if (convener === undefined || isSameUri(convener, self.speakerUri)) return convener;
  // A floor may go on calling an agent by the name of its invite.
  const seat = conversants.find(({ identification }) => isSameUri(identification.speakerUri, convener));
  if (seat === undefined || self.serviceUrl === undefined) return undefined;
  return isSameUri(seat.identification.serviceUrl, self.serviceUrl) ? convener : undefined;
}

/** The name that a floor lists this agent under. */
export function nameIn({ conversants = [] }: Conversation, self: { speakerUri: string; serviceUrl: string }): string {
  const listed = conversants.map(({ identification }) => identification);
  if (listed.some(({ speakerUri }) => isSameUri(speakerUri, self.speakerUri))) return self.speakerUri;
  return listed.find(({ serviceUrl }) => isSameUri(serviceUrl, self.serviceUrl))?.speakerUri ?? self.speakerUri;
}

/** What a convener knows beside the conversation of an envelope. */
export type Insight = {
  /** Its name in the chair; undefined when another conversant sits there, or nobody. */
  chair: string | undefined;
  isPerson: (speakerUri: string) => boolean;
};

/** All that the envelope itself tells. */
export function insightOf(conversation: Conversation, self: { speakerUri: string; serviceUrl?: string }): Insight {
  return {
    chair: chairOf(conversation, self),
    isPerson: (speakerUri) => isPerson(speakerUri, conversation),
  };
}

type Seen = { self: string; nowMs: number; isPerson: Insight["isPerson"] };

/** Where a floor does not tell who is there, whoever speaks is. */
export function sightOf(conversation: Conversation, { self, nowMs, isPerson }: Seen): Sight {
  const { conversants = [], floorGranted = [], assignedFloorRoles } = conversation;
  const [owner] = assignedFloorRoles?.owner ?? [];
  const others = conversants.flatMap(({ identification }): Present[] => {
    const { speakerUri, conversationalName, serviceUrl } = identification;
    if (isSameUri(speakerUri, self)) return [];
    const name = conversationalName.trim() || speakerUri;
    return [{ speakerUri, name, serviceUrl, isPerson: isPerson(speakerUri) }];
  });
  const granted = floorGranted.map((one) => listedName(one, conversation) ?? one);
  return { self, conversants: others, granted, ...(owner !== undefined && { owner }), nowMs };
}

/** The same once the convener's own events have taken effect: nobody tells it of these. */
export function afterDeeds(sight: Sight, deeds: readonly FloorEvent[]): Sight {
  if (deeds.length === 0) return sight;
  let { conversants, granted } = sight;
  for (const { eventType, to } of deeds) {
    const target = conversantFor(sight, to)?.speakerUri;
    if (target === undefined) continue;
    const isOther = (one: string) => !isSameUri(one, target);
    if (eventType === "grantFloor") granted = [...granted.filter(isOther), target];
    if (eventType === "revokeFloor" || eventType === "uninvite") granted = granted.filter(isOther);
    if (eventType === "uninvite") conversants = conversants.filter(({ speakerUri }) => isOther(speakerUri));
  }
  const isHere = conversants.some(({ speakerUri }) => isOwner(speakerUri, sight));
  const amended = { ...sight, conversants, granted, isAmended: true };
  if (isHere || sight.owner === undefined) return amended;
  // D20: an owner who goes is followed by the person who was there first.
  const heir = conversants.find(({ isPerson: isOne }) => isOne)?.speakerUri;
  return { ...amended, owner: heir ?? sight.owner };
}

/** Whom `to` means: by name, and by address only where there is none (spec 0.6). */
export function conversantFor({ conversants }: Sight, to: To | undefined): Present | undefined {
  if (to === undefined) return undefined;
  const { speakerUri, serviceUrl } = to;
  if (speakerUri !== undefined) return conversants.find((one) => isSameUri(one.speakerUri, speakerUri));
  return conversants.find((one) => serviceUrl !== undefined && isSameUri(one.serviceUrl ?? "", serviceUrl));
}

export function conversantNamed(sight: Sight, speakerUri: string): Present | undefined {
  return conversantFor(sight, { speakerUri });
}

/** Spec 0.4.3: one may ask for another; `to` that is the convener or the floor names whom one asks. */
export function beneficiaryOf(event: FloorEvent, sender: string, sight: Sight): string {
  return conversantFor(sight, event.to)?.speakerUri ?? sender;
}

export function isOwner(speakerUri: string | undefined, { owner }: Sight): boolean {
  return owner !== undefined && speakerUri !== undefined && isSameUri(owner, speakerUri);
}

export function isGranted(speakerUri: string, { granted }: Sight): boolean {
  return granted.some((one) => isSameUri(one, speakerUri));
}

/** Who has the floor beside the owner, who keeps it, and the convener, who needs none. */
export function speakersIn(sight: Sight): string[] {
  const { granted, self } = sight;
  return granted.filter((one) => !isOwner(one, sight) && !isSameUri(one, self));
}

/** Who has left by what was told. Who is sent away by the convener itself, it knows already. */
export function leaverIn(matter: Matter, sight: Sight): string | undefined {
  if (matter.kind !== "told") return undefined;
  const { event, sender } = matter;
  if (event.eventType === "bye" || event.eventType === "declineInvite") return sender;
  if (event.eventType !== "uninvite") return undefined;
  // By now it is on no list, so an address alone finds nobody: whoever is missing is looked for by name elsewhere.
  return event.to?.speakerUri ?? conversantFor(sight, event.to)?.speakerUri;
}

/** What is said for everyone to hear. */
export function isAloud(event: FloorEvent): event is EventOf<"utterance"> {
  return event.eventType === "utterance" && !isPrivate(event);
}
