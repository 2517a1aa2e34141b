import type { FloorEvent, Identification, Manifest } from "@plenary/protocol";

/** What the floor tells a terminal, as far as the terminal reads it. */

export type SeatKind = "person" | "agent";

export type ConversantView = {
  identification: Identification;
  kind: SeatKind;
  state: "invited" | "joined";
  hasFloor: boolean;
  presence?: "here" | "away";
};

export type ConversationView = {
  id: string;
  seq: number;
  title?: string;
  isClosed: boolean;
  isPaused: boolean;
  conversants: readonly ConversantView[];
  assignedFloorRoles: Readonly<Record<string, readonly string[]>>;
  owner?: string;
  /** Who asked for the floor and waits. */
  floorRequested: readonly string[];
  /** Who was sent something and has not answered it yet. */
  awaited?: readonly string[];
};

export type Summary = { id: string; title?: string; updatedAt: string; isClosed: boolean };

type Seat = { identification: Identification; kind: SeatKind; state: "invited" | "joined" };

/** A line of the log; `hidden` is what this reader may not see. */
export type Entry = { seq: number; at: string; turn?: string; because?: string } & (
  | { kind: "event"; sender: string; event: FloorEvent; target?: string; isNotice?: true }
  | { kind: "refused"; sender: string; event: FloorEvent; problem: string }
  | { kind: "opened"; self: { speakerUri: string }; owner?: Seat }
  | { kind: "seated"; seat: Seat }
  | { kind: "renamed"; from: string; to: string; identification: Identification }
  | { kind: "role"; role: string; speakerUri?: string }
  | { kind: "titled"; title?: string; by?: string }
  | { kind: "paused"; by?: string }
  | { kind: "resumed"; by?: string }
  | { kind: "missed"; speakerUri: string; failure: string }
  | { kind: "rebound"; speakerUri: string; serviceUrl: string }
  | { kind: "revealed"; speakerUri: string }
  | { kind: "erased"; erases: number }
  | { kind: "closed" }
  | { kind: "hidden"; whisper?: { at: string; from: string; to?: string } }
  | { kind: "received" | "parked" | "unparked" | "late" | "held" | "forwarded" }
);

export type EventEntry = Extract<Entry, { kind: "event" }>;

/** What an agent is composing; the finished utterance has the same dialogEventId. */
export type Draft = {
  speakerUri: string;
  dialogEventId: string;
  to?: { speakerUri?: string; serviceUrl?: string; private?: boolean };
  delta?: string;
  end?: "final" | "dropped";
};

export type Frame = { entry: Entry; seq: number } | { draft: Draft };

export type KnownAgent = { serviceUrl: string; manifest?: Manifest; isHosted?: true };

export type Me = {
  speakers: "anyone" | readonly string[];
  scopes: readonly string[];
  label?: string;
  floor: { speakerUri: string };
};

/** An event of an accepted envelope that was not taken. */
export type PartialRefusal = { problem: string };
