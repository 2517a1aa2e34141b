// D25: deliveries to relay addresses of this floor: connected agents, and people, who read the log.
import { envelope, textUtterance } from "@plenary/protocol";
import { expect, test } from "vitest";
import { jsonTextOf } from "../../conversation/decode.ts";
import { newCredentialToken } from "../../ports/credentials.ts";
import type { DraftPiece, OutboundMessage } from "../../ports/outbound.ts";
import { ann, bot, startDeliveryFixture } from "../../testing/delivery-fixture.ts";
import { withDelivery } from "./outbound.ts";

const noPeers = { speakerUriOf: () => undefined, serviceUrlOf: () => undefined };
const eve = "tag:eve.example,2026:1";

async function floorWithSockets() {
  const floor = await startDeliveryFixture({ limits: { retryMs: 60_000, inviteRetryMs: 10_000 } });
  const { sockets, self } = floor.server;
  await floor.open();
  await floor.seat();
  const messageTo = (speakerUri: string, more: Partial<OutboundMessage> = {}): OutboundMessage => {
    const event = textUtterance("hello", { speakerUri: ann, id: "u1", startTime: "2026-01-01T00:00:00Z" });
    const serviceUrl = `${self.serviceUrl}/at/${Buffer.from(speakerUri).toString("base64url")}`;
    return {
      conversationId: "c",
      delivery: "d7.0",
      to: { speakerUri, serviceUrl },
      turn: "t",
      depth: 1,
      floors: [],
      envelope: envelope({ conversation: { id: "c" }, sender: { speakerUri: ann }, events: [event] }),
      isInvite: false,
      isDelegation: false,
      peers: noPeers,
      background: async () => ({ peers: noPeers, carried: {} }),
      signal: new AbortController().signal,
      onRetry: () => {},
      onDraft: () => {},
      ...more,
    };
  };
  const connect = (speakerUri = bot.speakerUri) => {
    const received: Record<string, unknown>[] = [];
    const disconnect = sockets.connect(speakerUri, {
      send: (text) => received.push(JSON.parse(text)),
      replaced: () => {},
    });
    return { received, disconnect };
  };
  return { ...floor, sockets, messageTo, connect };
}

const silentAnswer = (speakerUri: string) =>
  jsonTextOf(
    JSON.stringify({ openFloor: envelope({ conversation: { id: "c" }, sender: { speakerUri }, events: [] }) }),
  );

test("a connected agent gets the envelope with the delivery id, and its answer is the outcome", async () => {
  const { clock, sockets, messageTo, connect } = await floorWithSockets();
  const { received } = connect();
  const message = messageTo(bot.speakerUri);
  expect(sockets.reaches(message.to)).toBe(true);
  expect(sockets.reaches(bot)).toBe(false);
  const sending = sockets.send(message);
  await clock.advance(1_500);
  expect(received).toMatchObject([
    { openFloor: { conversation: { id: "c" } }, delivery: expect.stringMatching(/:d7\.0$/u) },
  ]);
  expect(received[0]).not.toHaveProperty("delegated");
  expect(received[0]).toMatchObject({
    baggage: expect.stringContaining("plenary.depth=1"),
    traceparent: expect.any(String),
  });
  const name = String(received[0]?.delivery);
  expect(sockets.answer(eve, name, silentAnswer(bot.speakerUri))).toBe("unknown");
  expect(sockets.answer(bot.speakerUri, name, silentAnswer(bot.speakerUri))).toBe("taken");
  expect(await sending).toMatchObject({ kind: "envelope", dialect: "1.1", encounter: { issues: [], tookMs: 1_500 } });
});

test("the answer of an agent that had to connect first has no latency", async () => {
  const { clock, sockets, messageTo, connect } = await floorWithSockets();
  const sending = sockets.send(messageTo(bot.speakerUri));
  await clock.advance(10_000);
  const { received } = connect();
  sockets.answer(bot.speakerUri, String(received[0]?.delivery), silentAnswer(bot.speakerUri));
  const outcome = await sending;
  expect(outcome).toMatchObject({ kind: "envelope", encounter: { issues: [] } });
  expect(outcome).not.toMatchObject({ encounter: { tookMs: expect.anything() } });
});

test.each([
  ["a delivery", {}, 60_000],
  ["an invite", { isInvite: true }, 10_000],
  ["a check", { isCheck: true as const }, 0],
])("%s waits for a disconnected agent up to its limit", async (_what, more, waitMs) => {
  const { clock, sockets, messageTo } = await floorWithSockets();
  let outcome: unknown;
  sockets.send(messageTo(bot.speakerUri, more)).then(
    (ended) => {
      outcome = ended;
    },
    () => {},
  );
  await clock.advance(Math.max(0, waitMs - 1));
  if (waitMs > 0) expect(outcome).toBeUndefined();
  await clock.advance(1);
  expect(outcome).toEqual({
    kind: "failure",
    failure: "unreachable",
    code: "not-connected",
    detail: "it did not reconnect in time",
  });
});

test("silence, an invalid answer and an aborted delivery have their own outcomes", async () => {
  const { clock, sockets, messageTo, connect } = await floorWithSockets();
  const { received } = connect();
  const silent = sockets.send(messageTo(bot.speakerUri));
  await clock.advance(120_000);
  expect(await silent).toMatchObject({ kind: "failure", failure: "timeout", code: "timeout" });
  const invalid = sockets.send(messageTo(bot.speakerUri));
  await clock.advance(0);
  expect(sockets.answer(bot.speakerUri, String(received[1]?.delivery), jsonTextOf("{}"))).toBe("unreadable");
  expect(await invalid).toMatchObject({ kind: "failure", failure: "no-envelope", code: "no-envelope" });
  const controller = new AbortController();
  const abortedSend = sockets.send(messageTo(bot.speakerUri, { signal: controller.signal }));
  await clock.advance(0);
  controller.abort();
  expect(await abortedSend).toEqual({ kind: "aborted" });
});

