// D23: the total time of an answer, and the longer total time of a stream.
import { envelope, textUtterance } from "@plenary/protocol";
import { expect, test } from "vitest";
import { defaultDeliveryLimits } from "../../limits.ts";
import type { Dialler } from "../../ports/dialler.ts";
import type { OutboundMessage } from "../../ports/outbound.ts";
import { createFakeClock, type FakeClock } from "../../testing/fake-clock.ts";
import { createAgentConnection } from "../socket/connection.ts";
import { createHttpOutbound } from "./client.ts";

const bot = { speakerUri: "tag:bot.example,2026:bot", serviceUrl: "http://bot.example/" };
const empty = JSON.stringify({ openFloor: envelope({ conversation: { id: "c" }, sender: bot, events: [] }) });
const noPeers = { speakerUriOf: () => undefined, serviceUrlOf: () => undefined };
const event = textUtterance("hello", {
  speakerUri: "tag:ann.example,2026:1",
  id: "u1",
  startTime: "2026-01-01T00:00:00Z",
});

const message: OutboundMessage = {
  conversationId: "c",
  delivery: "d1",
  to: bot,
  turn: "t1",
  depth: 1,
  floors: [],
  dialect: "1.1",
  envelope: envelope({ conversation: { id: "c" }, sender: { speakerUri: "tag:ann.example,2026:1" }, events: [event] }),
  isInvite: false,
  isDelegation: false,
  peers: noPeers,
  signal: new AbortController().signal,
  background: async () => ({ peers: noPeers, carried: {} }),
  onRetry: () => {},
  onDraft: () => {},
};

const tickMs = 10_000;

/** Sends a chunk every ten seconds, and its envelope at the end. */
async function* slowStream(clock: FakeClock, takesMs: number): AsyncGenerator<Uint8Array> {
  for (let passed = tickMs; passed < takesMs; passed += tickMs) {
    await new Promise<void>((resolve) => void clock.at(clock.now() + tickMs, resolve));
    yield new TextEncoder().encode('event: delta\ndata: ""\n\n');
  }
  await new Promise<void>((resolve) => void clock.at(clock.now() + tickMs, resolve));
  yield new TextEncoder().encode(`event: envelope\ndata: ${empty}\n\n`);
}

const cases = [
  ["text/event-stream", false, 1_800_000, "envelope", 1_800_000],
  ["text/event-stream", false, 7_200_000, "timeout", 3_600_000],
  ["text/event-stream", true, 1_800_000, "timeout", 120_000],
  ["application/json", false, 1_800_000, "timeout", 300_000],
] as const;

test.each(cases)(
  "an answer as %s (of an invite: %s) that takes %i ms ends as %s after %i ms",
  async (contentType, isInvite, takesMs, outcome, endsMs) => {
    const clock = createFakeClock();
    const dialler: Dialler = {
      async dial({ signal }) {
        const abort = new Promise<never>((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(new Error("cut")), { once: true });
        });
        abort.catch(() => {});
        const chunks = slowStream(clock, takesMs);
        const body = { [Symbol.asyncIterator]: () => ({ next: () => Promise.race([chunks.next(), abort]) }) };
        return { status: 200, headers: new Headers({ "content-type": contentType }), body };
      },
    };
    const ids = { newId: () => "id", random: () => 0.5 };
    const self = { speakerUri: "tag:floor.example,2026:floor", serviceUrl: "http://floor.example/openfloor" };
    const limits = defaultDeliveryLimits;
    const outbound = createHttpOutbound({ dialler, clock, ids, limits, self, deliverySecret: "s" });
    const begunAt = clock.now();
    const sending = outbound.send({ ...message, isInvite }).then((end) => ({ end, ms: clock.now() - begunAt }));
    await clock.advance(endsMs);
    const { end, ms } = await sending;
    expect([end.kind === "failure" ? end.failure : end.kind, ms]).toEqual([outcome, endsMs]);
    if (end.kind === "failure") expect(end.detail).toContain(`within ${endsMs / 1_000} seconds`);
  },
);

test.each([
  ["drafts", true, 3_600_000],
  ["no draft", false, 300_000],
])("over a socket, an answer with %s (%s) that never ends is given up after %i ms", async (_, hasDrafts, endsMs) => {
  const clock = createFakeClock();
  const connection = createAgentConnection(clock);
  connection.connect({ send: () => {}, replaced: () => {} });
  const times = { connectMs: 1_000, silenceMs: 600_000, answerMs: 300_000, streamMs: 3_600_000 };
  const quiet = { signal: message.signal, onRetry: () => {}, onDraft: () => {} };
  const begunAt = clock.now();
  const delivering = connection
    .deliver({ id: "d1", write: () => "", ...times, ...quiet }, () => undefined)
    .then(({ kind }) => [kind, clock.now() - begunAt]);
  for (let passed = 0; passed < endsMs; passed += 100_000) {
    if (hasDrafts) connection.draft("d1", { dialogEventId: "x", delta: "" });
    await clock.advance(100_000);
  }
  expect(await delivering).toEqual(["timeout", endsMs]);
});

test("after a burst of 2,000 the drafts of one delivery are limited to 1,000 a second, large ones to fewer", async () => {
  const clock = createFakeClock();
  const connection = createAgentConnection(clock);
  connection.connect({ send: () => {}, replaced: () => {} });
  const times = { connectMs: 1_000, silenceMs: 600_000, answerMs: 300_000, streamMs: 3_600_000 };
  const quiet = { signal: message.signal, onRetry: () => {}, onDraft: () => {} };
  for (const id of ["d1", "d2"]) void connection.deliver({ id, write: () => "", ...times, ...quiet }, () => undefined);
  for (let count = 0; count < 2_000; count += 1) expect(connection.takeDraft("d1", 100)).toBe(0);
  expect(connection.takeDraft("d1", 100)).toBe(1);
  expect(connection.takeDraft("d1", 8_192)).toBe(3);
  expect(connection.takeDraft("d2", 100)).toBe(0);
  expect(connection.takeDraft("d3", 100)).toBeUndefined();
  await clock.advance(1_000);
  expect(connection.takeDraft("d1", 100)).toBe(0);
});
