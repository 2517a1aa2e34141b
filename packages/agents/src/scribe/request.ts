/** A part of the record. */
export type Part = {
  /** The newest so many. */
  last?: number;
  /** Milliseconds since 1970. */
  sinceMs?: number;
  /** As the asker wrote it. */
  speaker?: string;
};

export type Format = "markdown" | "mermaid" | "jsonl" | "html";

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
  | { kind: "export"; format: Format; isNamed: boolean }
  | { kind: "exportUnknown"; format: string }
  | { kind: "since" }
  /** Everything is kept anyway; whoever asks for it is told so. */
  | { kind: "note" }
  | { kind: "help" }
  | { kind: "thanks" };
