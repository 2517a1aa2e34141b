import type { FloorEvent } from "@plenary/protocol";
import { asFloor, type Draft, type Origin, write } from "./draft.ts";
import { convenerOf, isGranted, type OpenDelivery, seatOf } from "./floor.ts";
import { record } from "./record.ts";

/**
 * D23: some agents take an invite for a seat and wait for grantFloor before they speak. One that accepted without a word is
 * sent it once; nobody else is, because nothing changes for others. A convener decides about the floor itself.
 */
export function grantNewcomer(draft: Draft, origin: Origin, events: readonly FloorEvent[]): void {
  const { floor } = draft;
  const seat = seatOf(floor, origin.speakerUri);
  const types = events.map(({ eventType }) => eventType);
  if (!types.includes("acceptInvite") || types.includes("utterance")) return;
  // 0.9 has no such event.
  if (seat === undefined || seat.dialect === "0.9" || convenerOf(floor) !== undefined) return;
  const { speakerUri } = seat.identification;
  if (!isGranted(floor, speakerUri)) return;
  const event: FloorEvent = { eventType: "grantFloor", to: { speakerUri } };
  const facts = { target: speakerUri, recipients: [seat] };
  record(draft, asFloor(draft, origin), event, "2.1/granted-on-joining", facts);
}

/** Utterances answered with nothing, in a row, after which the one who asked is shown why. */
const silencesMax = 2;

/** Who asked, if the answer to it holds nothing. */
export function silentTo({ askedBy }: OpenDelivery, events: readonly FloorEvent[]): { silentTo?: string } {
  return askedBy === undefined || events.length > 0 ? {} : { silentTo: askedBy };
}

/** D23: a person who asked in vain learns that the other one has the floor and may wait to be given it. */
export function explainSilence(draft: Draft, origin: Origin, asker: string | undefined): void {
  const { floor } = draft;
  const { speakerUri, turn, causedBy } = origin;
  if (asker === undefined || seatOf(floor, asker)?.kind !== "person" || !isGranted(floor, speakerUri)) return;
  if (seatOf(floor, speakerUri)?.silences !== silencesMax) return;
  write(draft, turn, { kind: "silent", because: "2.1/silent", causedBy, audience: [asker], speakerUri });
}
