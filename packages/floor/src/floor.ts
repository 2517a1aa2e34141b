import { canonicalAddress, type Dialect, type FloorEvent, type Identification, type Sender } from "@plenary/protocol";
import { defaultOptions, type FloorOptions } from "./options.ts";

/** A conversant. `invited` until it answers its invite in any way but declining (D14). */
export type Seat = {
  identification: Identification;
  kind: "person" | "agent";
  state: "invited" | "joined";
  /** Joined by an invitation link of the owner. */
  isGuest?: true;
  /** Invited by address alone: the address stands for the speakerUri until its first answer. */
  isProvisional?: true;
  invitedBy?: string;
  /** The sequence number at which it was seated. */
  since: number;
  /** The entry that changed its address. */
  movedAt?: number;
  /** Known once it has answered. */
  dialect?: Dialect;
  /** Deadlines missed in a row (D23). */
  misses: number;
  /** Utterances addressed to it and answered with nothing, in a row (D23). */
  silences?: number;
  /**
   * The newest delivery to it: what it says unasked belongs to that turn (D17). Of a person only where it has passed on
   * events from elsewhere: the newest event that it can read.
   */
  last?: { turn: string; depth: number };
  /** Roles that its invite named and its inviter may give: assigned when it accepts (D41). */
  expectedRoles?: readonly string[];
  /** It sees public entries from this sequence number on, although it was seated later. */
  seesFrom?: number;
};

/** Another speaker at the address of a delivery: the same envelope is for it too. */
export type Sharer = { to: string; isAddressed?: true; isGone?: true };

/** A delivery whose answer is still open. */
export type OpenDelivery = {
  id: string;
  to: string;
  turn: string;
  depth: number;
  isInvite: boolean;
  /** It held an event addressed to this conversant, so its answer may be heard without the floor (D7). */
  isAddressed: boolean;
  isDelegation: boolean;
  /** Other speakers at this address, who may answer too. Those who have left since stay listed. */
  also?: readonly Sharer[];
  /** The sender of an utterance in it that was addressed to this conversant. */
  askedBy?: string;
  /** It held a private utterance of this conversant: the answer is private, too (D13'). */
  whisperer?: string;
  /** It went to an outsider, on behalf of this conversant (D15). */
  asker?: string;
  /** The address of that outsider. */
  serviceUrl?: string;
  at: string;
};

/** A waiting envelope: its first event, or an earlier envelope of the same sender, is with the convener (D9). */
export type Parked = {
  sender: string;
  turn: string;
  depth: number;
  /** The open delegation; absent while it waits for an earlier envelope of its sender. */
  delivery?: string;
  /** The convener's deadline (D2). */
  until?: string;
  /** The event that was delegated. */
  delegated?: FloorEvent;
  /** The events that follow. */
  rest: readonly FloorEvent[];
  withheld: readonly string[];
  whispered?: readonly string[];
  boundElsewhere?: readonly string[];
  moved?: readonly string[];
  isAddressed: boolean;
  /** It answers a private utterance of this conversant (D13'). */
  whisperer?: string;
  seq: number;
};

/** Events with a limit for each sender in each turn. */
export type Quota = "invites" | "uninvites" | "manifests";

/** The quota use of one sender. */
type Spent = { speakerUri: string } & Record<Quota, number>;

/** What the agents have done in a turn; the loop guard reads it (D17). */
export type TurnState = {
  turn: string;
  agentEvents: number;
  /** Fingerprints of speaker and text, one for each utterance. */
  said: readonly string[];
  isPaused: boolean;
  /** Other floors that this turn came over, in order. */
  floors?: readonly string[];
  spent?: readonly Spent[];
};

/** A request for the floor that the convener has neither granted nor refused yet (D11). */
type HeldRequest = { speakerUri: string; seq: number; turn: string; depth: number };

/** A speaker's request for a new address. */
export type AddressChange = { speakerUri: string; serviceUrl: string };

