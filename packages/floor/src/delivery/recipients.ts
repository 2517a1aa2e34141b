import { type Conversation, type DialogEvent, type FloorEvent, isPrivate, isSameUri, type To } from "@plenary/protocol";
import { convenerOf, type Floor, type Seat, seatOf, seatsAt } from "../floor.ts";
import { listingFor } from "./conversant-listing.ts";

/** The addressee of a 0.9 whisper that names none: the agent that has the conversation's attention (D19). */
export const focalAgent = "urn:plenary:focal-agent";

/** The conversation section of every envelope the floor sends: the floor manager curates it (spec 2.2). */
export function conversationOf(floor: Floor): Conversation {
  return {
    id: floor.id,
    conversants: floor.conversants.map((seat) => listingFor(floor, seat)),
    assignedFloorRoles: floor.roles,
    floorGranted: [...floor.floorGranted],
  };
}

const noSeats: readonly Seat[] = [];

/** The conversants that `to` names. The addressee of a whisper must match to the letter. */
export function resolve(floor: Floor, to: To | undefined): readonly Seat[] {
  if (to === undefined) return noSeats;
  if (to.speakerUri === undefined) return to.serviceUrl === undefined ? noSeats : seatsAt(floor, to.serviceUrl);
  const seat = seatOf(floor, to.speakerUri) ?? (to.private ? undefined : seatLike(floor, to.speakerUri));
  if (seat !== undefined) return [seat];
  // Spec 0.6: the speakerUri identifies. The address alone says who is meant only where no name is known yet.
  const { serviceUrl } = to;
  return serviceUrl === undefined ? noSeats : seatsAt(floor, serviceUrl).filter(({ isProvisional }) => isProvisional);
}

/** Peers spell one name with different case and trailing slashes. An exact match always wins. */
export function seatLike(floor: Floor, speakerUri: string): Seat | undefined {
  return floor.conversants.find(({ identification }) => isSameUri(identification.speakerUri, speakerUri));
}

/** Replaces the focal agent by its speakerUri. */
export function withFocalAgent(floor: Floor, event: FloorEvent): FloorEvent {
  const speakerUri = event.to?.speakerUri === focalAgent ? floor.attention[0] : undefined;
  return speakerUri === undefined ? event : { ...event, to: { ...event.to, speakerUri } };
}

/** Spec 2.2: everyone, but for a whisper only its addressee. Our choice: never the sender itself, or parrots would echo. */
export function recipientsOf(floor: Floor, event: FloorEvent, sender: string): readonly Seat[] {
  const candidates = isPrivate(event) ? resolve(floor, event.to) : floor.conversants;
  const speaker = speakerOfHeld(floor, event, sender);
  return candidates.filter(({ identification: { speakerUri } }) => speakerUri !== sender && speakerUri !== speaker);
}

/** The author of a held utterance that the convener publishes (D11). The author does not receive its own words. */
function speakerOfHeld(floor: Floor, event: FloorEvent, sender: string): string | undefined {
  if (event.eventType !== "utterance" || isPrivate(event) || sender !== convenerOf(floor)) return undefined;
  return event.parameters.dialogEvent.speakerUri;
}

/** An event as one recipient sees it: the history of an invite is only for the invitee and the convener (D16, D10'). */
export function viewFor(event: FloorEvent, isTarget: boolean, withheld: readonly string[]): FloorEvent {
  if (isTarget && withheld.length === 0) return event;
  return withHistory(event, ({ id }) => isTarget && !withheld.includes(id));
}

/** An invite with only these dialog events of its history. */
export function withHistory(event: FloorEvent, isKept: (one: DialogEvent) => boolean): FloorEvent {
  if (event.eventType !== "invite" || event.parameters?.dialogHistory === undefined) return event;
  const { dialogHistory, ...others } = event.parameters;
  const kept = dialogHistory.filter(isKept);
  if (kept.length > 0) return { ...event, parameters: { ...others, dialogHistory: kept } };
  const { parameters: _, ...bare } = event;
  return Object.keys(others).length === 0 ? bare : { ...bare, parameters: others };
}

export function everyone(floor: Floor): string[] {
  return floor.conversants.map((seat) => seat.identification.speakerUri);
}

/** D4: nothing of the turn is awaited any longer. */
export function isIdle(floor: Floor, turn: string): boolean {
  return floor.open.every((one) => one.turn !== turn) && floor.parked.every((one) => one.turn !== turn);
}
