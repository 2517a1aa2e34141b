import { envelope, textUtterance } from "@plenary/protocol";
import { expect, test, vi } from "vitest";
import { reasonOf } from "../../conversation/failed-delivery.ts";
import { defaultDeliveryLimits } from "../../limits.ts";
import type { Dialler } from "../../ports/dialler.ts";
import type { OutboundMessage, Outcome } from "../../ports/outbound.ts";
import { createFakeClock } from "../../testing/fake-clock.ts";
import { createHttpOutbound } from "./client.ts";

const now = "2026-01-01T00:00:00.000Z";
const ann = "tag:ann.example,2026:ann";
const bot = { speakerUri: "tag:bot.example,2026:bot", serviceUrl: "http://bot.example/" };
const self = { speakerUri: "tag:floor.example,2026:floor", serviceUrl: "http://floor.example/openfloor" };
const empty = JSON.stringify({ openFloor: envelope({ conversation: { id: "c" }, sender: bot, events: [] }) });

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
    floors: [],
    isInvite: false,
    isDelegation: false,
    dialect: "1.1",
    peers: noPeers,
    background: async () => ({ peers: noPeers, carried: {} }),
    signal: new AbortController().signal,
    onRetry: () => {},
    onDraft: () => {},
    ...more,
  };
}

class Failed extends Error {
  readonly code: string;
  readonly isSent: boolean;
  readonly retryable: boolean;

  constructor(code: string, isSent = false, message = code) {
    super(message);
    this.code = code;
    this.isSent = isSent;
    this.retryable = !isSent;
  }
}

type PeerAnswer = (body: string) => Response | Promise<Response>;

/** The peer is the current value of `answer`; every dial is recorded with its time. */
function outboundTo(answer: PeerAnswer, { random = (): number => 1, limits = {} } = {}) {
  const clock = createFakeClock();
  const start = clock.now();
  const dialled: number[] = [];
  const state = { answer };
  const dialler: Dialler = {
    async dial({ signal, body }) {
      dialled.push(clock.now() - start);
      const aborted = new Promise<never>((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(new Failed("aborted", true)));
      });
      const response = await Promise.race([state.answer(body), aborted]);
      return { status: response.status, headers: response.headers, body: response.body ?? emptyBody() };
    },
  };
  const ids = { newId: () => "id", random };
  const outbound = createHttpOutbound({
    dialler,
    clock,
    ids,
    limits: { ...defaultDeliveryLimits, ...limits },
    self,
    deliverySecret: "s",
  });
  const send = (more: Partial<OutboundMessage> = {}) => {
    const sent: { outcome?: Outcome; endedAt?: number } = {};
    outbound.send(message(more)).then(
      (outcome) => Object.assign(sent, { outcome, endedAt: clock.now() - start }),
      () => {},
    );
    return sent;
  };
  return { clock, dialled, state, send, outbound };
}

async function* emptyBody(): AsyncGenerator<Uint8Array> {}

const refuse: PeerAnswer = () => Promise.reject(new Failed("unreachable"));
const unreachable = { kind: "failure", failure: "unreachable" };

test("retries have full jitter, between zero and the doubled pause", async () => {
  const attemptTimes = [0, 1, 0.5, 0];
  const { clock, dialled, send } = outboundTo(refuse, { random: () => attemptTimes.shift() ?? 0 });
  send();
  await clock.advance(2_000);
  expect(dialled.slice(0, 5)).toEqual([0, 0, 1_000, 2_000, 2_000]);
});

test("after five failures a target is skipped, then probed once, and given up at the deadline", async () => {
  const { clock, dialled, send, outbound } = outboundTo(refuse, { random: () => 0 });
  const sent = send();
  await clock.advance(9_999);
  expect(dialled).toEqual([0, 0, 0, 0, 0]);
  expect(outbound.breaker.count()).toEqual({ open: 1, probing: 0 });
  await clock.advance(1);
  expect(dialled).toHaveLength(6);
  await clock.advance(49_999);
  expect(sent.outcome).toBeUndefined();
  // At 10 s and 30 s; the next chance would be after its minute.
  expect(dialled).toEqual([0, 0, 0, 0, 0, 10_000, 30_000]);
  await clock.advance(1);
  expect(sent.outcome).toMatchObject(unreachable);
  expect(sent.endedAt).toBe(60_000);
});

