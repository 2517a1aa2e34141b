import { defaultOptions, type Effect, fold } from "@plenary/floor";
import { envelope, type FloorEvent, invite, textUtterance } from "@plenary/protocol";
import { expect, test } from "vitest";
import { createMemoryCredentials } from "../auth/memory-credentials.ts";
import { noMetrics } from "../ports/metrics.ts";
import { operator, type Principal } from "../ports/principal.ts";
import type { FloorStore } from "../ports/store.ts";
import { createMemoryStore } from "../store/memory.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import { createConversationQueue } from "./conversation-queue.ts";
import { jsonTextOf, peersOf } from "./decode.ts";
import { createNotifier } from "./notifier.ts";
import { createReceiver } from "./receive.ts";
import { createRedeliveries } from "./redeliveries.ts";

const now = "2026-01-01T00:00:00.000Z";
const ann = "tag:people.example,2026:ann";
const bot = { speakerUri: "tag:bot.example,2026:bot", serviceUrl: "http://bot.example/" };
const guest: Principal = { id: "key:ann", kind: "agent", speakers: [ann], scopes: [] };

/** One node of a floor: several may share a store. */
function node({ log, lookups }: Pick<FloorStore, "log" | "lookups">) {
  const performed: Effect[] = [];
  let count = 0;
  const receiver = createReceiver({
    log,
    lookups,
    clock: createFakeClock(),
    ids: { newId: () => `id${count++}`, random: () => 0 },
    queue: createConversationQueue(undefined, () => new Promise((resolve) => setImmediate(resolve))),
    notifier: createNotifier(),
    redeliveries: createRedeliveries(),
    metrics: noMetrics,
    self: { speakerUri: "tag:floor.example,2026:f", serviceUrl: "http://floor.example/openfloor" },
    credentials: createMemoryCredentials(),
    deliverySecret: "secret",
    floorOptions: defaultOptions,
    admitOpening: async () => {},
    requestLimits: { eventsMax: 64 },
    perform: (_id, effects) => performed.push(...effects),
  });
  return { receiver, performed };
}

const documentOf = (events: FloorEvent[], speakerUri = ann, id = "c") =>
  jsonTextOf(JSON.stringify({ openFloor: envelope({ conversation: { id }, sender: { speakerUri }, events }) }));

const utterance = (value: string) => textUtterance(value, { speakerUri: ann, id: value, startTime: now });

test("nodes that share a store decide again after a conflict: each input takes effect once, in one order", async () => {
  const store = createMemoryStore();
  const nodes = [node(store), node(store), node(store)];
  await nodes[0]?.receiver.envelope({ document: documentOf([invite({ to: bot })]), principal: operator });
  const words = Array.from({ length: 60 }, (_, index) => `word ${index}`);
  await Promise.all(
    words.map((value, index) =>
      nodes[index % 3]?.receiver.envelope({ document: documentOf([utterance(value)]), principal: operator }),
    ),
  );
  const entries = await store.log.entries("c", { after: 0, limit: 1_000 });
  expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => index + 1));
  expect(fold("c", entries)).toEqual(await store.log.load("c"));
  const ids = entries.flatMap((entry) =>
    entry.kind === "event" && entry.event.eventType === "utterance" ? [entry.event.parameters.dialogEvent.id] : [],
  );
  expect(ids.sort()).toEqual([...words].sort());
  const delivered = nodes.flatMap(({ performed }) => performed.filter(({ kind }) => kind === "deliver"));
  expect(delivered).toHaveLength(words.length + 1);
});

test("after a store failure no effect runs, and the next envelope is accepted", async () => {
  const store = createMemoryStore();
  let isDown = true;
  const { receiver, performed } = node({
    ...store,
    log: {
      ...store.log,
      append: (...change) => (isDown ? Promise.reject(new Error("disk full")) : store.log.append(...change)),
    },
  });
  await expect(receiver.envelope({ document: documentOf([utterance("lost")]), principal: operator })).rejects.toThrow(
    "disk full",
  );
  expect(performed).toEqual([]);
  expect(await store.log.load("c")).toBeUndefined();
  isDown = false;
  const receipt = await receiver.envelope({ document: documentOf([utterance("kept")]), principal: operator });
  expect(receipt.floor.seq).toBe(receipt.entries.length);
});

test("D26: only a sender who may host creates a conversation by its first envelope", async () => {
  const store = createMemoryStore();
  const { receiver } = node(store);
  await expect(receiver.envelope({ document: documentOf([utterance("hi")]), principal: guest })).rejects.toMatchObject({
    code: "unknown-conversation",
  });
  await expect(
    receiver.envelope({ document: documentOf([utterance("hi")]), principal: operator, inReplyTo: "d1" }),
  ).rejects.toMatchObject({
    code: "unknown-conversation",
  });
  expect(await store.log.count()).toBe(0);
});

