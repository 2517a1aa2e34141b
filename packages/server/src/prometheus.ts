import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Metrics } from "./metrics.ts";

const decisionBucketsS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];

/** Counts in plain numbers while envelopes come in; what Prometheus makes of them is made when it asks. */
export function createPrometheus(): Metrics {
  const registry = new Registry();
  const envelopes = counts(registry, "envelopes_total", "Envelopes answered, by class of status.", "status");
  const away = counts(registry, "turned_away_total", "Inputs turned away because too much waited.", "code");
  const deliveries = counts(registry, "deliveries_total", "Deliveries that came to their end, by how.", "outcome");
  const retries = counts(registry, "deliveries_retried_total", "Deliveries whose first attempt failed.");
  const dead = counts(registry, "dead_letters_total", "Deliveries that were given up.");
  const slow = counts(registry, "slow_readers_cut_total", "Streams cut because their reader did not keep up.");
  const decisions = new Histogram({
    name: "plenary_decision_seconds",
    help: "From the decision on an input until it is durable.",
    buckets: decisionBucketsS,
    registers: [registry],
  });
  let hasDefaults = false;
  return {
    now: () => performance.now() / 1_000,
    envelope: (status) => add(envelopes, classOf(status)),
    turnedAway: (code) => add(away, code),
    decided: (seconds) => decisions.observe(seconds),
    delivered: (outcome) => add(deliveries, outcome),
    retried: () => add(retries, ""),
    died: (letters) => add(dead, "", letters),
    slowReaderCut: () => add(slow, ""),
    gauge({ name, help, read }) {
      const isMany = typeof read() !== "number";
      new Gauge({
        name: `plenary_${name}`,
        help,
        labelNames: isMany ? ["kind"] : [],
        registers: [registry],
        collect() {
          const value = read();
          if (typeof value === "number") this.set(value);
          else for (const [kind, one] of Object.entries(value)) this.set({ kind }, one);
        },
      });
    },
    async text() {
      // Watching the event loop costs something, so it begins when somebody looks.
      if (!hasDefaults) collectDefaultMetrics({ register: registry });
      hasDefaults = true;
      return { type: registry.contentType, text: await registry.metrics() };
    },
  };
}

type Counts = Map<string, number>;

function counts(registry: Registry, name: string, help: string, label?: string): Counts {
  const counted: Counts = new Map();
  new Counter({
    name: `plenary_${name}`,
    help,
    labelNames: label === undefined ? [] : [label],
    registers: [registry],
    collect() {
      this.reset();
      for (const [value, count] of counted) {
        if (label === undefined) this.inc(count);
        else this.inc({ [label]: value }, count);
      }
    },
  });
  return counted;
}

function add(counted: Counts, value: string, by = 1): void {
  counted.set(value, (counted.get(value) ?? 0) + by);
}

function classOf(status: number): string {
  return status < 300 ? "2xx" : status < 500 ? "4xx" : "5xx";
}