test("an invite to a target with an open breaker is given up after ten seconds, without an attempt", async () => {
  const { clock, dialled, send } = outboundTo(refuse, { random: () => 0 });
  send();
  await clock.advance(15_000);
  const before = dialled.length;
  const invited = send({ isInvite: true });
  await clock.advance(9_999);
  expect(invited.outcome).toBeUndefined();
  await clock.advance(1);
  expect(invited.outcome).toMatchObject(unreachable);
  expect(reasonIn(invited)).toBe("has failed too often to be tried now: try again in a few minutes");
  expect(dialled).toHaveLength(before);
});

function reasonIn({ outcome }: { outcome?: Outcome }): string | undefined {
  return outcome?.kind === "failure" ? reasonOf(outcome, bot.serviceUrl) : undefined;
}

test("an invite given up with an open breaker reports its earlier failure", async () => {
  const refused: PeerAnswer = () =>
    Promise.reject(new Failed("unreachable", false, "connect ECONNREFUSED 127.0.0.1:1"));
  const { clock, dialled, send, outbound } = outboundTo(refused, { random: () => 0.5 });
  const invited = send({ isInvite: true });
  await clock.advance(10_000);
  expect(dialled).toHaveLength(5);
  expect(outbound.breaker.count()).toEqual({ open: 1, probing: 0 });
  expect(reasonIn(invited)).toBe("could not be reached: nothing listens at this address (connection refused)");
});

test("deliveries to a recovered target are sent after one successful probe", async () => {
  const { clock, dialled, state, send, outbound } = outboundTo(refuse, { random: () => 0 });
  const all = [send(), send(), send()];
  await clock.advance(1);
  const before = dialled.length;
  let answered: (response: Response) => void = () => {};
  state.answer = () =>
    new Promise((resolve) => {
      answered = resolve;
    });
  await clock.advance(10_500);
  expect(dialled.length - before).toBe(1);
  state.answer = () => new Response(empty);
  answered(new Response(empty));
  await clock.advance(2_000);
  expect(all.map(({ outcome }) => outcome?.kind)).toEqual(["envelope", "envelope", "envelope"]);
  expect(outbound.breaker.count()).toEqual({ open: 0, probing: 0 });
});

for (const [name, answer, isFailing] of [
  ["500", () => new Response("", { status: 500 }), true],
  ["502", () => new Response("", { status: 502 }), true],
  ["no envelope", () => new Response("<p>hello"), true],
  ["a connection that breaks", () => Promise.reject(new Failed("broken", true)), true],
  ["404", () => new Response("", { status: 404 }), false],
  ["422", () => new Response("", { status: 422 }), false],
  ["nothing to say", () => new Response(empty), false],
  ["an address that must not be dialled", () => Promise.reject(new Failed("refused-address", true)), false],
] as const) {
  test(`${name} ${isFailing ? "counts" : "does not count"} against a target`, async () => {
    const { clock, dialled, send, outbound } = outboundTo(answer);
    for (let count = 0; count < 5; count += 1) {
      const { outcome } = await ended(send(), clock);
      expect(outcome).toBeDefined();
    }
    // A peer that refuses is tried once more, in the next older dialect (D23').
    expect(dialled).toHaveLength(name === "422" ? 10 : 5);
    expect(outbound.breaker.count().open).toBe(isFailing ? 1 : 0);
  });
}

async function ended<T extends { outcome?: Outcome }>(sent: T, clock: { advance(ms: number): Promise<void> }) {
  await clock.advance(0);
  return sent;
}

test("a request that may have arrived is not sent again, even if the dialler calls it retryable", async () => {
  const sentHalf = Object.assign(new Failed("broken", true), { retryable: true });
  const { clock, dialled, send } = outboundTo(() => Promise.reject(sentHalf));
  const sent = send();
  await clock.advance(60_000);
  expect(sent.outcome).toMatchObject({ kind: "failure" });
  expect(dialled).toHaveLength(1);
});

