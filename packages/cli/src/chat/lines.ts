import type { DialogEvent } from "@plenary/protocol";
import type { Question } from "./interaction.ts";

/** What the transcript shows, one after the other. */
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
  /** What it asks (D31). */
  question?: Question;
};

/** Something that happened at the floor, told in a quiet line. */
export type NoteLine = {
  kind: "note";
  seq: number;
  at: string;
  tone: "quiet" | "warning";
  /** A sentence in pieces: plain words, and conversants, who are shown by their names. */
  words: readonly (string | { speakerUri: string })[];
  /** The sender's own words, or the floor's, for why. */
  reason?: string;
  /** More to it, one below the other. */
  details?: readonly string[];
};
