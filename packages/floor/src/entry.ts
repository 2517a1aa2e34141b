import { type Dialect, type FloorEvent, type Identification, isPrivate, type Sender } from "@plenary/protocol";
import type { FloorOptions, Move, Quota, Seat, Sharer } from "./floor.ts";
import type { LeftOutEvent } from "./input.ts";
import type { Because } from "./rules.ts";

/** What every line of a conversation's log says (D3). */
type Common = {
  seq: number;
  /** RFC 3339. */
  at: string;
  /** The causal root this belongs to (D4). */
  turn: string;
  /** The entry that brought this one about. */
  causedBy?: number;
  /** The id of the rule that decided. */
  because: string;
  /** Who was entitled to see it when it was decided (D5). */
  audience: readonly string[];
};

/** One recipient of one event: the delivery it goes out in, and what its answer will mean. */
export type DeliveryFact = {
  id: string;
  to: string;
  isInvite?: true;
  isAddressed?: true;
  /** The event is a private utterance of this conversant. */
  whisperer?: string;
  /** Joins the envelope that an earlier entry began (D22). */
  isMore?: true;
  /** It holds an utterance said to this conversant itself. */
  isAsked?: true;
  /** Who else hears it by this envelope: an address is sent each event once. */
  also?: readonly Sharer[];
};

type OpenedEntry = Common & { kind: "opened"; self: Sender; options: FloorOptions; owner?: Seat };

/** An accepted envelope, whole, before any of its events takes effect. */
export type ReceivedEntry = Common & {
  kind: "received";
  sender: string;
  events: readonly FloorEvent[];
  /** The delivery it answers. */
  answers?: string;
  /** It answers a private utterance of this conversant, so that its words are private (D13'). */
  whisperer?: string;
  depth: number;
  dialect?: Dialect;
  /** What it changes of the state kept for 0.9 peers. */
  persistentState?: Record<string, unknown>;
  /** What a 1.0 peer wants kept for itself. */
  conversantState?: unknown;
  /** Names in it that were trusted at another port of this machine. */
  moved?: readonly string[];
  /** Other floors it came over. */
  floors?: readonly string[];
  /** Events of the document that are not in `events`, without their content: it may have been private. */
  leftOut?: readonly LeftOutEvent[];
  via?: "operator";
  /** Its sender is seated as a person, and it came over other floors or by an agent's credential (D17). */
  isPassedOn?: true;
  /** It holds nothing, though this conversant had said something to its sender. */
  silentTo?: string;
};

/** An event that took effect. */
export type EventEntry = Common & {
  kind: "event";
  sender: string;
  event: FloorEvent;
  depth: number;
  /** Whom it is about: the one invited, granted, revoked, removed, addressed. */
  target?: string;
  /** In the order of the conversants. */
  deliveries: readonly DeliveryFact[];
  /** Deliveries in flight that it stops (D18). */
  aborts?: readonly string[];
  /** The convener returned it unchanged (D10). */
  approvedBy?: string;
  /** The floor tells somebody what it lacks; nothing is taken away. */
  isNotice?: true;
  /** Counted against the turn's budget. */
  isAgents?: true;
  /** A mark of who said what: equal for the same, and without the words. */
  said?: string;
  /** Counted against this quota of its sender. */
  quota?: Quota;
};

export type ParkedEntry = Common & {
  kind: "parked";
  sender: string;
  event?: FloorEvent;
  rest: readonly FloorEvent[];
  withheld: readonly string[];
  whispered?: readonly string[];
  boundElsewhere?: readonly string[];
  moved?: readonly string[];
  depth: number;
  isAddressed: boolean;
  whisperer?: string;
  delivery?: DeliveryFact;
  /** When the convener's time is up. */
  until?: string;
};

/** A parked envelope is taken up again: answered, out of time, or next in line. */
type ResumedEnvelopeEntry = Common & { kind: "unparked"; parkedSeq: number };

type RefusedEntry = Common & {
  kind: "refused";
  sender: string;
  event: FloorEvent;
  problem: string;
  /** It answers a private utterance of this conversant. */
  whisperer?: string;
  /** An invite to an address that the owner may yet allow. */
  move?: Move;
  /** The convener did not pass on this event of the owner. */
  isSwallowed?: true;
};

/** Somebody takes a seat, or more is known of who has one. */
type SeatedEntry = Common & { kind: "seated"; seat: Seat; isGranted?: true };

type RenamedEntry = Common & { kind: "renamed"; from: string; to: string; identification: Identification };