test("a conversation whose first envelope is refused is not created", async () => {
  const store = createMemoryStore();
  const { receiver } = node(store);
  const to = { speakerUri: "tag:nobody.example,2026:x", private: true };
  const whisper = textUtterance("psst", { speakerUri: ann, id: "w", startTime: now, to });
  await expect(receiver.envelope({ document: documentOf([whisper]), principal: operator })).rejects.toMatchObject({
    code: "refused",
  });
  expect(await store.log.count()).toBe(0);
});

test("the sender is checked before anything is loaded", async () => {
  const store = createMemoryStore();
  const { receiver } = node(store);
  await expect(
    receiver.envelope({ document: documentOf([], "tag:else.example,2026:x"), principal: guest }),
  ).rejects.toMatchObject({
    code: "forbidden-speaker",
  });
});

test("answers and timers for unknown conversations create none", async () => {
  const store = createMemoryStore();
  const { receiver } = node(store);
  const failure = { kind: "failure", failure: "timeout", detail: "" } as const;
  const to = { speakerUri: "tag:bot.example,2026:bot", serviceUrl: "http://bot.example/" };
  await expect(receiver.answer("c", { delivery: "d1", turn: "t1", events: [], to }, failure)).rejects.toMatchObject({
    code: "unknown-conversation",
  });
  await expect(receiver.timer("c", "held:1:x")).rejects.toMatchObject({ code: "unknown-conversation" });
  expect(await store.log.count()).toBe(0);
});

test("a command does not open a conversation with an invalid id", async () => {
  const store = createMemoryStore();
  const { receiver } = node(store);
  const self = { speakerUri: "tag:floor.example,2026:f" };
  const opening = { verb: "open", self, options: defaultOptions } as const;
  await expect(receiver.command("line\nbreak", opening)).rejects.toMatchObject({ code: "bad-request" });
  expect(await store.log.count()).toBe(0);
  expect((await receiver.command("c", opening)).floor.seq).toBeGreaterThan(0);
});

/** The bot is invited, and the invite is being delivered. */
async function invited() {
  const store = createMemoryStore();
  const { receiver, performed } = node(store);
  await receiver.envelope({ document: documentOf([invite({ to: bot })]), principal: operator });
  const [delivery] = performed.flatMap((effect) => (effect.kind === "deliver" ? [effect] : []));
  if (delivery === undefined) throw new Error("the invite was not delivered");
  return { store, receiver, delivery };
}

test("the sender of a 0.9 envelope is resolved from its address by the seats", async () => {
  const { receiver, delivery } = await invited();
  const events: FloorEvent[] = [{ eventType: "acceptInvite" }];
  const accepted = envelope({ conversation: { id: "c" }, sender: bot, events });
  await receiver.answer("c", delivery, { kind: "envelope", envelope: accepted, dialect: "0.9", carried: {} });
  const features = { text: { mimeType: "text/plain", tokens: [{ value: "rain" }] } };
  const dialogEvent = { speakerId: "bot", span: { startTime: now }, features };
  const conversation = { id: "c" };
  const value = [{ eventType: "utterance", parameters: { dialogEvent } }];
  const ovon = { schema: { version: "0.9.3" }, conversation, sender: { from: bot.serviceUrl }, events: value };
  const receipt = await receiver.envelope({ document: jsonTextOf(JSON.stringify({ ovon })), principal: operator });
  expect(receipt).toMatchObject({ sender: bot.speakerUri, dialect: "0.9", refused: [] });
  const peers = peersOf(receipt.floor);
  const addresses = [bot.speakerUri, ann, "tag:nobody.example,2026:x"].map((name) => peers.serviceUrlOf(name));
  expect(addresses).toEqual([bot.serviceUrl, expect.not.stringContaining("bot"), undefined]);
});

test("of an answer with too many events only the first ones are used", async () => {
  const { receiver, delivery } = await invited();
  const events: FloorEvent[] = [{ eventType: "acceptInvite" }];
  const words = Array.from({ length: 99 }, (_, index) => ({ ...utterance(`word ${index}`) }));
  const answered = envelope({ conversation: { id: "c" }, sender: bot, events: [...events, ...words] });
  const entries = await receiver.answer("c", delivery, {
    kind: "envelope",
    envelope: answered,
    dialect: "1.1",
    carried: {},
  });
  expect(entries.find(({ kind }) => kind === "received")).toMatchObject({ events: { length: 64 } });
});

test("an answer settles its delivery in the same write; a second one has no effect", async () => {
  const { store, receiver, delivery } = await invited();
  expect((await store.outbox.pending()).deliveries).toHaveLength(1);
  const answered = envelope({ conversation: { id: "c" }, sender: bot, events: [] });
  const outcome = { kind: "envelope", envelope: answered, dialect: "1.1", carried: {} } as const;
  await receiver.answer("c", delivery, outcome);
  expect((await store.outbox.pending()).deliveries).toEqual([]);
  const second = await receiver.answer("c", delivery, outcome);
  expect(second.map(({ kind }) => kind)).toEqual(["late"]);
});
