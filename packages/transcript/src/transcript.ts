import type { FloorNow, SeatKind, TranscriptEntry } from "./transcript-entry.ts";

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
