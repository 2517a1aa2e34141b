import type { Metrics } from "../ports/metrics.ts";
import type { FloorStore } from "../ports/store.ts";

type QueueGauge = { waiting(): number };

type GaugeSources = {
  store: Pick<FloorStore, "figures">;
  loadShedder: QueueGauge;
  queue: QueueGauge;
  http: { breaker: { count(): Readonly<Record<string, number>> }; concurrency: QueueGauge & { taken(): number } };
  sockets: { count(): number };
  effectRunner: { load(): { deliveriesRunning: number; deliveriesQueued: number; timers: number } };
};

/** Registers the gauges of a floor at `/metrics`. */
export function mountGauges({ gauge }: Metrics, sources: GaugeSources): void {
  const { store, loadShedder, queue, http, sockets, effectRunner } = sources;
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
  gauge({ name: "agent_sockets", help: "Connected agent sockets.", read: sockets.count });
}
