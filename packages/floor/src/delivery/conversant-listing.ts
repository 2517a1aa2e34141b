import { type Conversant, introduced, type Sender } from "@plenary/protocol";
import { type Floor, type Seat, seatOf } from "../floor.ts";
import { relayUrlOf } from "./relay-address.ts";

/** The `role` that marks people: the official samples write it of their user (D40). */
const userRole = "User";

const unknownSynopsis = { person: "A person at this floor", agent: "Not introduced yet" } as const;

/**
 * A conversant as every envelope lists it. Logs may hold empty texts; on the wire no mandatory
 * text is empty (D40). People without a role get the role of a user; agents never have it.
 */
export function listingFor(floor: Floor, seat: Seat): Conversant {
  const known = listings[seat.kind].get(seat.identification);
  if (known !== undefined) return known;
  const listing = listingOf(floor, seat);
  if (seat.identification.serviceUrl !== "") listings[seat.kind].set(seat.identification, listing);
  return listing;
}

/** Cached for each identification with an address: every envelope lists all conversants. */
const listings = {
  person: new WeakMap<Seat["identification"], Conversant>(),
  agent: new WeakMap<Seat["identification"], Conversant>(),
};

function listingOf(floor: Floor, seat: Seat): Conversant {
  const { kind } = seat;
  const addressed = { ...seat.identification, serviceUrl: serviceUrlOf(floor, seat) };
  const { role, ...identification } = introduced(addressed, unknownSynopsis[kind]);
  const shown = kind === "person" ? (role ?? "").trim() || userRole : role === userRole ? undefined : role;
  return { identification: shown === undefined ? identification : { ...identification, role: shown } };
}

/** In old logs people have no address: the floor relays for them (D25). */
function serviceUrlOf({ self }: Floor, { identification: { speakerUri, serviceUrl } }: Seat): string {
  if (serviceUrl !== "") return serviceUrl;
  return self.serviceUrl === undefined ? speakerUri : relayUrlOf(self.serviceUrl, speakerUri);
}

/** The sender section for a speaker. It has an address: real agents take an envelope without one for their own. */
export function signatureOf(floor: Floor, speakerUri: string): Sender {
  if (speakerUri === floor.self.speakerUri) return floor.self;
  const seat = seatOf(floor, speakerUri);
  return seat === undefined ? { speakerUri } : { speakerUri, serviceUrl: serviceUrlOf(floor, seat) };
}
