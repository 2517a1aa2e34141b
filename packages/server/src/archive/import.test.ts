// Import of a log into another store: the same state at every entry, and no endless waits.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { apply, decide, defaultOptions, type Entry, emptyFloor, type Floor, type Input } from "@plenary/floor";
import { type FloorEvent, textUtterance } from "@plenary/protocol";
import { jsonlLine } from "@plenary/transcript";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createMemoryCredentials } from "../auth/memory-credentials.ts";
import { scrubbed, withEvents } from "../conversation/erasure.ts";
import { lookUp } from "../conversation/facts.ts";
import { silentLogger } from "../ports/logger.ts";
import { createFloorServer } from "../server.ts";
import { createSqliteStore } from "../store/sqlite/store.ts";
import { verifySqlite } from "../store/sqlite/verify.ts";
import { openImporter } from "../store/sqlite/writer.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import { importedChanges } from "./import.ts";

let file: string;
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plenary-import-"));
  file = join(folder, "floor.db");
});
afterEach(() => rmSync(folder, { recursive: true }));

const tag = (name: string) => `tag:${name}.example,2026:1`;
const [ann, bob, owl, chair] = [tag("ann"), tag("bob"), tag("owl"), tag("chair")];
const at = "2026-11-16T10:00:00.000Z";
const now = "2026-11-16T12:00:00.000Z";

function who(speakerUri: string) {
  const serviceUrl = `https://${speakerUri.split(/[:,]/u)[1]}/`;
  return { speakerUri, serviceUrl, organization: "", conversationalName: "", synopsis: "" };
}

const order = (command: Extract<Input, { kind: "command" }>["command"]): Input => ({
  kind: "command",
  by: "operator",
  command,
});
const open = order({ verb: "open", self: { speakerUri: tag("floor") }, options: defaultOptions, owner: who(ann) });
const seat = (speakerUri: string, seatKind: "person" | "agent") =>
  order({ verb: "seat", identification: who(speakerUri), seatKind });

function from(speakerUri: string, ...events: FloorEvent[]): Input {
  const envelope = { schema: { version: "1.1.0" }, conversation: { id: "c" }, sender: { speakerUri }, events };
  return { kind: "envelope", envelope };
}

let said = 0;

function says(speakerUri: string, text: string): FloorEvent {
  said += 1;
  return textUtterance(text, { speakerUri, id: `de:${said}`, startTime: at });
}

function live(...inputs: (Input | ((floor: Floor) => Input))[]): { entries: Entry[]; floor: Floor } {
  const entries: Entry[] = [];
  let floor = emptyFloor("c");
  for (const next of inputs) {
    const decision = decide(floor, typeof next === "function" ? next(floor) : next, at);
    entries.push(...decision.entries);
    floor = decision.floor;
  }
  return { entries, floor };
}

async function bring(entries: readonly Entry[], id = "c"): Promise<void> {
  async function* lines() {
    for (const entry of entries) yield jsonlLine(entry).trimEnd();
  }
  const importer = openImporter(file);
  await importer.write(importedChanges({ id, lines: lines(), now })).finally(importer.close);
}

/** No agent answers. */
const dialler = { dial: () => Promise.reject(new Error("no agent is called")) };

test("the floor is the same after every entry, and the hash chain is valid", async () => {
  const { entries } = live(open, seat(bob, "person"), seat(owl, "agent"), from(ann, says(ann, "hello")), (floor) => ({
    kind: "answer",
    delivery: floor.open.at(-1)?.id ?? "",
    envelope: { ...envelopeOf(from(owl, says(owl, "hoo"))) },
  }));
  await bring(entries);
  const store = createSqliteStore(file);
  let floor = emptyFloor("c");
  for (const entry of entries) {
    floor = apply(floor, entry);
    expect(await store.log.floorAt("c", entry.seq)).toEqual(floor);
  }
  expect(await store.log.entries("c", { after: 0, limit: entries.length })).toEqual(entries);
  expect(await store.lookups.hasSeen("c", bob)).toBe(true);
  await store.close();
  expect([...verifySqlite(file)]).toEqual([expect.not.objectContaining({ problem: expect.anything() })]);
});

function envelopeOf(input: Input) {
  if (input.kind !== "envelope") throw new Error("no envelope");
  return input.envelope;
}

test("an imported utterance has no second effect", async () => {
  const hello = says(ann, "hello");
  await bring(live(open, from(ann, hello)).entries);
  const store = createSqliteStore(file);
  const [known] = await store.lookups.seen("c", [{ sender: ann, dialogEventId: `de:${said}` }]);
  expect(known).toHaveLength(1);
  await store.close();
});

