/** A number that is looked at when somebody asks for it; by kind where there are several. */
type Gauge = { name: string; help: string; read: () => number | Readonly<Record<string, number>> };

/**
 * What a floor counts. Labels are few and fixed: no speaker, no conversation and no text is in any of them, so that they
 * tell nothing about anybody and stay few.
 */
export type Metrics = {
  /** Seconds of a clock that only runs forward, to measure how long something takes. */
  now(): number;
  /** An envelope was answered, as HTTP would say it. */
  envelope(status: number): void;
  /** A request was refused with Retry-After. */
  turnedAway(code: "busy" | "overloaded" | "rate"): void;
  /** From the decision on an input until it is durable. */
  decided(seconds: number): void;
  /** A delivery came to its end. */
  delivered(outcome: string): void;
  /** The first attempt of a delivery failed, and others follow. */
  retried(): void;
  died(messages: number): void;
  slowReaderCut(): void;
  gauge(gauge: Gauge): void;
  text(): Promise<{ type: string; text: string }>;
};

/** Counts nothing. */
export const noMetrics: Metrics = {
  now: () => 0,
  envelope: () => {},
  turnedAway: () => {},
  decided: () => {},
  delivered: () => {},
  retried: () => {},
  died: () => {},
  slowReaderCut: () => {},
  gauge: () => {},
  text: async () => ({ type: "text/plain", text: "" }),
};
