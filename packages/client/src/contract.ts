import type { DraftStep, Identification, Manifest } from "@plenary/protocol";
import type { SeatKind, TranscriptEntry } from "@plenary/transcript";

/** The floor's answers and stream frames, as far as this package reads them. */

export type Entry = TranscriptEntry;

export type ConversantView = {
  identification: Identification;
  kind: SeatKind;
  state: "invited" | "joined";
  since: number;
  /** Deadlines missed in a row. */
  misses: number;
  hasFloor: boolean;
  invitedBy?: string;
  dialect?: string;
  /** People only (D36). */
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
  /** Absent from older floors. */
  options?: { policy?: string; guestsMay?: string; convener?: string };
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

/** A piece of a streaming utterance (D30); the finished utterance has the same dialogEventId. */
export type DraftFrame = {
  conversation: string;
  speakerUri: string;
  dialogEventId: string;
  to?: { speakerUri?: string; serviceUrl?: string; private?: boolean };
  delta?: string;
  /** Number of characters before `delta`; absent when the floor did not receive the beginning. */
  offset?: number;
  /** A step of the work on it (D43). A step with the same id replaces the earlier one. */
  step?: DraftStep;
  end?: "final" | "dropped";
};

export type StreamFrame = { seq: number; entry: Entry } | { draft: DraftFrame };

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

export type KnownAgents = { agents: readonly KnownAgent[]; invitedByDefault: readonly string[] };

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
    health?: KnownAgent["health"];
    via?: string;
    isUnverified?: boolean;
  };
};

export type Discovery = { found: readonly FoundAgent[]; asked: readonly { problem?: string }[] };

export type Need = { text: string; languages?: readonly string[]; layers?: readonly string[]; limit?: number };

export type WhoAmI = {
  kind: string;
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

/** The answers of operations that have no method of their own; the body is checked by the floor. */
export type Answers = {
  "GET /version": { name: string; openFloor: string; signIn: boolean };
  "GET /api/v1/me": WhoAmI;
  "POST /api/v1/agents": KnownAgent;
  "POST /api/v1/agents/check": { agents: readonly KnownAgent[] };
  "DELETE /api/v1/agents": undefined;
  "GET /api/v1/conversations/:id/links": { links: readonly GuestLink[] };
  "POST /api/v1/conversations/:id/links": GuestLink & { link: string };
  "DELETE /api/v1/conversations/:id/links/:link": undefined;
  "GET /api/v1/conversations/:id/feedback": { feedback: readonly object[] };
  "GET /api/v1/dead-letters": { deadLetters: readonly object[]; next: string | null };
  "GET /api/v1/dead-letters/:id": object;
  "POST /api/v1/dead-letters/:id/redrive": object;
};

/** `POST .../conversations/ID/VERB` with its fields. */
export type Commands = {
  close: { reason?: string };
  title: { title: string | null };
  pause: Record<string, never>;
  resume: Record<string, never>;
  convener: { speakerUri: string } | { serviceUrl: string } | Record<string, never>;
  role: { role: string; speakerUri: string; assigned?: boolean };
  remove: { speakerUri: string; reason?: string };
  seat: { identification: Partial<Identification> & { speakerUri: string }; kind?: SeatKind };
  rebind: { speakerUri: string; serviceUrl: string };
  move: { speakerUri: string; allow: boolean };
  reveal: { speakerUri: string; from?: number };
  erase: { seq: number };
};
