import { type Conversation, type EventOf, type FloorEvent, isPrivate, isSameUri, type To } from "@plenary/protocol";
import { isPerson, listedName } from "@plenary/sdk";
import type { FloorView, Participant, PolicyInput } from "./policy.ts";

/** The speakerUri by which the floor names this agent as its convener; undefined when it is not the convener. */
function convenerNameOf(conversation: Conversation, self: { speakerUri: string; serviceUrl?: string }) {
  const { conversants = [], assignedFloorRoles } = conversation;
  const convener = assignedFloorRoles?.convener?.[0];
  if (convener === undefined || isSameUri(convener, self.speakerUri)) return convener;
  // A floor may keep the speakerUri of the invite, which can differ from the agent's own.
  const seat = conversants.find(({ identification }) => isSameUri(identification.speakerUri, convener));
  if (seat === undefined || self.serviceUrl === undefined) return undefined;
  return isSameUri(seat.identification.serviceUrl, self.serviceUrl) ? convener : undefined;
}

/** The speakerUri by which the floor lists this agent. */
export function listedNameOf(
  { conversants = [] }: Conversation,
  self: { speakerUri: string; serviceUrl: string },
): string {
  const listed = conversants.map(({ identification }) => identification);
  if (listed.some(({ speakerUri }) => isSameUri(speakerUri, self.speakerUri))) return self.speakerUri;
  return listed.find(({ serviceUrl }) => isSameUri(serviceUrl, self.serviceUrl))?.speakerUri ?? self.speakerUri;
}

export type ConvenerContext = {
  /** This agent's speakerUri as the convener; undefined when it is not the convener. */
  convenerUri: string | undefined;
  isPerson: (speakerUri: string) => boolean;
};

/** From the envelope alone. */
export function contextOf(
  conversation: Conversation,
  self: { speakerUri: string; serviceUrl?: string },
): ConvenerContext {
  return {
    convenerUri: convenerNameOf(conversation, self),
    isPerson: (speakerUri) => isPerson(speakerUri, conversation),
  };
}

type ViewOptions = { self: string; nowMs: number; isPerson: ConvenerContext["isPerson"] };

export function floorViewOf(conversation: Conversation, { self, nowMs, isPerson }: ViewOptions): FloorView {
  const { conversants = [], floorGranted = [], assignedFloorRoles } = conversation;
  const [owner] = assignedFloorRoles?.owner ?? [];
  const others = conversants.flatMap(({ identification }): Participant[] => {
    const { speakerUri, conversationalName, serviceUrl } = identification;
    if (isSameUri(speakerUri, self)) return [];
    const name = conversationalName.trim() || speakerUri;
    return [{ speakerUri, name, serviceUrl, isPerson: isPerson(speakerUri) }];
  });
  const granted = floorGranted.map((one) => listedName(one, conversation) ?? one);
  return { self, conversants: others, granted, ...(owner !== undefined && { owner }), nowMs };
}

/** The view after the convener's own events: the floor does not report them back. */
export function afterEvents(view: FloorView, events: readonly FloorEvent[]): FloorView {
  if (events.length === 0) return view;
  let { conversants, granted } = view;
  for (const { eventType, to } of events) {
    const target = conversantFor(view, to)?.speakerUri;
    if (target === undefined) continue;
    const isOther = (one: string) => !isSameUri(one, target);
    if (eventType === "grantFloor") granted = [...granted.filter(isOther), target];
    if (eventType === "revokeFloor" || eventType === "uninvite") granted = granted.filter(isOther);
    if (eventType === "uninvite") conversants = conversants.filter(({ speakerUri }) => isOther(speakerUri));
  }
  const isHere = conversants.some(({ speakerUri }) => isOwner(speakerUri, view));
  const predicted = { ...view, conversants, granted, isPredicted: true };
  if (isHere || view.owner === undefined) return predicted;
  // D20: when the owner leaves, the person who joined first becomes the owner.
  const successor = conversants.find(({ isPerson: isOne }) => isOne)?.speakerUri;
  return { ...predicted, owner: successor ?? view.owner };
}

/** The addressee of `to`: by speakerUri, and by serviceUrl only without one (spec 0.6). */
export function conversantFor({ conversants }: FloorView, to: To | undefined): Participant | undefined {
  if (to === undefined) return undefined;
  const { speakerUri, serviceUrl } = to;
  if (speakerUri !== undefined) return conversants.find((one) => isSameUri(one.speakerUri, speakerUri));
  return conversants.find((one) => serviceUrl !== undefined && isSameUri(one.serviceUrl ?? "", serviceUrl));
}

export function conversantWith(view: FloorView, speakerUri: string): Participant | undefined {
  return conversantFor(view, { speakerUri });
}

/** Spec 0.4.3: a request may be for another conversant. A `to` that names the convener or the floor is the recipient. */
export function beneficiaryOf(event: FloorEvent, sender: string, view: FloorView): string {
  return conversantFor(view, event.to)?.speakerUri ?? sender;
}

export function isOwner(speakerUri: string | undefined, { owner }: FloorView): boolean {
  return owner !== undefined && speakerUri !== undefined && isSameUri(owner, speakerUri);
}

export function isGranted(speakerUri: string, { granted }: FloorView): boolean {
  return granted.some((one) => isSameUri(one, speakerUri));
}

/** Who has the floor, without the owner, who keeps it, and the convener, who needs none. */
export function speakersIn(view: FloorView): string[] {
  const { granted, self } = view;
  return granted.filter((one) => !isOwner(one, view) && !isSameUri(one, self));
}

/** Who has left by an observed event. Departures caused by the convener itself are in the view already. */
export function leaverIn(input: PolicyInput, view: FloorView): string | undefined {
  if (input.kind !== "observed") return undefined;
  const { event, sender } = input;
  if (event.eventType === "bye" || event.eventType === "declineInvite") return sender;
  if (event.eventType !== "uninvite") return undefined;
  // The conversant is no longer listed, so a serviceUrl alone finds no match; the queue drops absent speakers itself.
  return event.to?.speakerUri ?? conversantFor(view, event.to)?.speakerUri;
}

export function isPublicUtterance(event: FloorEvent): event is EventOf<"utterance"> {
  return event.eventType === "utterance" && !isPrivate(event);
}
