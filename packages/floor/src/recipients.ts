import { type Conversation, type FloorEvent, isPrivate, isSameUri, type To } from "@plenary/protocol";
import { convenerOf, type Floor, type Seat, seatOf, seatsAt } from "./floor.ts";

/** The addressee of a 0.9 whisper that names none: whoever has the conversation's attention (D19). */
export const focalAgent = "urn:plenary:focal-agent";

/** The conversation section of every envelope the floor sends: the floor manager curates it (spec 2.2). */
export function conversationOf(floor: Floor): Conversation {
  return {
    id: floor.id,
    conversants: floor.conversants.map(({ identification }) => ({ identification })),
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
  const targets = resolve(floor, event.to);
  const candidates = isPrivate(event) ? targets : floor.conversants;
  const speaker = speakerOfHeld(floor, event, sender);
  return candidates.filter((seat) => {
    const { speakerUri } = seat.identification;
    if (speakerUri === sender || speakerUri === speaker) return false;
    // Floors of 0.9 and 1.0 send an event to its addressee alone, and agents of that time rely on it (D19).
    const isOld = seat.dialect !== undefined && seat.dialect !== "1.1";
    return !isOld || event.to === undefined || targets.includes(seat);
  });
}

/** Whose words the convener says that it held back before (D11): they know them, and would take them for the convener's. */
function speakerOfHeld(floor: Floor, event: FloorEvent, sender: string): string | undefined {
  if (event.eventType !== "utterance" || isPrivate(event) || sender !== convenerOf(floor)) return undefined;
  return event.parameters.dialogEvent.speakerUri;
}

/** What one recipient gets to see of an event: the history of an invite is for the invitee alone (D16). */
export function viewFor(event: FloorEvent, isTarget: boolean, withheld: readonly string[]): FloorEvent {
  if (event.eventType !== "invite" || event.parameters?.dialogHistory === undefined) return event;
  const { dialogHistory, ...others } = event.parameters;
  if (isTarget && withheld.length === 0) return event;
  const kept = isTarget ? dialogHistory.filter(({ id }) => !withheld.includes(id)) : [];
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
