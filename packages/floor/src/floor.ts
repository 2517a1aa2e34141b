import { canonicalAddress, type Dialect, type FloorEvent, type Identification, type Sender } from "@plenary/protocol";

/** A conversant at the floor. `invited` until it answers its invite in any way but declining (D14). */
export type Seat = {
  identification: Identification;
  kind: "person" | "agent";
  state: "invited" | "joined";
  /** Came by a link of the owner. */
  isGuest?: true;
  /** Invited by address alone: the address stands for the speakerUri until its first answer. */
  isProvisional?: true;
  invitedBy?: string;
  /** The sequence number from which it is here. */
  since: number;
  /** The entry since which it is reached at another address than it came from. */
  movedAt?: number;
  /** Known once it has answered. */
  dialect?: Dialect;
  /** Deadlines missed in a row (D23). */
  misses: number;
  /** Utterances said to it that it answered with nothing, in a row (D23). */
  silences?: number;
  /**
   * The newest delivery to it: what it says unasked belongs to that turn (D17). Of a person only where it has passed on
   * events from elsewhere: the newest event that it can read.
   */
  last?: { turn: string; depth: number };
  /** Roles that its invite named, as far as its inviter may give them: assigned when it accepts (D41). */
  expectedRoles?: readonly string[];
  /** What was for everyone is shown to it from this sequence number on, though it came later. */
  seesFrom?: number;
};

/** Another speaker at the address of a delivery: the envelope that goes there is for it too. */
export type Sharer = { to: string; isAddressed?: true; isGone?: true };

/** A delivery whose answer is still open. */
export type OpenDelivery = {
  id: string;
  to: string;
  turn: string;
  depth: number;
  isInvite: boolean;
  /** It held something said to this conversant itself, so its answer may be heard without the floor (D7). */
  isAddressed: boolean;
  isDelegation: boolean;
  /** Others at this address, who hear it too and may answer it. Who has left since is still named. */
  also?: readonly Sharer[];
  /** Who said something to this conversant itself in it. */
  askedBy?: string;
  /** It held a private utterance of this conversant: the answer is private, too (D13'). */
  whisperer?: string;
  /** It went to somebody who is not at the floor, for this conversant (D15). */
  asker?: string;
  /** Where that somebody is. */
  serviceUrl?: string;
  at: string;
};

