import type { DialogEvent, DraftStep, FloorEvent, Identification, Manifest } from "@plenary/protocol";
import type { TranscriptEntry as Entry, SeatKind, ShownEvent } from "@plenary/transcript";

/** Response types of the server, reduced to what the page reads. */

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
  /** Absent from older servers. */
  options?: { policy?: string; guestsMay?: string };
  /** Conversants that requested the floor and wait for it. */
  floorRequested: readonly string[];
  /** Conversants that have not answered yet. */
  awaited?: readonly string[];
  /** Only for the owner: agents that answer from a new address. */
  moves?: readonly AddressChange[];
};

/** An agent that waits until the owner allows or refuses its new address. */
export type AddressChange = { speakerUri: string; serviceUrl: string; name?: string; boundTo?: string };

export type ConversationSummary = {
  id: string;
  seq: number;
  title?: string;
  startedAt: string;
  updatedAt: string;
  isClosed: boolean;
};

export type Utterance = FloorEvent & { eventType: "utterance"; parameters: { dialogEvent: DialogEvent } };

/** A piece of a streaming utterance; the finished utterance has the same dialogEventId. */
export type DraftFrame = {
  conversation: string;
  speakerUri: string;
  dialogEventId: string;
  to?: { speakerUri?: string; serviceUrl?: string; private?: boolean };
  delta?: string;
  /** A step of the work on it. A step with the same id replaces the earlier one. */
  step?: DraftStep;
  end?: "final" | "dropped";
};

export type StreamFrame = { entry: Entry; seq: number } | { draft: DraftFrame };

export type KnownAgent = {
  serviceUrl: string;
  manifest?: Manifest;
  health: "answering" | "silent" | "failing";
  /** Why it does not answer. */
  trouble?: { detail: string };
  latencyMs?: { p50: number };
  dialect?: string;
  /** Rules that its documents break. */
  quirks: readonly { rule: string; says: string; fix: string }[];
  isHosted?: true;
  isConnected?: true;
};

/** An agent that the discovery agents recommend. */
export type FoundAgent = {
  kind: "servicing" | "discovery";
  manifest: Manifest;
  /** 0 to 1. */
  score?: number;
  reasons?: {
    words?: readonly string[];
    language?: string;
    layers?: readonly string[];
    health?: "answering" | "silent" | "failing";
    via?: string;
    isUnverified?: boolean;
  };
};

export type DiscoveryResult = { found: readonly FoundAgent[]; asked: readonly { problem?: string }[] };

/** The identity behind the credential of this page. */
export type CurrentUser = {
  speakers: "anyone" | readonly string[];
  label?: string;
};

export type GuestLink = {
  id: string;
  label?: string;
  usesLeft: number;
  createdAt: string;
  expiresAt: string;
  revokedAt?: string;
};

export type { DialogEvent, Entry, FloorEvent, Identification, SeatKind, ShownEvent as EventEntry };
