import type { Registry } from "prom-client";
import type { Metrics } from "../ports/metrics.ts";
import type { FloorStore } from "../ports/store.ts";

type Counts = Map<string, number>;
type Counter = { name: string; help: string; label?: string; counts: Counts };
type Gauge = Parameters<Metrics["gauge"]>[0];

/** Counts in plain numbers; they are converted to Prometheus metrics at each scrape. */
export function createPrometheus(): Metrics {
  const counters: Counter[] = [];
  const gauges: Gauge[] = [];
  const counter = (name: string, help: string, label?: string): Counts => {
    const counts: Counts = new Map();
    counters.push({ name, help, counts, ...(label !== undefined && { label }) });
    return counts;
  };
  const envelopes = counter("envelopes_total", "Envelopes answered, by class of status.", "status");
  const refused = counter("turned_away_total", "Requests refused with Retry-After, by code.", "code");
  const deliveries = counter("deliveries_total", "Ended deliveries, by outcome.", "outcome");
  const retries = counter("deliveries_retried_total", "Deliveries whose first attempt failed.");
  const dead = counter("dead_letters_total", "Deliveries that became dead letters.");
  const webhooks = counter("webhook_deliveries_total", "Attempts of webhooks, and their dead letters.", "outcome");
  const slow = counter("slow_readers_cut_total", "Streams closed because the client read too slowly.");
  const decisions = createDurations("decision_seconds", "From the decision on an input until it is durable.");
  let registry: Promise<Registry> | undefined;
  return {
    now: () => performance.now() / 1_000,
    envelope: (status) => add(envelopes, classOf(status)),
    turnedAway: (code) => add(refused, code),
    decided: decisions.add,
    delivered: (outcome) => add(deliveries, outcome),
    retried: () => add(retries, ""),
    died: (count) => add(dead, "", count),
    webhook: (outcome) => add(webhooks, outcome),
    slowReaderCut: () => add(slow, ""),
    gauge: (gauge) => gauges.push(gauge),
    async text() {
      registry ??= registryOf(counters, gauges);
      const loaded = await registry;
      return { type: loaded.contentType, text: `${await loaded.metrics()}\n${decisions.text()}` };
    },
  };
}

/** Created at the first scrape: the import slows down the start, and the default metrics watch the event loop. */
async function registryOf(counters: readonly Counter[], gauges: readonly Gauge[]): Promise<Registry> {
  // A CommonJS module: in the bundled command only its default export exists.
  const { default: prometheus } = await import("prom-client");
  const { Registry, Counter, Gauge, collectDefaultMetrics } = prometheus;
  const registry = new Registry();
  const registers = [registry];
  for (const { name, help, label, counts } of counters) {
    new Counter({
      name: `plenary_${name}`,
      help,
      registers,
      labelNames: label === undefined ? [] : [label],
      collect() {
        this.reset();
        for (const [value, count] of counts) this.inc(label === undefined ? {} : { [label]: value }, count);
      },
    });
  }
  for (const { name, help, read } of gauges) {
    new Gauge({
      name: `plenary_${name}`,
      help,
      registers,
      labelNames: typeof read() === "number" ? [] : ["kind"],
      collect() {
        const value = read();
        if (typeof value === "number") this.set(value);
        else for (const [kind, one] of Object.entries(value)) this.set({ kind }, one);
      },
    });
  }
  collectDefaultMetrics({ register: registry });
  return registry;
}

const bucketsS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];

/** A histogram that is cheaper per value than the one of prom-client. */
function createDurations(name: string, help: string) {
  const counts = bucketsS.map(() => 0);
  let count = 0;
  let sum = 0;
  return {
    add(seconds: number): void {
      count += 1;
      sum += seconds;
      const bucket = bucketsS.findIndex((bound) => seconds <= bound);
      if (bucket !== -1) counts[bucket] = (counts[bucket] ?? 0) + 1;
    },
    text(): string {
      const full = `plenary_${name}`;
      let below = 0;
      const buckets = bucketsS.map((bound, index) => {
        below += counts[index] ?? 0;
        return `${full}_bucket{le="${bound}"} ${below}`;
      });
      const head = [`# HELP ${full} ${help}`, `# TYPE ${full} histogram`];
      const tail = [`${full}_bucket{le="+Inf"} ${count}`, `${full}_sum ${sum}`, `${full}_count ${count}`];
      return `${[...head, ...buckets, ...tail].join("\n")}\n`;
    },
  };
}

function add(counts: Counts, value: string, by = 1): void {
  counts.set(value, (counts.get(value) ?? 0) + by);
}

function classOf(status: number): string {
  return status < 300 ? "2xx" : status < 500 ? "4xx" : "5xx";
}

type QueueGauge = { waiting(): number };

type GaugeSources = {
  store: Pick<FloorStore, "figures">;
  loadShedder: QueueGauge;
  queue: QueueGauge;
  http: { breaker: { count(): Readonly<Record<string, number>> }; concurrency: QueueGauge & { taken(): number } };
  sockets: { count(): number };
  webhooks: { figures(): Readonly<Record<string, number>>; lagSeconds(): number };
  effectRunner: { load(): { deliveriesRunning: number; deliveriesQueued: number; timers: number } };
};

/** Registers the gauges of a floor at `/metrics`. */
export function mountGauges({ gauge }: Metrics, sources: GaugeSources): void {
  const { store, loadShedder, queue, http, sockets, effectRunner, webhooks } = sources;
  const { breaker, concurrency } = http;
  gauge({ name: "envelopes_waiting", help: "Envelopes waiting to be read.", read: loadShedder.waiting });
  gauge({
    name: "turns_waiting",
    help: "Inputs running or waiting in the queues of conversations.",
    read: queue.waiting,
  });
  gauge({
    name: "deliveries",
    help: "Deliveries running, or queued behind one to the same conversant.",
    read: () => {
      const { deliveriesRunning: running, deliveriesQueued: queued } = effectRunner.load();
      return { running, queued };
    },
  });
  gauge({
    name: "requests_out",
    help: "Requests to agents, open or waiting for the concurrency limit.",
    read: () => ({ out: concurrency.taken(), waiting: concurrency.waiting() }),
  });
  gauge({ name: "breakers", help: "Circuit breakers by state.", read: breaker.count });
  gauge({ name: "timers_pending", help: "Pending timers.", read: () => effectRunner.load().timers });
  const { figures } = store;
  if (figures !== undefined) {
    const help =
      "Figures of the store since it was opened: commits, writes in them, seconds in them, conversations held.";
    gauge({ name: "store", help, read: figures });
  }
  gauge({ name: "webhooks", help: "Webhooks by state.", read: webhooks.figures });
  gauge({
    name: "webhook_lag_seconds",
    help: "Age of the oldest entry that a webhook is delivering.",
    read: webhooks.lagSeconds,
  });
  gauge({ name: "agent_sockets", help: "Connected agent sockets.", read: sockets.count });
}
