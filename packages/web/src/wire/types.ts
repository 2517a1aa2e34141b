import type { DialogEvent, FloorEvent, Identification, Manifest } from "@plenary/protocol";

/** What the floor tells a page, as far as the page reads it. */

export type SeatKind = "person" | "agent";

export type ConversantView = {
  identification: Identification;
  kind: SeatKind;
  state: "invited" | "joined";
  since: number;
  /** Deadlines missed in a row. */
  misses: number;
  hasFloor: boolean;
  invitedBy?: string;
  presence?: "here" | "away";
};

export type ConversationView = {
  id: string;
  seq: number;
  title?: string;
  isClosed: boolean;
  isPaused: boolean;
  conversants: readonly ConversantView[];
  floorGranted: readonly string[];
  assignedFloorRoles: Readonly<Record<string, readonly string[]>>;
  owner?: string;
  /** Who asked for the floor and waits. */
  floorRequested: readonly string[];
  /** Who was sent something and has not answered it yet. */
  awaited?: readonly string[];
};

export type Summary = {
  id: string;
  seq: number;
  title?: string;
  startedAt: string;
  updatedAt: string;
  isClosed: boolean;
};

export type Utterance = FloorEvent & { eventType: "utterance"; parameters: { dialogEvent: DialogEvent } };

/** A line of the log; `hidden` is what this reader may not see. */
export type Entry = { seq: number; at: string; turn?: string; causedBy?: number; because?: string } & (
  | ({
      kind: "event";
      sender: string;
      event: FloorEvent;
      target?: string;
      deliveries?: readonly Delivery[];
    } & EventFacts)
  | { kind: "refused"; sender: string; event: FloorEvent; problem: string }
  | { kind: "received"; sender: string; answers?: string }
  | { kind: "parked"; sender: string; event?: FloorEvent }
  | { kind: "unparked"; parkedSeq: number }
  | { kind: "opened"; self: { speakerUri: string }; owner?: Seat }
  | { kind: "seated"; seat: Seat; isGranted?: true }
  | { kind: "renamed"; from: string; to: string; identification: Identification }
  | { kind: "role"; role: string; speakerUri?: string }
  | { kind: "titled"; title?: string; by?: string }
  | { kind: "paused"; aborts?: readonly string[]; by?: string }
  | { kind: "resumed"; by?: string }
  | { kind: "late"; delivery: string }
  | { kind: "missed"; delivery: string; speakerUri: string; failure: string }
  | { kind: "held"; speakerUri: string }
  | { kind: "forwarded" }
  | { kind: "rebound"; speakerUri: string; serviceUrl: string }
  | { kind: "revealed"; speakerUri: string; from: number }
  | { kind: "erased"; erases: number }
  | { kind: "closed" }
  | { kind: "hidden"; whisper?: { at: string; from: string; to?: string } }
);

type EventFacts = {
  /** The convener returned it unchanged. */
  approvedBy?: string;
  /** The floor tells somebody what it lacks; nothing is taken away. */
  isNotice?: true;
  /** Deliveries in flight that it stops. */
  aborts?: readonly string[];
};

export type EventEntry = Extract<Entry, { kind: "event" }>;

type Delivery = { id: string; to: string };
type Seat = { identification: Identification; kind: SeatKind; state: "invited" | "joined" };

/** What an agent is composing; the finished utterance has the same dialogEventId. */
export type Draft = {
  conversation: string;
  speakerUri: string;
  dialogEventId: string;
  to?: { speakerUri?: string; serviceUrl?: string; private?: boolean };
  delta?: string;
  end?: "final" | "dropped";
};

export type Frame = { entry: Entry; seq: number } | { draft: Draft };

export type KnownAgent = {
  serviceUrl: string;
  manifest?: Manifest;
  health: "answering" | "silent";
  askedAt: string;
  isHosted?: true;
};

/** Who this page is, by its credential. */
export type Me = {
  kind: "operator" | "person" | "agent" | "guest";
  speakers: "anyone" | readonly string[];
  scopes: readonly string[];
  conversations?: readonly string[];
  label?: string;
  expiresAt?: string;
  floor: { speakerUri: string; serviceUrl: string };
};

export type GuestLink = {
  id: string;
  label?: string;
  usesLeft: number;
  createdAt: string;
  expiresAt: string;
  revokedAt?: string;
};

/** An event of an accepted envelope that was not taken. */
export type PartialRefusal = { index?: number; because: string; problem: string };

export type { DialogEvent, FloorEvent, Identification };
