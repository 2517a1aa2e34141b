// T2: nodes that share a store, with random orders of its answers.

import { defaultOptions, type Entry } from "@plenary/floor";
import fc from "fast-check";
import { expect, test } from "vitest";
import { compose } from "../../compose.ts";
import { createConversationQueue } from "../../conversation/conversation-queue.ts";
import { jsonTextOf } from "../../conversation/decode.ts";
import type { Clock } from "../../ports/clock.ts";
import { silentLogger } from "../../ports/logger.ts";
import type { MaybePromise } from "../../ports/maybe-promise.ts";
import type { FloorStore } from "../../ports/store.ts";
import { createMemoryStore } from "../../store/memory.ts";
import { createCollectingLogger } from "../collecting-logger.ts";
import { takeTurn } from "../queued-input.ts";
import { credentialOf } from "./client.ts";
import { duplicateEffects, lostAcknowledgements, replay } from "./invariants.ts";
import { envelopeText, type RawEvent, utterance, utteranceIds } from "./raw-envelope.ts";
import { floorAddress } from "./world.ts";

const nightly = process.env.PLENARY_NIGHTLY === "1";
const numRuns = Number(process.env.RUNS ?? (nightly ? 5_000 : 500));
const id = "c";
const people = ["tag:people.example,2026:ann", "tag:people.example,2026:ben"] as const;

/** Wraps a store: the scheduler decides when each call resolves. */
function reordered(store: FloorStore, scheduler: fc.Scheduler): FloorStore {
  const scheduled = <Given extends unknown[], Answer>(call: (...args: Given) => MaybePromise<Answer>) =>
    scheduler.scheduleFunction(async (...args: Given) => call(...args)) as (...args: Given) => Promise<Answer>;
  return {
    ...store,
    log: { ...store.log, load: scheduled(store.log.load), append: scheduled(store.log.append) },
    lookups: { ...store.lookups, seen: scheduled(store.lookups.seen) },
  };
}

/** The time is constant. The scheduler ends the pauses after conflicts; longer timers never fire. */
function createClock(scheduler: fc.Scheduler): Clock {
  const now = Date.UTC(2026, 0, 1);
  return {
    now: () => now,
    at(atMs, callback) {
      if (atMs - now < 1_000) scheduler.schedule(Promise.resolve(), "pause").then(callback, () => {});
      return () => {};
    },
  };
}

function createNode(store: FloorStore, scheduler: fc.Scheduler, name: string) {
  let made = 0;
  const { logger, errors } = createCollectingLogger();
  const { server } = compose(
    {
      store: reordered(store, scheduler),
      // No agent answers.
      dialler: { dial: () => new Promise(() => {}) },
      clock: createClock(scheduler),
      ids: { newId: () => `${name}${++made}`, random: () => 0.5 },
      logger,
    },
    { token: "token" },
    floorAddress,
  );
  return { receiver: server.receiver, errors };
}

type Input = { node: number; by: number; events: readonly RawEvent[] };

const events = fc.oneof(
  fc.nat({ max: 5 }).map((word) => (by: string) => utterance(by, `${by}/${word}`, `word ${word}`)),
  fc.constantFrom("requestFloor", "yieldFloor").map((eventType) => () => ({ eventType })),
  fc.nat({ max: 2 }).map((agent) => () => ({ eventType: "invite", to: { serviceUrl: `http://a${agent}.example/` } })),
);

const input: fc.Arbitrary<Input> = fc
  .record({ node: fc.nat({ max: 2 }), by: fc.nat({ max: 1 }), made: fc.array(events, { minLength: 1, maxLength: 2 }) })
  .map(({ node, by, made }) => ({ node, by, events: made.map((create) => create(people[by] ?? people[0])) }));

async function race(scheduler: fc.Scheduler, all: readonly Input[]): Promise<void> {
  const store = createMemoryStore();
  await open(store);
  const nodes = ["x", "y", "z"].map((name) => createNode(store, scheduler, name));
  const acknowledged: { conversationId: string; entries: readonly Entry[]; utteranceIds: string[] }[] = [];
  const answers = all.map(async ({ node, by, events: args }) => {
    const speakerUri = people[by] ?? people[0];
    const text = envelopeText({ conversation: { id }, sender: { speakerUri }, events: [...args] });
    const principal = credentialOf(speakerUri);
    const receipt = await nodes[node]?.receiver.envelope({ document: jsonTextOf(text), principal });
    acknowledged.push({ conversationId: id, entries: receipt?.entries ?? [], utteranceIds: utteranceIds(args) });
  });
  await scheduler.waitFor(Promise.all(answers));
  const entries = await store.log.entries(id, { after: 0, limit: 10_000 });
  const atHead = await store.log.floorAt(id, entries.length);
  const log = { conversationId: id, entries, loaded: await store.log.load(id), atHead };
  expect(acknowledged).toHaveLength(all.length);
  expect([...replay(log), ...duplicateEffects(log), ...lostAcknowledgements(acknowledged, [log])]).toEqual([]);
  expect(nodes.flatMap(({ errors }) => errors)).toEqual([]);
}

async function open(store: FloorStore): Promise<void> {
  const seats = people.map((speakerUri) => ({
    speakerUri,
    serviceUrl: `${speakerUri}/`,
    organization: "",
    conversationalName: "",
    synopsis: "",
  }));
  const [owner, guest] = seats;
  if (owner === undefined || guest === undefined) throw new Error("a person is missing");
  const ports = { store, dialler: { dial: () => new Promise<never>(() => {}) }, logger: silentLogger };
  const { server } = compose(ports, { token: "t" }, floorAddress);
  const self = { speakerUri: floorAddress.speakerUri };
  await server.receiver.command(id, { verb: "open", self, owner, options: defaultOptions });
  await server.receiver.command(id, { verb: "seat", identification: guest, seatKind: "person" });
}

test("with any order of the store's answers to three nodes, each input takes effect once and in one order", async () => {
  await fc.assert(fc.asyncProperty(fc.scheduler(), fc.array(input, { minLength: 2, maxLength: 8 }), race), { numRuns });
});

test("a repetition of an input that was not written is itself written before it is acknowledged", async () => {
  const queue = createConversationQueue();
  const disk = { isFull: true, staged: false, synced: false };
  const take = () =>
    takeTurn(queue, "c", {
      async plan() {
        if (disk.staged) return undefined;
        return async () => {
          disk.staged = true;
          await new Promise((resolve) => setImmediate(resolve));
          disk.synced = !disk.isFull;
          disk.staged = disk.synced;
          if (!disk.isFull) return "appended";
          disk.isFull = false;
          throw new Error("no space left on device");
        };
      },
      finish: () => disk.synced,
    });
  const [first, copy] = await Promise.allSettled([take(), take()]);
  expect(first.status).toBe("rejected");
  expect(copy).toEqual({ status: "fulfilled", value: true });
});
