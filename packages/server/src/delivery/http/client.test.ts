import { envelope, parseEnvelope, textUtterance } from "@plenary/protocol";
import { expect, test } from "vitest";
import { createLocalDialler, type LocalAgent } from "../../agents/hosted.ts";
import { defaultDeliveryLimits } from "../../limits.ts";
import type { Dialler, DialRequest } from "../../ports/dialler.ts";
import type { DraftPiece, OutboundMessage } from "../../ports/outbound.ts";
import { createFakeClock } from "../../testing/fake-clock.ts";
import { createHttpOutbound } from "./client.ts";

const now = "2026-01-01T00:00:00.000Z";
const ann = "tag:ann.example,2026:ann";
const bot = { speakerUri: "tag:bot.example,2026:bot", serviceUrl: "http://bot.example/" };
const self = { speakerUri: "tag:floor.example,2026:floor", serviceUrl: "http://floor.example/openfloor" };

const noPeers = { speakerUriOf: () => undefined, serviceUrlOf: () => undefined };

function message(more: Partial<OutboundMessage> = {}): OutboundMessage {
  const event = textUtterance("hello", { speakerUri: ann, id: "u1", startTime: now });
  return {
    conversationId: "c",
    delivery: "d7.0",
    to: bot,
    envelope: envelope({ conversation: { id: "c" }, sender: { speakerUri: ann }, events: [event] }),
    turn: "t1",
    depth: 3,
    floors: ["tag:far.example,2026:floor"],
    isInvite: false,
    isDelegation: false,
    peers: noPeers,
    background: async () => ({ peers: noPeers, carried: {} }),
    signal: new AbortController().signal,
    onRetry: () => {},
    onDraft: () => {},
    ...more,
  };
}

const emptyAnswer = envelope({ conversation: { id: "c" }, sender: bot, events: [] });
const empty = JSON.stringify({ openFloor: emptyAnswer });

class Refused extends Error {
  readonly code = "unreachable";
  readonly isSent = false;
  readonly retryable = true;
}

function outboundTo(agent: LocalAgent, limits = {}) {
  const clock = createFakeClock();
  const unreachable: Dialler = { dial: () => Promise.reject(new Refused("connection refused")) };
  const dialler = createLocalDialler((url) => (url === bot.serviceUrl ? agent : undefined), unreachable);
  let count = 0;
  const ids = { newId: () => `id${count++}`, random: () => 0.5 };
  const allLimits = { ...defaultDeliveryLimits, ...limits };
  return {
    clock,
    outbound: createHttpOutbound({
      dialler,
      clock,
      ids,
      limits: allLimits,
      self,
      deliverySecret: "s",
    }),
  };
}

