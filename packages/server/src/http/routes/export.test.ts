// Exports that the client does not read use limited memory for a limited time.
import type { Floor } from "@plenary/floor";
import { afterEach, beforeEach, expect, test } from "vitest";
import { exportConversation } from "../../archive/export.ts";
import { silentLogger } from "../../ports/logger.ts";
import type { FloorStore } from "../../ports/store.ts";
import { createFloorServer, type FloorServer } from "../../server.ts";
import { changeOf, envelopeDecision, openConversation, utterance } from "../../store/acceptance/fixture.ts";
import { createMemoryStore } from "../../store/memory.ts";
import { createFakeClock, type FakeClock } from "../../testing/fake-clock.ts";

const busy = 429;
const token = "the-operators-token";
const dialler = { dial: () => Promise.reject(new Error("no request expected")) };

let server: FloorServer;
let store: FloorStore;
let clock: FakeClock;

beforeEach(async () => {
  store = createMemoryStore();
  clock = createFakeClock();
  server = await createFloorServer({ store, dialler, clock, logger: silentLogger }, { token, drainMs: 0 });
});
afterEach(() => server.close());

async function talk(texts: readonly string[]): Promise<void> {
  let floor: Floor = await openConversation(store, "c");
  for (const [index, text] of texts.entries()) {
    const decision = envelopeDecision(floor, utterance(text, `u${index}`));
    await store.log.append("c", changeOf(decision), floor.seq);
    floor = decision.floor;
  }
}

const requestExport = (format = "html") =>
  server.fetch(
    new Request(`http://127.0.0.1/api/v1/conversations/c/export?format=${format}`, {
      headers: { authorization: `Bearer ${token}`, host: "127.0.0.1" },
    }),
  );

async function requestUnread(): Promise<Response[]> {
  const unread = [
    await requestExport(),
    await requestExport("markdown"),
    await requestExport("mermaid"),
    await requestExport(),
  ];
  expect(unread.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect((await requestExport()).status).toBe(busy);
  return unread;
}

const long = Array.from({ length: 40 }, (_, number) => `${number} ${"word ".repeat(20_000)}`);

test("an unread document counts until the client cancels it or has read it", async () => {
  await talk(long);
  const [first, second, ...others] = await requestUnread();
  // `jsonl` has no such limit.
  expect((await (await requestExport("jsonl")).text()).length).toBeGreaterThan(4_000_000);
  await first?.body?.cancel();
  const again = await requestExport();
  expect(again.status).toBe(200);
  expect((await requestExport()).status).toBe(busy);
  expect(await second?.text()).toContain("39 word");
  expect((await requestExport()).status).toBe(200);
  await Promise.all([...others, again].map(({ body }) => body?.cancel()));
});

test("an export that the client does not read is aborted", async () => {
  await talk(long);
  const [first, ...others] = await requestUnread();
  await clock.advance(50_000);
  expect((await requestExport()).status).toBe(busy);
  await clock.advance(20_000);
  expect((await requestExport()).status).toBe(200);
  await expect(first?.text()).rejects.toThrow();
  for (const { body } of others) await body?.cancel().catch(() => {});
});

test("a document of a large conversation contains its end, and says so", async () => {
  await talk(Array.from({ length: 24 }, (_, number) => `Number ${number}: ${"x".repeat(500_000)}`));
  const html = await (await requestExport()).text();
  expect(html).toMatch(/The first \d+ entries are left out: an export as jsonl has them/u);
  expect(html).toContain("Number 23");
  expect(html).not.toContain("Number 3:");
  expect(html.length).toBeLessThan(9_000_000);
});

test("the event loop runs while a document is created", async () => {
  await talk(Array.from({ length: 1_000 }, (_, number) => `${number} ${"word ".repeat(200)}`));
  const floor = await store.log.load("c");
  if (floor === undefined) throw new Error("no conversation");
  let turns = 0;
  let next = setImmediate(function count() {
    turns += 1;
    next = setImmediate(count);
  });
  let before: number | undefined;
  for await (const _ of exportConversation(store.log, floor, { format: "html" })) before ??= turns;
  clearImmediate(next);
  expect(turns - (before ?? turns)).toBeGreaterThan(10);
});
