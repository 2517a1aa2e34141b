import { type Decision, decide, defaultOptions, emptyFloor, type Input } from "@plenary/floor";
import { expect, test } from "vitest";
import { compose } from "../compose.ts";
import type { Change } from "../ports/conversation-log.ts";
import type { Dialler } from "../ports/dialler.ts";
import { silentLogger } from "../ports/logger.ts";
import type { FloorStore } from "../ports/store.ts";
import { createMemoryStore } from "../store/memory.ts";
import { readStoredFloor } from "../stored-floor.ts";
import { createFakeClock, type FakeClock } from "../testing/fake-clock.ts";

const hourMs = 3_600_000;
const waitMs = 60_000;
const convener = { speakerUri: "tag:chair.example,2026:1", serviceUrl: "http://chair.example/" };
const ann = { speakerUri: "tag:ann.example,2026:1", serviceUrl: "" };
const about = { organization: "", conversationalName: "", synopsis: "" };
/** No agent ever answers. */
const silent: Dialler = {
  dial: ({ signal }) =>
    new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("cut")))),
};

/** Ann requests the floor from the convener at `now`; only the deadline timer remains. */
function floorRequestChange(now: string): Change {
  const entries: Decision["entries"] = [];
  let floor = emptyFloor("c");
  let timers: Change["timers"] = [];
  const take = (input: Input) => {
    const decision = decide(floor, input, now);
    floor = decision.floor;
    entries.push(...decision.entries);
    timers = decision.effects.flatMap((effect) =>
      effect.kind === "timer" ? [{ id: effect.id, at: effect.at, since: now }] : [],
    );
  };
  const options = { ...defaultOptions, convenerDeadlineMs: waitMs };
  const self = { speakerUri: "tag:floor.example,2026:1" };
  take({ kind: "command", command: { verb: "open", self, owner: { ...ann, ...about }, options }, by: "operator" });
  const seat = { verb: "seat", identification: { ...convener, ...about }, seatKind: "agent" } as const;
  take({ kind: "command", command: seat, by: "operator" });
  take({ kind: "command", command: { verb: "convener", serviceUrl: convener.serviceUrl }, by: "operator" });
  const schema = { version: "1.1.0" };
  const events = [{ eventType: "requestFloor" as const }];
  take({ kind: "envelope", envelope: { schema, conversation: { id: "c" }, sender: ann, events } });
  return { floor, entries, timers, deliveries: [], dedupe: [], settled: [], rung: [], dead: [] };
}

async function startServer(store: FloorStore, clock: FakeClock) {
  const ports = { store, dialler: silent, clock, logger: silentLogger };
  return compose(ports, {}, { ...(await readStoredFloor(ports, {})), url: "http://127.0.0.1" }).server;
}

async function parkedAfter(store: FloorStore, startMs: number, passMs: number): Promise<number | undefined> {
  const clock = createFakeClock(startMs);
  const server = await startServer(store, clock);
  server.effectRunner.resume(await store.outbox.pending());
  await clock.advance(passMs);
  const floor = await store.log.load("c");
  const closed = server.effectRunner.close({ drainMs: 0 });
  await clock.advance(1);
  await closed;
  return floor?.parked.length;
}

test.each([
  ["goes on", 0],
  ["was set back", -hourMs],
  ["was set forward", hourMs],
])("a deadline fires at its time after a restart, also when the clock %s", async (_how, shiftMs) => {
  const setMs = Date.UTC(2026, 0, 1);
  const store = createMemoryStore();
  await store.log.append("c", floorRequestChange(new Date(setMs).toISOString()), 0);
  expect((await store.log.load("c"))?.parked).toHaveLength(1);
  expect(await parkedAfter(store, setMs + shiftMs, waitMs + 1_000)).toBe(0);
});

test("a closed effect runner leaves no timer behind, and its pending work stays pending", async () => {
  const setMs = Date.UTC(2026, 0, 1);
  const store = createMemoryStore();
  await store.log.append("c", floorRequestChange(new Date(setMs).toISOString()), 0);
  const clock = createFakeClock(setMs);
  const server = await startServer(store, clock);
  const before = clock.pending();
  server.effectRunner.resume(await store.outbox.pending());
  expect(clock.pending()).toBeGreaterThan(before);
  await server.effectRunner.close({ drainMs: 30_000 });
  expect(clock.pending()).toBe(before);
  await clock.advance(hourMs);
  expect((await store.log.load("c"))?.parked).toHaveLength(1);
});