test("a Retry-After beyond the deadline is not awaited", async () => {
  const busy = () => new Response("", { status: 429, headers: { "retry-after": "61" } });
  const { clock, dialled, send } = outboundTo(busy);
  const sent = send();
  await clock.advance(0);
  expect(sent.outcome).toMatchObject(unreachable);
  expect(dialled).toHaveLength(1);
});

test("the concurrency limit holds, and a waiting request starts when one ends", async () => {
  const { clock, dialled, send, outbound } = outboundTo(() => new Promise(() => {}), {
    limits: { inFlightMax: 3, inFlightPerTargetMax: 2 },
  });
  const answer = { speakerUri: "tag:far.example,2026:far", serviceUrl: "http://far.example/" };
  const controller = new AbortController();
  const sends = [send({ signal: controller.signal }), send(), send(), send({ to: answer })];
  await clock.advance(0);
  expect(dialled).toHaveLength(3);
  expect([outbound.concurrency.taken(), outbound.concurrency.waiting()]).toEqual([3, 1]);
  controller.abort();
  await clock.advance(0);
  expect(dialled).toHaveLength(4);
  expect(sends[0]?.outcome).toEqual({ kind: "aborted" });
});

test("D23': an envelope that was understood is not sent again without its events about others", async () => {
  const { outbound, dialled } = outboundTo(() => new Response(empty));
  const given = message();
  const news = { eventType: "grantFloor", to: { speakerUri: "tag:other.example,2026:other" } } as const;
  const both = { ...given.envelope, events: [news, ...given.envelope.events] };
  expect(await outbound.send({ ...given, envelope: both })).toMatchObject({ kind: "envelope", dialect: "1.1" });
  expect(dialled).toHaveLength(1);
});

test("a compressed answer is not an envelope: it was not requested", async () => {
  const encoded = (name: string) =>
    outboundTo(() => new Response(empty, { headers: { "content-encoding": name } })).outbound.send(message());
  expect(await encoded("gzip")).toMatchObject({ failure: "no-envelope" });
  expect(await encoded("identity")).toMatchObject({ kind: "envelope" });
});

test("an answer has its latency", async () => {
  const { clock, send } = outboundTo(async () => {
    await clock.advance(1_500);
    return new Response(empty);
  });
  await clock.advance(10_000);
  const sent = send();
  await vi.waitFor(() => expect(sent.outcome).toMatchObject({ kind: "envelope", encounter: { tookMs: 1_500 } }));
});

test("deliveries waiting for an open breaker are spread over a second", async () => {
  const { clock, dialled, send } = outboundTo(refuse, { random: () => 0.5, limits: { retryBaseMs: 0 } });
  send();
  await clock.advance(10_499);
  expect(dialled).toHaveLength(5);
  await clock.advance(1);
  expect(dialled.at(-1)).toBe(10_500);
});

test("a redirect reported by the dialler is a refusal with the new address, and the target is alive", async () => {
  const moved = Object.assign(new Failed("redirect", true), { location: "/new?key=1" });
  const { clock, send, outbound, dialled } = outboundTo(() => Promise.reject(moved));
  const all = Array.from({ length: 6 }, () => send());
  await clock.advance(0);
  const refused = {
    kind: "failure",
    failure: "refused",
    code: "redirect",
    detail: "it moved to http://bot.example/new",
  };
  expect(all.map(({ outcome }) => outcome)).toEqual(all.map(() => refused));
  expect(dialled).toHaveLength(6);
  expect(outbound.breaker.count()).toEqual({ open: 0, probing: 0 });
});

test("D23': a peer that refuses events about others in every dialect gets the other events alone", async () => {
  const bodies: string[] = [];
  const { outbound } = outboundTo((body) => {
    bodies.push(body);
    return body.includes("grantFloor") ? new Response("", { status: 400 }) : new Response(empty);
  });
  const given = message();
  const news = { eventType: "grantFloor", to: { speakerUri: "tag:other.example,2026:other" } } as const;
  const both = { ...given.envelope, events: [news, ...given.envelope.events] };
  expect(await outbound.send({ ...given, envelope: both })).toMatchObject({ kind: "envelope", dialect: "1.1" });
  expect(bodies.at(-1)).toContain("hello");
  expect(bodies.at(-1)).not.toContain("grantFloor");
});