/** The state of a conversation that decisions need. Plain data, and always the fold of its entries. */
export type Floor = {
  id: string;
  seq: number;
  /** The sender section of the floor's own events. */
  self: Sender;
  options: FloorOptions;
  /** In the order in which they were seated. */
  conversants: readonly Seat[];
  floorGranted: readonly string[];
  roles: Readonly<Record<string, string[]>>;
  /** Former names of a conversant -> its speakerUri. */
  aliases: Readonly<Record<string, string>>;
  /** speakerUri -> the serviceUrl that owner or operator approved for it, the newest last. */
  bindings: Readonly<Record<string, string>>;
  /** Names that answered, or were invited, at an address they are not bound to: the owner allows or refuses it. */
  moves?: readonly AddressChange[];
  open: readonly OpenDelivery[];
  parked: readonly Parked[];
  turns: readonly TurnState[];
  held: readonly HeldRequest[];
  /** Speakers that got the notice that they lack the floor, since they lost it (D8). */
  told: readonly string[];
  /** Delegations missed in a row (D11). */
  convenerMisses: number;
  /** Events of the owner in a row that the convener did not pass on; absent while there are none. */
  swallowed?: number;
  /** The agents that were invited, granted or addressed, the most recent first (D19). */
  attention: readonly string[];
  /** State that 0.9 peers asked to keep (D19). */
  persistentState: Readonly<Record<string, { by: string; value: unknown }>>;
  /** The same for 1.0 peers, which keep one value each: by speakerUri. */
  conversantState: Readonly<Record<string, unknown>>;
  isClosed: boolean;
};

/**
 * A shallow copy of a floor that becomes the next one. Its parts belong to the floor before: an update replaces them and
 * never writes into them.
 */
export type NextFloor = { -readonly [Key in keyof Floor]: Floor[Key] };

export function emptyFloor(id: string): Floor {
  return {
    id,
    seq: 0,
    self: { speakerUri: "" },
    options: defaultOptions,
    conversants: [],
    floorGranted: [],
    roles: {},
    aliases: {},
    bindings: {},
    open: [],
    parked: [],
    turns: [],
    held: [],
    told: [],
    convenerMisses: 0,
    attention: [],
    persistentState: {},
    conversantState: {},
    isClosed: false,
  };
}

/** What a newcomer sees of earlier entries. */
export function initialVisibility({ newcomersSee }: FloorOptions): Pick<Seat, "seesFrom"> {
  return newcomersSee === "everything" ? { seesFrom: 1 } : {};
}

export function convenerOf(floor: Floor): string | undefined {
  return floor.roles.convener?.[0];
}

export function ownerOf(floor: Floor): string | undefined {
  return floor.roles.owner?.[0];
}

export function isGranted(floor: Floor, speakerUri: string): boolean {
  return floor.floorGranted.includes(speakerUri);
}

/** The seat under this name: a conversant's speakerUri, or an earlier one. */
export function seatOf(floor: Floor, speakerUri: string): Seat | undefined {
  const seat = seatNamed(floor, speakerUri);
  if (seat !== undefined || !Object.hasOwn(floor.aliases, speakerUri)) return seat;
  return seatNamed(floor, floor.aliases[speakerUri]);
}

/** The seat of an authenticated speaker: former names do not count. */
export function seatNamed(floor: Floor, speakerUri: string | undefined): Seat | undefined {
  for (const seat of floor.conversants) if (seat.identification.speakerUri === speakerUri) return seat;
  return undefined;
}

export function seatsAt(floor: Floor, serviceUrl: string): Seat[] {
  const address = canonicalAddress(serviceUrl);
  return floor.conversants.filter((seat) => addressOf(seat) === address);
}

/** Canonical addresses, computed once for each identification: every event compares those of all agents. */
const addresses = new WeakMap<Identification, string>();

/** The address of a conversant in canonical form. */
export function addressOf({ identification }: Seat): string {
  const known = addresses.get(identification);
  if (known !== undefined) return known;
  const address = canonicalAddress(identification.serviceUrl);
  addresses.set(identification, address);
  return address;
}

/** The delivery, while its answer is awaited. `to` answers it, or another agent at the same address. */
export function openDelivery(floor: Floor, id: string): OpenDelivery | undefined {
  return floor.open.find((one) => one.id === id);
}

export function turnState(floor: Floor, turn: string): TurnState | undefined {
  return floor.turns.find((one) => one.turn === turn);
}

export function isPaused(floor: Floor, turn: string): boolean {
  return turnState(floor, turn)?.isPaused === true;
}
