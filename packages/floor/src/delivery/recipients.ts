import { type Conversation, type DialogEvent, type FloorEvent, isPrivate, isSameUri, type To } from "@plenary/protocol";
import { convenerOf, type Floor, type Seat, seatOf, seatsAt } from "../floor.ts";
import { listed } from "./conversant-listing.ts";

/** The addressee of a 0.9 whisper that names none: whoever has the conversation's attention (D19). */
export const focalAgent = "urn:plenary:focal-agent";

/** The conversation section of every envelope the floor sends: the floor manager curates it (spec 2.2). */
export function conversationOf(floor: Floor): Conversation {
  return {
    id: floor.id,
    conversants: floor.conversants.map((seat) => listed(floor, seat)),
    assignedFloorRoles: floor.roles,
    floorGranted: [...floor.floorGranted],
  };
}

const nobody: readonly Seat[] = [];

/** Whom `to` means, as far as they are at the floor. A whisper is for a name to the letter, or for nobody. */
export function resolve(floor: Floor, to: To | undefined): readonly Seat[] {
  if (to === undefined) return nobody;
  if (to.speakerUri === undefined) return to.serviceUrl === undefined ? nobody : seatsAt(floor, to.serviceUrl);
  const seat = seatOf(floor, to.speakerUri) ?? (to.private ? undefined : seatLike(floor, to.speakerUri));
  if (seat !== undefined) return [seat];
  // Spec 0.6: the speakerUri identifies. The address alone says who is meant only where no name is known yet.
  const { serviceUrl } = to;
  return serviceUrl === undefined ? nobody : seatsAt(floor, serviceUrl).filter(({ isProvisional }) => isProvisional);
}

/** Peers differ over names in case and a slash at the end; somebody else's exact name always wins. */
export function seatLike(floor: Floor, speakerUri: string): Seat | undefined {
  return floor.conversants.find(({ identification }) => isSameUri(identification.speakerUri, speakerUri));
}

/** A whisper for the focal agent names it from here on. */
export function addressed(floor: Floor, event: FloorEvent): FloorEvent {
  const speakerUri = event.to?.speakerUri === focalAgent ? floor.attention[0] : undefined;
  return speakerUri === undefined ? event : { ...event, to: { ...event.to, speakerUri } };
}

/** Spec 2.2: everyone, but for a whisper only its addressee. Our choice: never the sender itself, or parrots would echo. */
export function recipientsOf(floor: Floor, event: FloorEvent, sender: string): readonly Seat[] {
  const candidates = isPrivate(event) ? resolve(floor, event.to) : floor.conversants;
  const speaker = speakerOfHeld(floor, event, sender);
  return candidates.filter(({ identification: { speakerUri } }) => speakerUri !== sender && speakerUri !== speaker);
}

/** Whose words the convener says that it held back before (D11): they know them, and would take them for the convener's. */
function speakerOfHeld(floor: Floor, event: FloorEvent, sender: string): string | undefined {
  if (event.eventType !== "utterance" || isPrivate(event) || sender !== convenerOf(floor)) return undefined;
  return event.parameters.dialogEvent.speakerUri;
}

/** What one recipient gets to see of an event: the history of an invite is for the invitee alone, and the convener (D16, D10'). */
export function viewFor(event: FloorEvent, isTarget: boolean, withheld: readonly string[]): FloorEvent {
  if (isTarget && withheld.length === 0) return event;
  return withHistory(event, ({ id }) => isTarget && !withheld.includes(id));
}

/** An invite with this part of its history, in the order and the words it was written in. */
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