/** Who has a role, alone or beside others; nobody when there is no name. */
type RoleEntry = Common & {
  kind: "role";
  role: string;
  speakerUri?: string;
  /** Who has it already keeps it. */
  isAdded?: true;
  /** This one has it no longer; the others do. */
  isRemoved?: true;
};

/** Who becomes convener when it joins; nobody when there is no address. */
type ChosenEntry = Common & { kind: "chosen"; serviceUrl?: string };

/** Who did it, where somebody did and not the floor. */
type Doer = { by?: string };

type PausedEntry = Common & Doer & { kind: "paused"; aborts: readonly string[] };

type ResumedEntry = Common & Doer & { kind: "resumed" };

/** What the conversation is called from now on; nothing when it has no title any more. */
type TitledEntry = Common & Doer & { kind: "titled"; title?: string };

/** An answer or deadline that came second; it changes nothing. */
type LateEntry = Common & { kind: "late"; delivery: string };

/** A delivery that got no usable answer in time. */
type MissedEntry = Common & {
  kind: "missed";
  delivery: string;
  speakerUri: string;
  failure: string;
  /** What went wrong, in words that follow the name. */
  detail?: string;
  /** It held only news of others (D23'), or was stopped (D18): it does not count against its recipient. */
  isUncounted?: true;
  /** It answered under a name that is trusted elsewhere; the owner may yet allow it. */
  move?: Move;
};

/** A question that went to somebody who is not at the floor. */
export type ForwardedEntry = Common & {
  kind: "forwarded";
  delivery: DeliveryFact;
  serviceUrl: string;
  depth: number;
  asker: string;
};

/** Somebody who has the floor answered nothing, again and again; `audience` is who asked. */
type SilentEntry = Common & { kind: "silent"; speakerUri: string };

type HeldEntry = Common & { kind: "held"; speakerUri: string; depth: number };

/** This address is the right one for this name: owner or operator approved it, or it moved on this machine. */
export type ReboundEntry = Common & {
  kind: "rebound";
  speakerUri: string;
  serviceUrl: string;
  /** Deliveries to the address before, whose answers no longer count. */
  aborts: readonly string[];
  /** The seat under which it was invited at this address; it has one under its name already. */
  replaces?: string;
};

/** The owner or the operator refused to know a name at another address. */
type DismissedEntry = Common & { kind: "dismissed" } & Move;

/** Somebody may see more than it was here for. */
type RevealedEntry = Common & { kind: "revealed"; speakerUri: string; from: number };

/** What an earlier entry held is to be forgotten; that it was there is not. */
type ErasedEntry = Common & { kind: "erased"; erases: number };

type ClosedEntry = Common & { kind: "closed" };

export type Entry =
  | OpenedEntry
  | ReceivedEntry
  | EventEntry
  | ParkedEntry
  | ResumedEnvelopeEntry
  | RefusedEntry
  | SeatedEntry
  | RenamedEntry
  | RoleEntry
  | ChosenEntry
  | PausedEntry
  | ResumedEntry
  | TitledEntry
  | LateEntry
  | MissedEntry
  | ForwardedEntry
  | HeldEntry
  | SilentEntry
  | ReboundEntry
  | DismissedEntry
  | RevealedEntry
  | ErasedEntry
  | ClosedEntry;

/** An entry before it has its number and time. */
export type Unnumbered = {
  [Kind in Entry["kind"]]: Omit<Extract<Entry, { kind: Kind }>, "seq" | "at" | "turn" | "because"> & {
    because: Because;
  };
}[Entry["kind"]];

/** The only judge of who may see what. `seesFrom` is the reader's own, from its seat. */
export function visibleTo(entry: Entry, speakerUri: string, seesFrom?: number): boolean {
  if (entry.audience.includes(speakerUri)) return true;
  return seesFrom !== undefined && entry.seq >= seesFrom && isForEveryone(entry);
}

/** What anybody would have been shown who was here then. */
function isForEveryone(entry: Entry): boolean {
  switch (entry.kind) {
    case "event":
      return !isPrivate(entry.event) && entry.isNotice !== true;
    case "seated":
    case "renamed":
    case "role":
    case "chosen":
    case "paused":
    case "resumed":
    case "titled":
    case "rebound":
    case "dismissed":
    case "erased":
    case "closed":
      return true;
    case "opened":
    case "received":
    case "parked":
    case "unparked":
    case "refused":
    case "late":
    case "missed":
    case "forwarded":
    case "held":
    case "silent":
    case "revealed":
      return false;
  }
}
