import type { ExportFormat } from "@plenary/transcript";

/** A page is a file that runs what is in it when it is opened, so no agent hands one over. */
export type ScribeFormat = Exclude<ExportFormat, "html">;

/** A part of the record. */
export type Part = {
  /** The newest so many. */
  last?: number;
  /** Milliseconds since 1970. */
  sinceMs?: number;
  /** As the asker wrote it. */
  speaker?: string;
};

/** About the record. Names and topics are as the asker wrote them. */
export type Question =
  | { kind: "summary"; part: Part }
  | { kind: "whoSaidWhat"; part: Part }
  | { kind: "decisions"; part: Part }
  | { kind: "questions"; part: Part }
  | { kind: "said"; speaker?: string; about?: string }
  | { kind: "last"; speaker?: string }
  | { kind: "mentions"; about: string }
  | { kind: "joined" | "left"; speaker: string }
  | { kind: "people" }
  | { kind: "count"; speaker?: string; about?: string };

/** What the scribe is asked for. */
export type Request =
  | Question
  | { kind: "export"; format: ScribeFormat; isNamed: boolean }
  | { kind: "exportUnknown"; format: string; isNamed: boolean }
  | { kind: "since" }
  /** Everything is kept anyway; whoever asks for it is told so. */
  | { kind: "note" }
  | { kind: "help" }
  | { kind: "thanks" };