test("an utterance erased before the export has no second effect, although its text is unknown", async () => {
  const slip = says(ann, "a slip");
  const { entries } = live(open, from(ann, slip));
  const words = entries.filter(({ kind }) => kind === "received" || kind === "event");
  const first = words.at(-1)?.seq ?? 0;
  const { entries: all } = live(open, from(ann, slip), order({ verb: "erase", seq: first }));
  await bring(all.map((entry) => withEvents(entry, scrubbed)));
  const store = createSqliteStore(file);
  const floor = await store.log.load("c");
  if (floor === undefined) throw new Error("nothing was imported");
  const context = {
    ...store,
    credentials: createMemoryCredentials(),
    self: who(tag("floor")),
    clock: createFakeClock(),
  };
  expect(await lookUp(context, floor, envelopeOf(from(ann, slip)))).toEqual({ duplicates: [0] });
  expect(await lookUp(context, floor, envelopeOf(from(ann, says(ann, "another"))))).toEqual({});
  await store.close();
});

test("an import changes no address binding", async () => {
  await bring(live(open).entries, "before");
  const before = createSqliteStore(file);
  const floor = await before.log.load("before");
  if (floor === undefined) throw new Error("nothing was imported");
  const seating = decide(floor, seat(bob, "agent"), at);
  const deliveries = seating.effects.filter((effect) => effect.kind === "deliver");
  const nothing = { timers: [], dedupe: [], settled: [], rung: [], dead: [] };
  await before.log.append(
    "before",
    { ...nothing, deliveries, entries: seating.entries, floor: seating.floor },
    floor.seq,
  );
  await before.close();
  const evil = "https://evil.example/";
  const { entries } = live(
    ...[open, seat(bob, "agent"), seat(owl, "agent")],
    order({ verb: "rebind", speakerUri: bob, serviceUrl: evil }),
  );
  expect(entries).toContainEqual(expect.objectContaining({ kind: "rebound", because: "command/rebind/operator" }));
  await bring(entries);
  const after = createSqliteStore(file);
  const claims = [bob, owl].map((speakerUri) => ({ speakerUri, serviceUrl: evil }));
  expect(await after.lookups.boundTo(claims)).toEqual([who(bob).serviceUrl, undefined]);
  await after.close();
});

test.each<[string, (entries: Entry[]) => unknown[], string]>([
  [
    "a time in another format",
    ([first]) => [{ ...first, at: "+275760-09-13T00:00:00.000Z" }],
    "`at` is not a valid time",
  ],
  [
    "a wait that never ends",
    ([first]) => [{ ...first, options: { ...defaultOptions, requestHeldMs: Number.MAX_VALUE } }],
    "requestHeldMs is not between",
  ],
  ["too many seats", ([first]) => [first, ...Array.from({ length: 1_001 }, (_, number) => seated(number))], "seats"],
])("%s is refused", async (_what, change, problem) => {
  await expect(bring(change(live(open).entries) as Entry[])).rejects.toThrow(problem);
});

const seated = (number: number) => ({
  kind: "seated",
  seq: number + 2,
  at,
  turn: "t",
  because: "x",
  audience: [],
  seat: { identification: who(tag(`s${number}`)), kind: "agent", state: "joined", since: number + 2, misses: 0 },
});

test("open deliveries are given up, and an open invite counts as declined", async () => {
  const invite: FloorEvent = { eventType: "invite", to: { speakerUri: owl, serviceUrl: who(owl).serviceUrl } };
  const { entries, floor } = live(open, seat(chair, "agent"), from(ann, invite), from(ann, says(ann, "anybody?")));
  expect(floor.open.length).toBeGreaterThan(1);
  await bring(entries);
  const store = createSqliteStore(file);
  expect(await store.log.floorAt("c", entries.length)).toEqual(floor);
  const after = await store.log.load("c");
  expect(after?.conversants.map(({ identification }) => identification.speakerUri)).toEqual([ann, chair]);
  const ours = await store.log.entries("c", { after: entries.length, limit: 100 });
  const [first] = ours;
  expect(first).toMatchObject({ kind: "missed", at: now, failure: "unreachable" });
  expect(ours).toContainEqual(expect.objectContaining({ because: "1.15/on-its-behalf" }));
  // Every open delivery is in the outbox of this store.
  const { deliveries } = await store.outbox.pending();
  expect(after?.open.map(({ id }) => id)).toEqual(deliveries.map(({ effect }) => effect.delivery));
  await store.close();
  expect([...verifySqlite(file)].some(({ problem }) => problem !== undefined)).toBe(false);
});

test("events that wait for the convener continue when a floor opens the store", async () => {
  const { entries, floor } = live(
    ...[
      open,
      seat(bob, "person"),
      seat(chair, "agent"),
      order({ verb: "convener", serviceUrl: who(chair).serviceUrl }),
    ],
    ...[from(bob, { eventType: "requestFloor" })],
  );
  expect(floor.parked.length).toBeGreaterThan(0);
  await bring(entries);
  const store = createSqliteStore(file);
  expect((await store.outbox.pending()).timers).toHaveLength(floor.parked.length);
  const server = await createFloorServer(
    { store, dialler, logger: silentLogger },
    { token: "a-token-for-this-test", drainMs: 0 },
  );
  await expect.poll(async () => (await store.log.load("c"))?.parked).toEqual([]);
  const log = await store.log.entries("c", { after: entries.length, limit: 100 });
  expect(log).toContainEqual(
    expect.objectContaining({ kind: "event", target: bob, because: "2.2/requestFloor/no-convener" }),
  );
  await server.close();
});
