import type { DraftStep, Identification } from "@plenary/protocol";
import type { KnownAgent as Known } from "@plenary/server";
import type { TranscriptEntry as Entry, SeatKind } from "@plenary/transcript";

/** What the floor tells a terminal, as far as the terminal reads it. */

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
  /** Absent in what earlier floors tell. */
  options?: { convener?: string };
  /** Who asked for the floor and waits. */
  floorRequested: readonly string[];
  /** Who was sent something and has not answered it yet. */
  awaited?: readonly string[];
  /** For the owner: agents that answer from another address than before. */
  moves?: readonly MoveView[];
};

/** An agent that waits until the owner allows or refuses its new address. */
export type MoveView = { speakerUri: string; serviceUrl: string; name?: string; boundTo?: string };

/** What an agent is composing; the finished utterance has the same dialogEventId. */
export type Draft = {
  speakerUri: string;
  dialogEventId: string;
  to?: { speakerUri?: string; serviceUrl?: string; private?: boolean };
  delta?: string;
  /** What it does on the way; the same id again replaces a step. */
  step?: DraftStep;
  end?: "final" | "dropped";
};

export type Frame = { entry: Entry; seq: number } | { draft: Draft };

export type KnownAgent = Pick<Known, "serviceUrl" | "manifest" | "isHosted">;

/** An event of an accepted envelope that was not taken. */
export type PartialRefusal = { problem: string };

export type { Entry, SeatKind };
