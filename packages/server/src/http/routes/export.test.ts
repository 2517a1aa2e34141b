// Whoever takes a conversation away and does not read it keeps little, and not for ever.
import type { Floor } from "@plenary/floor";
import { afterEach, beforeEach, expect, test } from "vitest";
import { exportConversation } from "../../archive/export.ts";
import type { FloorStore } from "../../ports/store.ts";
import { createFloorServer, type FloorServer } from "../../server.ts";
import { changeOf, opened, saying, word } from "../../store/acceptance/fixture.ts";
import { createMemoryStore } from "../../store/memory.ts";
import { createFakeClock, type FakeClock } from "../../testing/fake-clock.ts";

const busy = 429;
const token = "the-operators-token";
const dialler = { dial: () => Promise.reject(new Error("nobody is dialled")) };

let server: FloorServer;
let store: FloorStore;
let clock: FakeClock;

beforeEach(() => {
  store = createMemoryStore();
  clock = createFakeClock();
  server = createFloorServer({ store, dialler, clock }, { token, drainMs: 0 });
});
afterEach(() => server.close());

async function talk(words: readonly string[]): Promise<void> {
  let floor: Floor = await opened(store, "c");
  for (const [index, text] of words.entries()) {
    const decision = saying(floor, word(text, `u${index}`));
    await store.append("c", changeOf(decision), floor.seq);
    floor = decision.floor;
  }
}

const take = (format = "html") =>
  server.fetch(
    new Request(`http://127.0.0.1/api/v1/conversations/c/export?format=${format}`, {
      headers: { authorization: `Bearer ${token}`, host: "127.0.0.1" },
    }),
  );

async function takeUnread(): Promise<Response[]> {
  const unread = [await take(), await take("markdown"), await take("mermaid"), await take()];
  expect(unread.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect((await take()).status).toBe(busy);
  return unread;
}

const long = Array.from({ length: 40 }, (_, number) => `${number} ${"word ".repeat(20_000)}`);

test("a document that nobody reads holds its place until its reader goes or has read it", async () => {
  await talk(long);
  const [first, second, ...others] = await takeUnread();
  // All of it may be had meanwhile, line by line.
  expect((await (await take("jsonl")).text()).length).toBeGreaterThan(4_000_000);
  await first?.body?.cancel();
  const again = await take();
  expect(again.status).toBe(200);
  expect((await take()).status).toBe(busy);
  expect(await second?.text()).toContain("39 word");
  expect((await take()).status).toBe(200);
  await Promise.all([...others, again].map(({ body }) => body?.cancel()));
});

test("a reader that takes nothing for long is left", async () => {
  await talk(long);
  const [first, ...others] = await takeUnread();
  await clock.advance(50_000);
  expect((await take()).status).toBe(busy);
  await clock.advance(20_000);
  expect((await take()).status).toBe(200);
  await expect(first?.text()).rejects.toThrow();
  for (const { body } of others) await body?.cancel().catch(() => {});
});

test("a document tells the end of what is too large for it, and says so", async () => {
  await talk(Array.from({ length: 24 }, (_, number) => `Number ${number}: ${"x".repeat(500_000)}`));
  const html = await (await take()).text();
  expect(html).toMatch(/The first \d+ entries are left out: an export as jsonl has them/u);
  expect(html).toContain("Number 23");
  expect(html).not.toContain("Number 3:");
  expect(html.length).toBeLessThan(9_000_000);
});

test("others have their turn while a document is made", async () => {
  await talk(Array.from({ length: 1_000 }, (_, number) => `${number} ${"word ".repeat(200)}`));
  const floor = await store.load("c");
  if (floor === undefined) throw new Error("nothing was said");
  let turns = 0;
  let next = setImmediate(function count() {
    turns += 1;
    next = setImmediate(count);
  });
  let before: number | undefined;
  for await (const _ of exportConversation(store, floor, { format: "html" })) before ??= turns;
  clearImmediate(next);
  expect(turns - (before ?? turns)).toBeGreaterThan(10);
});