/** An envelope that waits: its first event is with the convener, or an earlier envelope of the same sender is (D9). */
export type Parked = {
  sender: string;
  turn: string;
  depth: number;
  /** The delegation that is awaited; absent while it waits for an earlier envelope of its sender. */
  delivery?: string;
  /** When the convener's time is up (D2). */
  until?: string;
  /** The event that was delegated. */
  delegated?: FloorEvent;
  /** What remains to be done afterwards. */
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

/** What is rationed, for each sender in each turn. */
export type Quota = "invites" | "uninvites" | "manifests";

/** What one sender has used of its quotas. */
type Spent = { speakerUri: string } & Record<Quota, number>;

/** What the agents have done in a turn; the brake against loops reads it (D17). */
export type TurnState = {
  turn: string;
  agentEvents: number;
  /** A mark of who said what, once for each time it was said. */
  said: readonly string[];
  isPaused: boolean;
  /** Other floors that are behind this turn, in the order it came over them. */
  floors?: readonly string[];
  spent?: readonly Spent[];
};

/** A request for the floor that the convener has neither granted nor refused yet (D11). */
type HeldRequest = { speakerUri: string; seq: number; turn: string; depth: number };

export type FloorOptions = {
  /** `guarded` only adds refusals to `spec` (D13). */
  policy: "guarded" | "spec";
  /** Spec 2.2 reads as a table that is enforced; 0.4.3 calls the floor advisory. Both can be had. */
  floorEnforcement: "table" | "advisory";
  onConvenerFailure: "open" | "closed";
  convenerDeadlineMs: number;
  requestHeldMs: number;
  turnDepthMax: number;
  turnAgentEventsMax: number;
  sameTextMax: number;
  missesMax: number;
  conversantsMax: number;
  convenerEventsMax: number;
  /** Quotas of an agent, the convener too, for each turn. */
  turnInvitesMax: number;
  turnUninvitesMax: number;
  /** getManifests and publishManifests together. */
  turnManifestsMax: number;
  /** What was said before somebody came is shown to it, or not. Whispers never are. */
  newcomersSee: "fromJoin" | "everything";
  /** What becomes of a public answer to a private utterance; without it, and under the policy `guarded`, it is private (D13'). */
  whisperAnswers?: "private" | "asWritten";
  /** Whether guests may remove and silence agents that the owner brought; without it they may not (D13'). */
  guestsMay?: "speak" | "moderate";
  /** How long an agent may think before it counts as not answering; absent: as long as the server waits (D23'). */
  agentTimeoutMs?: number;
  /** The serviceUrl of the agent that becomes convener when it joins (D12). */
  convener?: string;
  /** The serviceUrl of the agent invited back when the last agent leaves (D20). */
  favoriteAgent?: string;
  /** A sub-floor names the conversation it serves (D34). */
  parent?: string;
  /** What people call the conversation; the newest is the one that counts. */
  title?: string;
};

export const defaultOptions: FloorOptions = {
  policy: "guarded",
  floorEnforcement: "table",
  onConvenerFailure: "open",
  convenerDeadlineMs: 10_000,
  requestHeldMs: 60_000,
  turnDepthMax: 16,
  turnAgentEventsMax: 64,
  sameTextMax: 3,
  missesMax: 3,
  conversantsMax: 64,
  convenerEventsMax: 32,
  turnInvitesMax: 8,
  turnUninvitesMax: 8,
  turnManifestsMax: 16,
  newcomersSee: "fromJoin",
};

/** A name and the address that it wants to be known at. */
export type Move = { speakerUri: string; serviceUrl: string };

/** Everything a decision needs to know of a conversation. Plain data, and always the fold of its entries. */
export type Floor = {
  id: string;
  seq: number;
  /** How the floor itself signs what it says. */
  self: Sender;
  options: FloorOptions;
  /** In the order in which they came. */
  conversants: readonly Seat[];
  floorGranted: readonly string[];
  roles: Readonly<Record<string, string[]>>;
  /** Names a conversant was once known by -> its speakerUri. */
  aliases: Readonly<Record<string, string>>;
  /** speakerUri -> the serviceUrl that owner or operator approved for it here, the newest last. */
  bindings: Readonly<Record<string, string>>;
  /** Names that answered, or were invited, at an address where they are not trusted: the owner allows or refuses it. */
  moves?: readonly Move[];
  open: readonly OpenDelivery[];
  parked: readonly Parked[];
  turns: readonly TurnState[];
  held: readonly HeldRequest[];
  /** Who was told that it lacks the floor, since it lost it (D8). */
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
 * A copy of a floor on its way to being the next one. Its parts still belong to the floor before: a move replaces them and
 * never writes into them. No move knows a rule.
 */
export type Next = { -readonly [Key in keyof Floor]: Floor[Key] };

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

/** What a newcomer gets to see of the time before it. */
export function sightOf({ newcomersSee }: FloorOptions): Pick<Seat, "seesFrom"> {
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

/** Whom others mean by this name: a conversant's speakerUri, or one it had before. */
export function seatOf(floor: Floor, speakerUri: string): Seat | undefined {
  const seat = seatNamed(floor, speakerUri);
  if (seat !== undefined || !Object.hasOwn(floor.aliases, speakerUri)) return seat;
  return seatNamed(floor, floor.aliases[speakerUri]);
}

/** Who proved to be this speaker has this seat: a name that a conversant was once called by proves nothing. */
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

/** The delivery, as long as its answer is awaited. `to` answers it, or another agent at the same address. */
export function openDelivery(floor: Floor, id: string): OpenDelivery | undefined {
  return floor.open.find((one) => one.id === id);
}

export function turnState(floor: Floor, turn: string): TurnState | undefined {
  return floor.turns.find((one) => one.turn === turn);
}

export function isPaused(floor: Floor, turn: string): boolean {
  return turnState(floor, turn)?.isPaused === true;
}