test("nothing is sent to a person, unless it is connected as an agent", async () => {
  const { clock, sockets, messageTo, connect } = await floorWithSockets();
  const emptyOutcome = { kind: "envelope", envelope: { sender: { speakerUri: ann }, events: [] }, carried: {} };
  expect(await sockets.send(messageTo(ann))).toMatchObject(emptyOutcome);
  const { received } = connect(ann);
  sockets.send(messageTo(ann)).catch(() => {});
  await clock.advance(0);
  expect(received).toHaveLength(1);
});

test("events that a dialect cannot express are not sent, and count as delivered", async () => {
  const { sockets, messageTo, connect } = await floorWithSockets();
  const { received } = connect();
  const message = messageTo(bot.speakerUri, { dialect: "0.9" });
  const accepted = { ...message.envelope, events: [{ eventType: "acceptInvite" as const }] };
  const outcome = await sockets.send({ ...message, envelope: accepted });
  expect(outcome).toMatchObject({ kind: "envelope", dialect: "0.9", envelope: { events: [] } });
  expect(received).toEqual([]);
});

test("a message that cannot be encoded is a failure, with the reason", async () => {
  const { sockets, messageTo } = await floorWithSockets();
  const background = () => Promise.reject(new Error("the store is gone"));
  const outcome = await sockets.send(messageTo(bot.speakerUri, { dialect: "1.0", background }));
  expect(outcome).toEqual({ kind: "failure", failure: "unreachable", detail: "the store is gone" });
});

test("a seat taken by its owner or given by the operator says whether a speaker is a person; other seats do not", async () => {
  const { sockets, send } = await floorWithSockets();
  const kindsOf = async (name: string) => [await sockets.isPerson(name), await sockets.isAgent(name)];
  expect(await kindsOf(ann)).toEqual([true, false]);
  expect(await kindsOf(bot.speakerUri)).toEqual([false, true]);
  await send([{ eventType: "invite", to: { speakerUri: eve, serviceUrl: "http://eve.example/" } }]);
  expect(await kindsOf(eve)).toEqual([false, false]);
});

test("a viewer is a person, unless it is known as an agent or was connected as one", async () => {
  const { server, sockets, connect } = await floorWithSockets();
  expect(await sockets.isPerson(eve)).toBe(false);
  server.presence.connected(eve);
  expect(await sockets.isPerson(eve)).toBe(true);
  expect(await sockets.isPerson(bot.speakerUri)).toBe(false);
  expect(await sockets.isPerson(eve, "agent")).toBe(false);
  expect(sockets.wasConnected(eve)).toBe(false);
  const { disconnect } = connect(eve);
  disconnect();
  expect([sockets.wasConnected(eve), sockets.isConnected(eve)]).toEqual([true, false]);
  expect([await sockets.isPerson(eve), await sockets.isAgent(eve)]).toEqual([false, true]);
  expect(await sockets.isPerson(eve, "person")).toBe(false);
});

test("a credential of a person makes its speaker a person, whatever seat the operator gave it", async () => {
  const { server, sockets } = await floorWithSockets();
  const { token: _token, ...created } = newCredentialToken("key");
  const of = { kind: "key", speakers: [bot.speakerUri], scopes: [], isPerson: true } as const;
  await server.credentials.add({ ...created, ...of, createdAt: "2026-01-01T00:00:00.000Z" });
  expect(await sockets.isPerson(bot.speakerUri)).toBe(true);
});

test("connected agents are counted once each", async () => {
  const { clock, sockets, messageTo, connect } = await floorWithSockets();
  expect(sockets.count()).toBe(0);
  sockets.send(messageTo("tag:away.example,2026:1")).catch(() => {});
  await clock.advance(0);
  const first = connect();
  connect();
  const other = connect(eve);
  first.disconnect();
  expect(sockets.connected()).toEqual([bot.speakerUri, eve]);
  other.disconnect();
  expect([sockets.count(), sockets.isConnected(bot.speakerUri), sockets.isConnected(eve)]).toEqual([1, true, false]);
});

test("drafts reach only the delivery they name", async () => {
  const { clock, sockets, messageTo, connect } = await floorWithSockets();
  const { received } = connect();
  const drafts: DraftPiece[] = [];
  sockets.send(messageTo(bot.speakerUri, { onDraft: (one) => drafts.push(one) })).catch(() => {});
  await clock.advance(0);
  const name = String(received[0]?.delivery);
  const piece = { dialogEventId: "x", delta: "Hel" };
  expect([sockets.draft(eve, name, piece), sockets.draft(bot.speakerUri, "other", piece)]).toEqual([false, false]);
  expect(sockets.draft(bot.speakerUri, name, piece)).toBe(true);
  expect(drafts).toEqual([piece]);
  expect([sockets.takeDraft(eve, name, 1), sockets.takeDraft(bot.speakerUri, name, 1)]).toEqual([undefined, 0]);
});

test("a frame has its delivery id, and `delegated` where the convener must decide", () => {
  expect(withDelivery('{"openFloor":{}}', "d1")).toBe('{"openFloor":{},"delivery":"d1"}');
  expect(withDelivery('{"openFloor":{}}', "d1", { isDelegation: true, baggage: "b" })).toBe(
    '{"openFloor":{},"delivery":"d1","delegated":true,"baggage":"b"}',
  );
});
