import type { DialogEvent, FloorEvent } from "../transcript.ts";

/** A line of the transcript. It belongs to one entry of the log, identified by its seq. */
export type Line = UtteranceLine | NoteLine;

export type UtteranceLine = {
  kind: "utterance";
  seq: number;
  at: string;
  /** The authenticated sender. */
  sender: string;
  /** The original speaker, as the sender claims. */
  relayedFrom?: string;
  dialogEvent: DialogEvent;
  /** The addressee; absent when it is for everyone. */
  to?: string;
  isWhisper: boolean;
  approvedBy?: string;
  /** Whether its speaker had the floor; absent when unknown. */
  hadFloor?: boolean;
};

/** A note about an event at the floor. */
export type NoteLine = {
  kind: "note";
  seq: number;
  at: string;
  sign: NoteSign;
  tone: "quiet" | "warning";
  /** A sentence in parts: text, and conversants, which are shown by name. */
  words: readonly (string | { speakerUri: string })[];
  /** The reason, as the sender or the floor gave it. */
  reason?: string;
  /** The agent that may wait for grantFloor: the reader may grant it. */
  grants?: string;
  /** The publishManifests event that the note is about. */
  event?: FloorEvent;
  /** An action that the reader is offered. */
  offer?: "endConvening";
  /** The number of equal notes in a row. */
  times?: number;
};

export type NoteSign = "door" | "hand" | "floor" | "role" | "pause" | "warning" | "whisper" | "pen" | "card";
