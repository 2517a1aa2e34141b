import type { DialogEvent, FloorEvent, Identification } from "@plenary/protocol";

/** A conversation as one reader may export it. The caller has applied the visibility rules. */
export type Transcript = {
  id: string;
  title?: string;
  /** The reader's speakerUri. Absent: the public view. */
  readAs?: string;
  /** Known conversants in addition to those in the entries. */
  conversants: readonly TranscriptConversant[];
  /** In the order of the log; it need not begin at its beginning. */
  entries: readonly TranscriptEntry[];
  /** The state of the floor after the last entry, if known. */
  now?: FloorNow;
  /** The number of earlier entries that were left out for size. */
  leftOut?: number;
};

export type TranscriptConversant = { speakerUri: string; conversationalName: string; kind?: SeatKind };

export type SeatKind = "person" | "agent";

/** An entry of the log as one reader sees it. */
export type TranscriptEntry = SeenEntry | HiddenEntry;

/** An entry that this reader may not see, without its time. */
type HiddenEntry = {
  seq: number;
  kind: "hidden";
  whisper?: { at: string; from: string; to?: string };
  at?: string;
  because?: undefined;
};

type SeenEntry = { seq: number; at: string; turn?: string; causedBy?: number; because?: string } & (
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
  | { kind: "role"; role: string; speakerUri?: string; isAdded?: true; isRemoved?: true }
  | { kind: "chosen"; serviceUrl?: string }
  | { kind: "titled"; title?: string; by?: string }
  | { kind: "paused"; aborts?: readonly string[]; by?: string }
  | { kind: "resumed"; by?: string }
  | { kind: "late"; delivery: string }
  | { kind: "missed"; delivery: string; speakerUri: string; failure: string; detail?: string }
  | { kind: "held"; speakerUri: string }
  | { kind: "silent"; speakerUri: string }
  | { kind: "forwarded" }
  | { kind: "rebound"; speakerUri: string; serviceUrl: string }
  | { kind: "dismissed"; speakerUri: string; serviceUrl: string }
  | { kind: "revealed"; speakerUri: string; from: number }
  | { kind: "erased"; erases: number }
  | { kind: "closed" }
);

type EventFacts = {
  /** The convener returned it unchanged. */
  approvedBy?: string;
  /** A notice of the floor to one conversant; it takes nothing away. */
  isNotice?: true;
  /** Deliveries in flight that it stops. */
  aborts?: readonly string[];
};

/** An event that took effect, as one reader sees it. */
export type ShownEvent = Extract<TranscriptEntry, { kind: "event" }>;

type Delivery = { id: string; to: string };
type Seat = { identification: Identification; kind: SeatKind; state: "invited" | "joined" };

/** The current state of the floor, as one reader sees it. */
export type FloorNow = {
  seq: number;
  isPaused: boolean;
  conversants: readonly (Seat & { since: number })[];
  floorGranted: readonly string[];
  assignedFloorRoles: Readonly<Record<string, readonly string[]>>;
  owner?: string;
  /** Who asked for the floor and waits. */
  floorRequested: readonly string[];
};

export type { DialogEvent, FloorEvent, Identification };
