// T2: nodes that share a store, and every order in which their questions to it can be answered.
import { defaultOptions, type Entry } from "@plenary/floor";
import fc from "fast-check";
import { expect, test } from "vitest";
import { compose } from "../../compose.ts";
import { createConversationQueue } from "../../conversation/conversation-queue.ts";
import type { Clock } from "../../ports/clock.ts";
import type { FloorStore } from "../../ports/store.ts";
import { createMemoryStore } from "../../store/memory.ts";
import { credentialOf } from "./client.ts";
import { effectsTwice, lostAcknowledgements, replay } from "./invariants.ts";
import { envelopeText, utterance, utteranceIds, type WireEvent } from "./wire.ts";
import { floorPlace } from "./world.ts";

const nightly = process.env.PLENARY_NIGHTLY === "1";
const numRuns = Number(process.env.RUNS ?? (nightly ? 5_000 : 500));
const id = "c";
const people = ["tag:people.example,2026:ann", "tag:people.example,2026:ben"] as const;

/** The same store; when each question is answered is up to the scheduler. */
function reordered(store: FloorStore, scheduler: fc.Scheduler): FloorStore {
  const late = <Given extends unknown[], Answer>(ask: (...given: Given) => Promise<Answer>) =>
    scheduler.scheduleFunction(ask) as (...given: Given) => Promise<Answer>;
  return { ...store, load: late(store.load), append: late(store.append), seen: late(store.seen) };
}

/** Time stands still but for the pauses after a conflict, which end when the scheduler says so. */
function createClock(scheduler: fc.Scheduler): Clock {
  const now = Date.UTC(2026, 0, 1);
  return {
    now: () => now,
    at(atMs, ring) {
      if (atMs - now < 1_000) scheduler.schedule(Promise.resolve(), "pause").then(ring, () => {});
      return () => {};
    },
  };
}

function createNode(store: FloorStore, scheduler: fc.Scheduler, name: string) {
  let made = 0;
  const errors: unknown[] = [];
  const { server } = compose(
    {
      store: reordered(store, scheduler),
      // Nobody ever answers.
      dialler: { dial: () => new Promise(() => {}) },
      clock: createClock(scheduler),
      ids: { newId: () => `${name}${++made}`, random: () => 0.5 },
    },
    { token: "token", onError: (error) => errors.push(error) },
    { ...floorPlace },
  );
  return { receiver: server.receiver, errors };
}

type Sent = { node: number; by: number; events: readonly WireEvent[] };

const events = fc.oneof(
  fc.nat({ max: 5 }).map((word) => (by: string) => utterance(by, `${by}/${word}`, `word ${word}`)),
  fc.constantFrom("requestFloor", "yieldFloor").map((eventType) => () => ({ eventType })),
  fc.nat({ max: 2 }).map((agent) => () => ({ eventType: "invite", to: { serviceUrl: `http://a${agent}.example/` } })),
);

const sent: fc.Arbitrary<Sent> = fc
  .record({ node: fc.nat({ max: 2 }), by: fc.nat({ max: 1 }), made: fc.array(events, { minLength: 1, maxLength: 2 }) })
  .map(({ node, by, made }) => ({ node, by, events: made.map((make) => make(people[by] ?? people[0])) }));

async function race(scheduler: fc.Scheduler, all: readonly Sent[]): Promise<void> {
  const store = createMemoryStore();
  await open(store);
  const nodes = ["x", "y", "z"].map((name) => createNode(store, scheduler, name));
  const acknowledged: { conversationId: string; entries: readonly Entry[]; utteranceIds: string[] }[] = [];
  const answers = all.map(async ({ node, by, events: given }) => {
    const speakerUri = people[by] ?? people[0];
    const text = envelopeText({ conversation: { id }, sender: { speakerUri }, events: [...given] });
    const principal = credentialOf(speakerUri);
    const receipt = await nodes[node]?.receiver.envelope(text, { principal });
    acknowledged.push({ conversationId: id, entries: receipt?.entries ?? [], utteranceIds: utteranceIds(given) });
  });
  await scheduler.waitFor(Promise.all(answers));
  const entries = await store.entries(id, { after: 0, limit: 10_000 });
  const atHead = await store.floorAt(id, entries.length);
  const log = { conversationId: id, entries, loaded: await store.load(id), atHead };
  expect(acknowledged).toHaveLength(all.length);
  expect([...replay(log), ...effectsTwice(log), ...lostAcknowledgements(acknowledged, [log])]).toEqual([]);
  expect(nodes.flatMap(({ errors }) => errors)).toEqual([]);
}

async function open(store: FloorStore): Promise<void> {
  const seats = people.map((speakerUri) => ({
    ...{ speakerUri, serviceUrl: `${speakerUri}/`, organization: "", conversationalName: "", synopsis: "" },
  }));
  const [owner, guest] = seats;
  if (owner === undefined || guest === undefined) throw new Error("somebody is missing");
  const { server } = compose(
    { store, dialler: { dial: () => new Promise(() => {}) } },
    { token: "t" },
    { ...floorPlace },
  );
  const self = { speakerUri: floorPlace.speakerUri };
  await server.receiver.command(id, { verb: "open", self, owner, options: defaultOptions });
  await server.receiver.command(id, { verb: "seat", identification: guest, seatKind: "person" });
}

test("in whatever order the store answers three nodes, everything takes effect once and in one order", async () => {
  await fc.assert(fc.asyncProperty(fc.scheduler(), fc.array(sent, { minLength: 2, maxLength: 8 }), race), { numRuns });
});

test("a copy of what could not be written is written itself before it is acknowledged", async () => {
  const turns = createConversationQueue();
  const disk = { isFull: true, staged: false, synced: false };
  const say = () =>
    turns.take("c", {
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
  const [first, copy] = await Promise.allSettled([say(), say()]);
  expect(first.status).toBe("rejected");
  expect(copy).toEqual({ status: "fulfilled", value: true });
});
