import type { Dialect, FloorEvent, Identification, Sender } from "@plenary/protocol";
import type { AddressChange, Quota, Seat, Sharer } from "./floor.ts";
import type { LeftOutEvent } from "./input.ts";
import type { FloorOptions } from "./options.ts";
import type { Because } from "./rules.ts";

/** The fields of every entry of a log (D3). */
type EntryBase = {
  seq: number;
  /** RFC 3339. */
  at: string;
  /** The causal root this belongs to (D4). */
  turn: string;
  /** The entry that caused this one. */
  causedBy?: number;
  /** The id of the rule that decided. */
  because: string;
  /** The speakers that could see it when it was decided (D5). */
  audience: readonly string[];
};

/** One recipient of one event: its delivery, and how its answer is treated. */
export type DeliveryFact = {
  id: string;
  to: string;
  isInvite?: true;
  isAddressed?: true;
  /** The event is a private utterance of this conversant. */
  whisperer?: string;
  /** Added to the envelope that an earlier entry started (D22). */
  isMore?: true;
  /** It holds an utterance addressed to this conversant. */
  isAsked?: true;
  /** Other speakers at the same address: an address receives each event once. */
  also?: readonly Sharer[];
};

type OpenedEntry = EntryBase & { kind: "opened"; self: Sender; options: FloorOptions; owner?: Seat };

/** An accepted envelope, whole, before any of its events takes effect. */
export type ReceivedEntry = EntryBase & {
  kind: "received";
  sender: string;
  events: readonly FloorEvent[];
  /** The delivery it answers. */
  answers?: string;
  /** It answers a private utterance of this conversant, so it is private too (D13'). */
  whisperer?: string;
  depth: number;
  dialect?: Dialect;
  /** Changes to the state kept for 0.9 peers. */
  persistentState?: Record<string, unknown>;
  /** The state that a 1.0 peer asks to keep for itself. */
  conversantState?: unknown;
  /** Names in it that are bound to another port of this machine. */
  moved?: readonly string[];
  /** Other floors it came over. */
  floors?: readonly string[];
  /** Events of the document that are not in `events`, without their content: it may have been private. */
  leftOut?: readonly LeftOutEvent[];
  via?: "operator";
  /** Its sender is a person, and it came over other floors or with an agent's credential (D17). */
  isPassedOn?: true;
  /** It is empty, although this conversant had addressed its sender. */
  silentTo?: string;
};

/** An event that took effect. */
export type EventEntry = EntryBase & {
  kind: "event";
  sender: string;
  event: FloorEvent;
  depth: number;
  /** The conversant that is invited, granted, revoked, removed or addressed. */
  target?: string;
  /** In the order of the conversants. */
  deliveries: readonly DeliveryFact[];
  /** Deliveries in flight that it stops (D18). */
  aborts?: readonly string[];
  /** The convener returned it unchanged (D10). */
  approvedBy?: string;
  /** A notice of the floor to one conversant; it takes nothing away. */
  isNotice?: true;
  /** Counted against the turn's budget. */
  isAgents?: true;
  /** A fingerprint of speaker and text, without the text. */
  said?: string;
  /** Counted against this quota of its sender. */
  quota?: Quota;
};

export type ParkedEntry = EntryBase & {
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
  /** The convener's deadline. */
  until?: string;
};

/** A parked envelope is routed again: the convener answered, its deadline passed, or the envelope is next. */
type ResumedEnvelopeEntry = EntryBase & { kind: "unparked"; parkedSeq: number };

type RefusedEntry = EntryBase & {
  kind: "refused";
  sender: string;
  event: FloorEvent;
  problem: string;
  /** It answers a private utterance of this conversant. */
  whisperer?: string;
  /** An invite to an address that the owner may yet allow. */
  move?: AddressChange;
  /** The convener did not pass on this event of the owner. */
  isSwallowed?: true;
};

/** A new seat, or new facts about an existing one. */
type SeatedEntry = EntryBase & { kind: "seated"; seat: Seat; isGranted?: true };

type RenamedEntry = EntryBase & { kind: "renamed"; from: string; to: string; identification: Identification };

/** An assignment of a role. Without `speakerUri` the role has no member any more. */
type RoleEntry = EntryBase & {
  kind: "role";
  role: string;
  speakerUri?: string;
  /** Other members keep the role. */
  isAdded?: true;
  /** Only this member loses the role. */
  isRemoved?: true;
};

/** The agent at this address becomes convener when it joins. Without an address no agent does. */
type ChosenEntry = EntryBase & { kind: "chosen"; serviceUrl?: string };

/** The conversant that did it; absent when the floor did. */
type OptionalActor = { by?: string };

type PausedEntry = EntryBase & OptionalActor & { kind: "paused"; aborts: readonly string[] };

type ResumedEntry = EntryBase & OptionalActor & { kind: "resumed" };

/** The new title; absent when the title was removed. */
type TitledEntry = EntryBase & OptionalActor & { kind: "titled"; title?: string };

/** An answer or deadline that came second; it changes nothing. */
type LateEntry = EntryBase & { kind: "late"; delivery: string };

/** A delivery that got no usable answer in time. */
type MissedEntry = EntryBase & {
  kind: "missed";
  delivery: string;
  speakerUri: string;
  failure: string;
  /** What went wrong: a phrase that follows the name of the recipient. */
  detail?: string;
  /** It held only events about others (D23'), or was stopped (D18): it does not count as a miss. */
  isUncounted?: true;
  /** It answered under a name that is bound to another address; the owner may allow it. */
  move?: AddressChange;
};

/** A question that went to an outsider. */
export type ForwardedEntry = EntryBase & {
  kind: "forwarded";
  delivery: DeliveryFact;
  serviceUrl: string;
  depth: number;
  asker: string;
};

/** A conversant with the floor answered nothing several times in a row; `audience` is the one who asked. */
type SilentEntry = EntryBase & { kind: "silent"; speakerUri: string };

type HeldEntry = EntryBase & { kind: "held"; speakerUri: string; depth: number };

/** Binds a name to an address: owner or operator approved it, or the agent changed its port on this machine. */
export type ReboundEntry = EntryBase & {
  kind: "rebound";
  speakerUri: string;
  serviceUrl: string;
  /** Deliveries to the address before, whose answers no longer count. */
  aborts: readonly string[];
  /** The seat it was invited under at this address, when it has a seat under its own name already. */
  replaces?: string;
};

/** The owner or the operator refused a new address of a name. */
type DismissedEntry = EntryBase & { kind: "dismissed" } & AddressChange;

/** A conversant may see entries from before it joined. */
type RevealedEntry = EntryBase & { kind: "revealed"; speakerUri: string; from: number };

/** The content of an earlier entry is to be erased; the entry itself stays. */
type ErasedEntry = EntryBase & { kind: "erased"; erases: number };

type ClosedEntry = EntryBase & { kind: "closed" };

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

/** An entry without its number and time. */
export type NewEntry = {
  [Kind in Entry["kind"]]: Omit<Extract<Entry, { kind: Kind }>, "seq" | "at" | "turn" | "because"> & {
    because: Because;
  };
}[Entry["kind"]];
