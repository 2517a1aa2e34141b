import { expect, test, vi } from "vitest";
import { ann, said, textOf, utterance } from "../support/envelopes.ts";
import { answer, echo, eventsIn, silent, startAgent, textsIn } from "../support/http-agent.ts";
import { startTestFloor } from "../support/start-test-floor.ts";
import { patience } from "../support/wait-for.ts";
import { createFullDisk } from "./full-disk.ts";

const words = (entries: { event?: Parameters<typeof textOf>[0] }[]) =>
  entries.map(({ event }) => textOf(event)).filter((text) => text !== undefined);

test("while the store cannot write callers get 503 with Retry-After, and later the floor works again", async () => {
  const { disk, store } = createFullDisk();
  const floor = await startTestFloor({ store });
  await floor.say("c", "before");
  disk.isFull = true;
  const refused = await floor.say("c", "while");
  expect(refused.status).toBe(503);
  expect(refused.body).toMatchObject({ type: "urn:plenary:problem:unavailable" });
  const seconds = Number(refused.headers.get("retry-after"));
  expect(seconds).toBeGreaterThanOrEqual(1);
  expect(refused.body.retryAfter).toBe(seconds);
  expect(JSON.stringify(refused.body)).not.toMatch(/secret|ENOSPC/);
  expect((await floor.call("GET", "/readyz")).status).toBe(503);
  expect((await floor.call("GET", "/livez")).status).toBe(200);
  expect(words(await floor.log("c"))).toEqual(["before"]);
  disk.isFull = false;
  expect((await floor.call("GET", "/readyz")).status).toBe(200);
  expect((await floor.say("c", "after")).status).toBe(200);
  expect(words(await floor.log("c"))).toEqual(["before", "after"]);
  await floor.close();
});

test("an agent's answer that cannot be written is written once when the disk has space again", async () => {
  const { disk, store } = createFullDisk();
  const floor = await startTestFloor({ store });
  const agent = await startAgent((heard, self) => {
    if (textsIn(heard).length > 0) disk.isFull = true;
    return echo(heard, self);
  });
  await floor.invite("c", agent);
  const asked = floor.say("c", "hello");
  await vi.waitFor(() => expect(disk.refused).toBeGreaterThan(1), patience);
  disk.isFull = false;
  expect(said(await asked)).toEqual([[agent.speakerUri, "echo hello"]]);
  expect(words(await floor.log("c"))).toEqual(["hello", "echo hello"]);
  expect(agent.heard.filter((heard) => textsIn(heard).length > 0)).toHaveLength(1);
  expect((await store.outbox.pending()).deliveries).toEqual([]);
  await floor.close();
});

test("a delivery that failed while the disk was full becomes a dead letter when the disk has space again", async () => {
  const { disk, store } = createFullDisk();
  const floor = await startTestFloor({ store });
  const agent = await startAgent((heard, self) => {
    if (textsIn(heard).length === 0) return silent(heard, self);
    disk.isFull = true;
    return { status: 410, body: "gone" };
  });
  await floor.invite("c", agent);
  await floor.say("c", "hello", { wait: 0 });
  await vi.waitFor(() => expect(disk.refused).toBeGreaterThan(1), patience);
  disk.isFull = false;
  await vi.waitFor(async () => expect(await store.outbox.deadLetters({ limit: 9 })).toHaveLength(1), patience);
  expect((await store.outbox.pending()).deliveries).toEqual([]);
  await floor.close();
});

test("a deadline that passes while the disk is full takes effect when the disk has space again", async () => {
  const { disk, store } = createFullDisk();
  const floor = await startTestFloor({ store });
  const convener = await startAgent((heard, self) =>
    eventsIn(heard).some(({ eventType }) => eventType === "requestFloor") ? undefined : answer(heard, self),
  );
  const owner = { identification: { speakerUri: ann } };
  const options = { convener: convener.url, convenerDeadlineMs: 500 };
  await floor.call("POST", "/api/v1/conversations", { id: "c", owner, ...options });
  await floor.until("c", (entries) => entries.some(({ kind }) => kind === "role"));
  const guest = "tag:people.example,2026:bob";
  await floor.call("POST", "/api/v1/conversations/c/seat", { identification: { speakerUri: guest } });
  await floor.send("c", [{ eventType: "requestFloor" }], { as: guest, wait: 0 });
  await floor.until("c", (entries) => entries.some(({ kind }) => kind === "parked"));
  disk.isFull = true;
  await vi.waitFor(() => expect(disk.refused).toBeGreaterThan(0), patience);
  disk.isFull = false;
  await floor.until("c", (entries) => entries.some(({ because }) => because === "convener/deadline"));
  await vi.waitFor(async () => expect((await store.outbox.pending()).timers).toEqual([]), patience);
  await floor.close();
});

test("a floor that closes while the disk is full repeats the delivery after its next start", async () => {
  const { disk, store } = createFullDisk();
  const first = await startTestFloor({ store });
  const agent = await startAgent((heard, self) => {
    if (textsIn(heard).length > 0 && agent.heard.length < 4) disk.isFull = true;
    return answer(
      heard,
      self,
      ...textsIn(heard).map((text) => utterance(self.speakerUri, `echo ${text}`, { id: "e1" })),
    );
  });
  await first.invite("c", agent);
  await first.say("c", "hello", { wait: 0 });
  await vi.waitFor(() => expect(disk.refused).toBeGreaterThan(0), patience);
  await first.server.close();
  disk.isFull = false;
  const delivered = () => agent.heard.filter((heard) => textsIn(heard).includes("hello"));
  expect(delivered()).toHaveLength(1);
  const second = await startTestFloor({ store });
  disk.isFull = false;
  await second.until("c", (entries) => words(entries).includes("echo hello"));
  const [once, again] = delivered();
  expect(again?.headers["webhook-id"]).toBe(once?.headers["webhook-id"]);
  expect(again?.text).toBe(once?.text);
  await second.close();
});
