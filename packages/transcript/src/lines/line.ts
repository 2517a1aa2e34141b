import type { DialogEvent, FloorEvent } from "../transcript.ts";

/** What the transcript shows, one after the other. Each is about one entry of the log and is known by its seq. */
export type Line = UtteranceLine | NoteLine;

export type UtteranceLine = {
  kind: "utterance";
  seq: number;
  at: string;
  /** Who sent it: the only one who is known to have said it. */
  sender: string;
  /** Who said it first, as the sender claims. */
  relayedFrom?: string;
  dialogEvent: DialogEvent;
  /** Whom it was said to; nobody in particular when absent. */
  to?: string;
  isWhisper: boolean;
  approvedBy?: string;
  /** Whether its speaker had the floor then; unknown before anything was heard of it. */
  hadFloor?: boolean;
};

/** Something that happened at the floor, told in a quiet line. */
export type NoteLine = {
  kind: "note";
  seq: number;
  at: string;
  sign: NoteSign;
  tone: "quiet" | "warning";
  /** A sentence in pieces: plain words, and conversants, who are shown by their names. */
  words: readonly (string | { speakerUri: string })[];
  /** The sender's own words, or the floor's, for why. */
  reason?: string;
  /** Who may need to be given the floor: the reader may do it. */
  grants?: string;
  /** The manifests that it tells of. */
  event?: FloorEvent;
  /** What its reader may want to do about it, where that is one step. */
  offer?: "endConvening";
  /** The same thing, told the same way, so many times in a row. */
  times?: number;
};

export type NoteSign = "door" | "hand" | "floor" | "role" | "pause" | "warning" | "whisper" | "pen" | "card";
