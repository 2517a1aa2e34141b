import type { DialogEvent, FloorEvent, Identification } from "@plenary/protocol";

/** A conversation as one reader may take it away. Whoever makes it has judged what that reader may see. */
export type Transcript = {
  id: string;
  title?: string;
  /** Whose view it is: a conversant's speakerUri. Absent: what everybody may see. */
  readAs?: string;
  /** Who is known beside those the entries tell of. */
  conversants: readonly TranscriptConversant[];
  /** In the order of the log; it need not begin at its beginning. */
  entries: readonly TranscriptEntry[];
  /** As the floor is after the last entry, where that is known: it says what the entries alone do not. */
  now?: FloorNow;
  /** So many entries before these are not among them, because they did not fit. */
  leftOut?: number;
};

export type TranscriptConversant = { speakerUri: string; conversationalName: string; kind?: SeatKind };

export type SeatKind = "person" | "agent";

/** A line of the log as its reader is shown it. */
export type TranscriptEntry = SeenEntry | HiddenEntry;

/** What this reader may not see. The floor does not say when it was. */
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
  /** The floor tells somebody what it lacks; nothing is taken away. */
  isNotice?: true;
  /** Deliveries in flight that it stops. */
  aborts?: readonly string[];
};

/** An event that took effect, as its reader is shown it. */
export type ShownEvent = Extract<TranscriptEntry, { kind: "event" }>;

type Delivery = { id: string; to: string };
type Seat = { identification: Identification; kind: SeatKind; state: "invited" | "joined" };

/** What a reader is told of the floor as it is now. */
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
