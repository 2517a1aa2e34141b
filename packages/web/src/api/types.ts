import type { DialogEvent, DraftStep, FloorEvent, Identification, Manifest } from "@plenary/protocol";
import type { TranscriptEntry as Entry, SeatKind, ShownEvent } from "@plenary/transcript";

/** What the floor tells a page, as far as the page reads it. */

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
  /** Absent in what earlier floors tell. */
  options?: { policy?: string; guestsMay?: string };
  /** Who asked for the floor and waits. */
  floorRequested: readonly string[];
  /** Who was sent something and has not answered it yet. */
  awaited?: readonly string[];
  /** For the owner: agents that answer from another address than before. */
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

/** What an agent is composing; the finished utterance has the same dialogEventId. */
export type DraftFrame = {
  conversation: string;
  speakerUri: string;
  dialogEventId: string;
  to?: { speakerUri?: string; serviceUrl?: string; private?: boolean };
  delta?: string;
  /** What it does on the way; the same id again replaces a step. */
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

/** Somebody who may help, as the floor's discovery agents tell of it. */
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

/** Who this page is, by its credential. */
export type CurrentUser = {
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

export type { DialogEvent, Entry, FloorEvent, Identification, SeatKind, ShownEvent as EventEntry };