test("a delivery has its id, trace, depth and visited floors as headers", async () => {
  const seen: Headers[] = [];
  const { outbound } = outboundTo(async (request) => {
    seen.push(request.headers);
    return new Response(empty);
  });
  const overBoth = ["tag:far.example,2026:floor", self.speakerUri];
  expect(await outbound.send(message())).toMatchObject({ kind: "envelope", dialect: "1.1" });
  await outbound.send(message({ floors: overBoth.toReversed(), isDelegation: true }));
  const headers = Object.fromEntries(seen[0] ?? []);
  expect(headers).toMatchObject({ "content-type": "application/json", "accept-encoding": "identity" });
  expect(headers["webhook-id"]).toMatch(/^[\w-]{43}:d7\.0$/);
  expect(headers.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  expect(headers.baggage).toBe(`plenary.depth=3,plenary.floors=${encodeURIComponent(overBoth.join(" "))}`);
  // This floor is listed once, at the end.
  expect(seen[1]?.get("baggage")).toBe(headers.baggage);
  expect(seen.map((one) => one.get("plenary-delegated"))).toEqual(["0", "1"]);
});

for (const status of [400, 415, 422, 500]) {
  test(`D23: a peer of 1.0 that answers ${status} to 1.1 is tried in older dialects`, async () => {
    const versions: string[] = [];
    const { outbound } = outboundTo(async (request) => {
      const { openFloor } = (await request.json()) as { openFloor?: { schema: { version: string } } };
      const version = openFloor?.schema.version ?? "0.9.3";
      versions.push(version);
      if (version !== "1.0.0") return new Response("no", { status });
      return new Response(JSON.stringify({ openFloor: { ...emptyAnswer, schema: { version: "1.0.0" } } }));
    });
    expect(await outbound.send(message())).toMatchObject({ kind: "envelope", dialect: "1.0" });
    expect(versions).toEqual(["1.1.0", "1.0.0"]);
    expect(await outbound.send(message({ dialect: "1.0" }))).toMatchObject({ kind: "envelope", dialect: "1.0" });
    expect(versions).toEqual(["1.1.0", "1.0.0", "1.0.0"]);
  });
}

test("D23: a peer whose dialect is known is not tried in others", async () => {
  let calls = 0;
  const { outbound } = outboundTo(async () => {
    calls += 1;
    return new Response("broken", { status: 500 });
  });
  const outcome = await outbound.send(message({ dialect: "1.1" }));
  expect(outcome).toMatchObject({ kind: "failure", failure: "no-envelope" });
  expect(calls).toBe(1);
});

test("the body decides: JSON sent as text/html is an answer, an HTML page is not", async () => {
  const type = { headers: { "content-type": "text/html" } };
  const json = outboundTo(async () => new Response(empty, type)).outbound;
  expect(await json.send(message())).toMatchObject({ kind: "envelope" });
  const page = outboundTo(async () => new Response("<!doctype html><p>Hello", type)).outbound;
  expect(await page.send(message())).toMatchObject({ kind: "failure", failure: "no-envelope" });
});

test("an answer over the size limit is not an envelope", async () => {
  const { outbound } = outboundTo(async () => new Response(empty.padEnd(2_000)), { answerBytesMax: 1_000 });
  expect(await outbound.send(message({ dialect: "1.1" }))).toMatchObject({ failure: "no-envelope" });
});

test("a busy peer gets the same bytes again after its Retry-After", async () => {
  const bodies: string[] = [];
  const { outbound, clock } = outboundTo(async (request) => {
    bodies.push(await request.text());
    if (bodies.length > 2) return new Response(empty);
    return new Response("", { status: 503, headers: { "retry-after": "5" } });
  });
  let retries = 0;
  const sending = outbound.send(message({ onRetry: () => (retries += 1) }));
  await clock.advance(4_900);
  expect(bodies).toHaveLength(1);
  await clock.advance(5_200);
  expect(await sending).toMatchObject({ kind: "envelope" });
  expect(new Set(bodies).size).toBe(1);
  expect(retries).toBe(1);
});

test("D23: an unreachable peer is retried for a minute, an invitee for ten seconds", async () => {
  for (const [isInvite, seconds] of [
    [true, 10],
    [false, 60],
  ] as const) {
    const { outbound, clock } = outboundTo(async () => new Response(empty));
    const to = { speakerUri: "tag:dead.example,2026:x", serviceUrl: "http://dead.example/" };
    const started = clock.now();
    let outcome: unknown;
    const sending = outbound.send(message({ to, isInvite })).then((ended) => {
      outcome = ended;
    });
    for (let second = 0; outcome === undefined && second <= 61; second += 1) await clock.advance(1_000);
    await sending;
    expect(outcome).toMatchObject({ kind: "failure", failure: "unreachable" });
    expect(clock.now() - started).toBeLessThanOrEqual(seconds * 1_000);
    expect(clock.now() - started).toBeGreaterThan(seconds * 250);
  }
});

test("D23: silence for two minutes ends the wait, and nothing is sent twice", async () => {
  let calls = 0;
  const { outbound, clock } = outboundTo(() => {
    calls += 1;
    return new Promise(() => {});
  });
  const sending = outbound.send(message());
  await clock.advance(120_000);
  expect(await sending).toMatchObject({ kind: "failure", failure: "timeout" });
  expect(calls).toBe(1);
});

test("D18: aborting a delivery aborts its request", async () => {
  const controller = new AbortController();
  const { outbound } = outboundTo(() => new Promise(() => {}));
  const sending = outbound.send(message({ signal: controller.signal }));
  controller.abort();
  expect(await sending).toEqual({ kind: "aborted" });
});

test("D30: a streamed answer has drafts and then the envelope", async () => {
  const stream = [
    'event: start\ndata: {"dialogEventId":"x1"}\n\n',
    'event: delta\ndata: {"delta":"Hel"}\n\nevent: delta\ndata: "lo"\n\n',
    `event: envelope\ndata: ${empty}\n\n`,
  ].join("");
  const pieces: DraftPiece[] = [];
  const { outbound } = outboundTo(
    async () => new Response(stream, { headers: { "content-type": "text/event-stream" } }),
  );
  expect(await outbound.send(message({ onDraft: (piece) => pieces.push(piece) }))).toMatchObject({ kind: "envelope" });
  expect(pieces).toEqual([
    { dialogEventId: "x1" },
    { dialogEventId: "x1", delta: "Hel" },
    { dialogEventId: "x1", delta: "lo" },
  ]);
});

test("202 promises a later answer; 204 is an empty answer", async () => {
  const later = outboundTo(async () => new Response("", { status: 202 })).outbound;
  expect(await later.send(message())).toEqual({ kind: "later" });
  const silent = outboundTo(async () => new Response(null, { status: 204 })).outbound;
  expect(await silent.send(message())).toMatchObject({ kind: "envelope", envelope: { events: [] } });
});

test("a redirect is not followed", async () => {
  const headers = { location: "http://elsewhere.example/" };
  const { outbound } = outboundTo(async () => new Response(null, { status: 307, headers }));
  expect(await outbound.send(message())).toMatchObject({ kind: "failure", failure: "refused" });
});

test("events that an old dialect cannot express are not sent, and count as delivered", async () => {
  let calls = 0;
  const { outbound } = outboundTo(async () => {
    calls += 1;
    return new Response(empty);
  });
  const accepted = envelope({
    conversation: { id: "c" },
    sender: { speakerUri: ann },
    events: [{ eventType: "acceptInvite" }],
  });
  expect(await outbound.send(message({ dialect: "0.9", envelope: accepted }))).toMatchObject({
    kind: "envelope",
    envelope: { sender: { speakerUri: bot.speakerUri }, events: [] },
  });
  expect(calls).toBe(0);
});

test("a 0.9 peer is not removed with an event of a newer dialect", async () => {
  let calls = 0;
  const { outbound } = outboundTo(async () => {
    calls += 1;
    return new Response(empty);
  });
  const to = { speakerUri: bot.speakerUri };
  const removing = envelope({
    conversation: { id: "c" },
    sender: { speakerUri: ann },
    events: [{ eventType: "uninvite", to }],
  });
  await outbound.send(message({ firstDialect: "0.9", isInvite: false, envelope: removing }));
  expect(calls).toBe(0);
  await outbound.send(message({ firstDialect: "1.0", isInvite: false, envelope: removing }));
  expect(calls).toBe(1);
});

test("every encoded dialect can be decoded again", async () => {
  for (const dialect of ["0.9", "1.0", "1.1"] as const) {
    let sent = "";
    const { outbound } = outboundTo(async (request) => {
      sent = await request.text();
      return new Response(empty);
    });
    await outbound.send(message({ dialect }));
    const parsed = parseEnvelope(sent, { now, newId: () => "x" });
    expect(parsed).toMatchObject({ ok: true, dialect, issues: [] });
  }
});

test("D23': an answer after 100 seconds is accepted, one after more than 120 is not", async () => {
  for (const [seconds, kind] of [
    [100, "envelope"],
    [121, "failure"],
  ] as const) {
    for (const isInvite of [true, false]) {
      const { clock, outbound } = outboundTo(() => {
        return new Promise((resolve) => clock.at(clock.now() + seconds * 1_000, () => resolve(new Response(empty))));
      });
      const sending = outbound.send(message({ isInvite, dialect: "1.1" }));
      await clock.advance(seconds * 1_000);
      expect(await sending).toMatchObject({ kind });
    }
  }
});

test("D23': the timeout of a conversation replaces the floor's, and the whole answer has at least that time", async () => {
  const asked: DialRequest[] = [];
  const clock = createFakeClock();
  const dialler: Dialler = {
    async dial(request) {
      asked.push(request);
      return { status: 204, headers: new Headers(), body: (async function* () {})() };
    },
  };
  const ids = { newId: () => "id", random: () => 0.5 };
  const limits = defaultDeliveryLimits;
  const outbound = createHttpOutbound({ dialler, clock, ids, limits, self, deliverySecret: "s" });
  await outbound.send(message({ dialect: "1.1" }));
  await outbound.send(message({ dialect: "1.1", agentTimeoutMs: 600_000 }));
  await outbound.send(message({ dialect: "1.1", agentTimeoutMs: 5_000, isInvite: true }));
  expect(asked.map(({ firstByteMs, silenceMs, totalMs }) => [firstByteMs, silenceMs, totalMs])).toEqual([
    [120_000, 120_000, 3_600_000],
    [600_000, 600_000, 3_600_000],
    [5_000, 5_000, 120_000],
  ]);
});
