// What can be asked. Places and dates are still words, as they were said.

export type SpanUnit = "days" | "weeks" | "months" | "years" | "hours" | "minutes";

/** An empty place is that of whoever asks. */
export type Question =
  | { kind: "time"; where: string }
  | { kind: "timeThen"; minutes: number; where: string }
  | { kind: "zone"; where: string }
  /** Whether it is summer time, and when the clocks change. */
  | { kind: "shift"; where: string }
  | { kind: "difference"; from: string; to: string }
  | { kind: "today"; where: string; part: "date" | "week" | "month" | "year" }
  | { kind: "day"; date: string; direction: "forward" | "back" }
  | { kind: "distance"; date: string; direction: "until" | "since"; unit?: SpanUnit }
  | { kind: "between"; from: string; to: string; unit?: SpanUnit }
  | {
      kind: "conversion";
      hour: number;
      minute: number;
      isTwelveHour: boolean;
      from: string;
      into: string;
      day?: string;
    }
  | { kind: "iAmIn"; where: string };
