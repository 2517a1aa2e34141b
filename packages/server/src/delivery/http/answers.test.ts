// D14', D18, D23: results of responses of a peer, and the dialects it is tried in.
import { envelope, type FloorEvent, textUtterance } from "@plenary/protocol";
import { expect, test } from "vitest";
import { defaultDeliveryLimits } from "../../limits.ts";
import type { Dialler, DialRequest } from "../../ports/dialler.ts";
import type { OutboundMessage, Outcome } from "../../ports/outbound.ts";
import { createFakeClock } from "../../testing/fake-clock.ts";
import { createHttpOutbound } from "./client.ts";

const ann = "tag:ann.example,2026:ann";
const bot = { speakerUri: "tag:bot.example,2026:bot", serviceUrl: "http://bot.example/" };
const self = { speakerUri: "tag:floor.example,2026:floor", serviceUrl: "http://floor.example/openfloor" };
const noPeers = { speakerUriOf: () => undefined, serviceUrlOf: () => undefined };
const utterance = (text: string, speakerUri: string) =>
  textUtterance(text, { speakerUri, id: text, startTime: "2026-01-01T00:00:00.000Z" });

function message(more: Partial<OutboundMessage> = {}): OutboundMessage {
  return {
    conversationId: "c",
    delivery: "d7.0",
    to: bot,
    turn: "t1",
    depth: 3,
    floors: [],
    envelope: envelope({ conversation: { id: "c" }, sender: { speakerUri: ann }, events: [utterance("hello", ann)] }),
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

/** For a peer that has not answered yet. */
function firstMessage(more: Partial<OutboundMessage> = {}): OutboundMessage {
  const { dialect: _dialect, ...rest } = message(more);
  return rest;
}

const answer = (events: FloorEvent[] = [], { id = "c", version = "1.1.0", speakerUri = bot.speakerUri } = {}) =>
  JSON.stringify({
    openFloor: { schema: { version }, conversation: { id }, sender: { speakerUri }, events },
  });

type PeerAnswer = (version: string, request: DialRequest) => Response | Promise<Response>;

function peer(answerOf: PeerAnswer, limits = {}) {
  const clock = createFakeClock();
  const versions: string[] = [];
  const dialler: Dialler = {
    async dial(request) {
      const { openFloor } = JSON.parse(request.body) as { openFloor?: { schema: { version: string } } };
      const version = openFloor?.schema.version ?? "0.9";
      versions.push(version);
      const { status, headers, body } = await answerOf(version, request);
      return { status, headers, body: body ?? (async function* () {})() };
    },
  };
  const ids = { newId: () => "id", random: () => 1 };
  const all = { ...defaultDeliveryLimits, ...limits };
  const outbound = createHttpOutbound({
    dialler,
    clock,
    ids,
    limits: all,
    self,
    deliverySecret: "s",
  });
  return { clock, versions, outbound, send: (one: OutboundMessage) => outbound.send(one) };
}

/** The events and broken rules of the outcome, or the failure. */
function summaryOf(outcome: Outcome) {
  if (outcome.kind === "failure") return [outcome.failure, outcome.code, outcome.detail, outcome.excerpt];
  if (outcome.kind !== "envelope") return [outcome.kind];
  return [outcome.dialect, outcome.envelope.events.length, outcome.encounter?.issues.map(({ rule }) => rule)];
}

const respond = async (status: number, body: string | null, more: Partial<OutboundMessage> = {}) =>
  summaryOf(await peer(() => new Response(body, { status })).send(message(more)));

test("an error status is a failure with an excerpt: below 500 a refusal, from 500 no envelope", async () => {
  const errorBody = '{"error":"The key has expired"}';
  const excerpt = "The key has expired";
  expect(await respond(401, errorBody)).toEqual(["refused", "status", "it answered 401", excerpt]);
  expect(await respond(404, "")).toEqual(["refused", "status", "it answered 404", undefined]);
  expect(await respond(499, errorBody)).toEqual(["refused", "status", "it answered 499", excerpt]);
  expect(await respond(500, errorBody)).toEqual(["no-envelope", "status", "it answered 500", excerpt]);
  expect(await respond(502, errorBody)).toEqual(["no-envelope", "status", "it answered 502", excerpt]);
  const checked = ["refused", "status", `it answered 401: ${excerpt}`, undefined];
  expect(await respond(401, errorBody, { isCheck: true })).toEqual(checked);
});

test.each([300, 302, 399])("status %d without a new address is a redirect that is not followed", async (status) => {
  const detail = `it answered ${status} without a new address`;
  expect(await respond(status, "")).toEqual(["refused", "redirect", detail, undefined]);
});

test("an empty body, blanks or {} are an empty answer of a known peer, but not of invitees and conveners", async () => {
  const none = ["no-envelope", "no-envelope", "its answer is not an envelope", undefined];
  for (const blank of ["", " \n", "{}", " { } "]) {
    expect(await respond(200, blank)).toEqual(["1.1", 0, ["root"]]);
    expect(await respond(200, blank, { isInvite: true })).toEqual(none);
    expect(await respond(200, blank, { isDelegation: true })).toEqual(none);
    expect(summaryOf(await peer(() => new Response(blank)).send(firstMessage()))).toEqual(none);
  }
  expect(await respond(200, "{} {}")).toEqual(none);
  expect(await respond(204, null)).toEqual(["1.1", 0, []]);
  expect(summaryOf(await peer(() => new Response(null, { status: 204 })).send(firstMessage()))).toEqual(["1.1", 0, []]);
});

test("an answer in another conversation is accepted, and recorded as a broken rule", async () => {
  const body = answer([utterance("hi", bot.speakerUri)], { id: "other" });
  expect(await respond(200, body)).toEqual(["1.1", 1, ["answers-in-another-conversation"]]);
  expect(await respond(200, answer([utterance("hi", bot.speakerUri)]))).toEqual(["1.1", 1, []]);
});

test("D14': our own events with our sender are an echo; with the recipient as sender they are an answer", async () => {
  const echo = ["no-envelope", "echo", "it repeated the request instead of answering it", undefined];
  expect(await respond(200, answer([utterance("hello", ann)], { speakerUri: ann }))).toEqual(echo);
  expect(await respond(200, answer([utterance("hello", ann)]))).toEqual(["1.1", 1, []]);
  expect(await respond(200, answer([utterance("other", ann)], { speakerUri: ann }))).toEqual(["1.1", 1, []]);
  expect(await respond(200, answer([], { speakerUri: ann }))).toEqual(["1.1", 0, []]);
  const eve = "tag:eve.example,2026:1";
  expect(await respond(200, answer([utterance("hello", eve)], { speakerUri: eve }))).toEqual(["1.1", 1, []]);
});

test("Retry-After is read as seconds or a date; any other value is ignored", async () => {
  for (const [value, waitMs] of [
    ["7", 7_000],
    [" 7 ", 7_000],
    ["Thu, 01 Jan 2026 00:00:09 GMT", 9_000],
    ["Wed, 31 Dec 2025 00:00:00 GMT", 0],
    ["soon", 500],
  ] as const) {
    const headers = new Map([["retry-after", value]]);
    let calls = 0;
    const { clock, versions, send } = peer(() => {
      calls += 1;
      const busy = { status: 429, headers: { get: (name: string) => headers.get(name) ?? null }, body: null };
      return calls === 1 ? (busy as unknown as Response) : new Response(answer());
    });
    const sending = send(message());
    await clock.advance(Math.max(0, waitMs - 1));
    if (waitMs > 0) expect(versions).toHaveLength(1);
    await clock.advance(1);
    expect(versions).toHaveLength(2);
    expect(await sending).toMatchObject({ kind: "envelope" });
  }
});

const no = (status = 400) => new Response("", { status });

test("D23: a peer that has not answered yet is tried in each dialect, starting with the one found elsewhere", async () => {
  const { versions, send } = peer(() => no());
  expect(summaryOf(await send(firstMessage()))).toEqual(["refused", "status", "it answered 400", undefined]);
  await send(firstMessage({ firstDialect: "1.0" }));
  expect(versions).toEqual(["1.1.0", "1.0.0", "0.9", "1.0.0", "1.1.0", "0.9"]);
});

test("D23: a peer that has answered is tried in the next older dialect only where it refuses", async () => {
  const refusing = peer(() => no(422));
  await refusing.send(message());
  expect(refusing.versions).toEqual(["1.1.0", "1.0.0"]);
  const failing = peer(() => no(500));
  await failing.send(message());
  expect(failing.versions).toEqual(["1.1.0"]);
  await failing.send(message({ isInvite: true }));
  expect(failing.versions).toEqual(["1.1.0", "1.1.0", "1.0.0"]);
});

test("the result of an earlier dialect counts more than a failed next attempt", async () => {
  const { send } = peer((version) => (version === "1.1.0" ? no(400) : no(403)));
  expect(summaryOf(await send(firstMessage()))).toEqual(["refused", "status", "it answered 400", undefined]);
});

test("an invitee with an empty answer in another conversation is tried in older dialects first", async () => {
  const doubtful = peer(() => new Response(answer([], { id: "other" })));
  const outcome = summaryOf(await doubtful.send(firstMessage({ isInvite: true })));
  expect(outcome).toEqual(["1.1", 0, ["answers-in-another-conversation"]]);
  expect(doubtful.versions).toEqual(["1.1.0", "1.0.0", "0.9"]);
  const older = peer((version) => new Response(version === "1.1.0" ? answer([], { id: "other" }) : answer()));
  expect(summaryOf(await older.send(firstMessage({ isInvite: true })))).toEqual(["1.0", 0, []]);
});

test("the dialect of a peer is the older of request and answer, and marked if it was found by trying", async () => {
  const older = peer(() => new Response(answer([], { version: "1.0.0" })));
  const found = { kind: "envelope", dialect: "1.0", encounter: { isDialectFound: true } };
  expect(await older.send(firstMessage())).toMatchObject(found);
  const tried = peer((version) => (version === "1.0.0" ? new Response(answer()) : no()));
  expect(await tried.send(firstMessage())).toMatchObject(found);
  const known = await peer(() => new Response(answer())).send(firstMessage({ firstDialect: "1.0" }));
  expect(known).toMatchObject({ kind: "envelope", dialect: "1.0" });
  expect(known).not.toMatchObject(found);
});

test("a check is tried once, even if the breaker of its target is open", async () => {
  const { clock, versions, outbound, send } = peer(() => no(503));
  for (let count = 0; count < 6; count += 1) {
    await send(message({ isCheck: true }));
    await clock.advance(0);
  }
  expect(versions).toHaveLength(6);
  expect(outbound.breaker.count()).toEqual({ open: 1, probing: 0 });
});

test("D18: a delivery stopped or aborted between attempts ends at once", async () => {
  for (const which of ["signal", "stopped"] as const) {
    const controller = new AbortController();
    const { clock, versions, send } = peer(() => no(503));
    const sending = send(message({ [which]: controller.signal }));
    await clock.advance(100);
    controller.abort();
    expect(await sending).toEqual({ kind: "aborted" });
    expect([versions.length, clock.pending()]).toEqual([1, 0]);
  }
});

test("D18: onSent is called when the request was sent, and again when it was rejected", async () => {
  const sentStates: boolean[] = [];
  let calls = 0;
  const { clock, send } = peer((_version, { onSent }) => {
    calls += 1;
    onSent?.();
    return calls === 1 ? no(503) : new Response(answer());
  });
  const sending = send(message({ onSent: (isSent) => sentStates.push(isSent) }));
  await clock.advance(500);
  await sending;
  expect(sentStates).toEqual([true, true, false, true, true]);
  expect(clock.pending()).toBe(0);
});
