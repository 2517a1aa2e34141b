/** Read at each scrape; several values by kind. */
type Gauge = { name: string; help: string; read: () => number | Readonly<Record<string, number>> };

/** Labels are few and fixed, and contain no speaker, conversation or text: metrics disclose nothing about people. */
export type Metrics = {
  /** Seconds of a monotonic clock, to measure durations. */
  now(): number;
  /** An envelope was answered, with the HTTP status of the answer. */
  envelope(status: number): void;
  /** A request was refused with Retry-After. */
  turnedAway(code: "busy" | "overloaded" | "rate"): void;
  /** From the decision on an input until it is durable. */
  decided(seconds: number): void;
  /** A delivery ended. */
  delivered(outcome: string): void;
  /** The first attempt of a delivery failed, and others follow. */
  retried(): void;
  /** Deliveries became dead letters. */
  died(count: number): void;
  /** An attempt of a webhook ended, or its entry became a dead letter. */
  webhook(outcome: "delivered" | "failed" | "dead"): void;
  slowReaderCut(): void;
  gauge(gauge: Gauge): void;
  text(): Promise<{ type: string; text: string }>;
};

/** Does nothing. */
export const noMetrics: Metrics = {
  now: () => 0,
  envelope: () => {},
  turnedAway: () => {},
  decided: () => {},
  delivered: () => {},
  retried: () => {},
  died: () => {},
  webhook: () => {},
  slowReaderCut: () => {},
  gauge: () => {},
  text: async () => ({ type: "text/plain", text: "" }),
};
