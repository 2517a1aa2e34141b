import { expect, test } from "vitest";
import type { ServerContext } from "../context.ts";
import { createNotifier } from "../conversation/notifier.ts";
import { defaultStreamLimits } from "../limits.ts";
import { noMetrics } from "../ports/metrics.ts";
import { createMemoryStore } from "../store/memory.ts";
import { createFakeClock, settle } from "../testing/fake-clock.ts";
import { createLiveTails } from "./live-tail.ts";
import { createMailbox } from "./mailbox.ts";
import type { SharedDocument } from "./shared-document.ts";
import { openViewer } from "./viewer.ts";

const ann = "tag:floor.example,2026:ann";
const limits = { ...defaultStreamLimits, bufferedBytesHigh: 1_000, bufferedBytesMax: 10_000 };

/** A client that reads only when the test calls `drain`. */
function openSlow() {
  const clock = createFakeClock();
  const { log, lookups } = createMemoryStore();
  const [notifier, mailbox] = [createNotifier(), createMailbox(limits, clock)];
  const onError = (error: unknown) => expect.unreachable(String(error));
  const server = { log, lookups, notifier, clock, metrics: noMetrics, onError } as unknown as ServerContext;
  const [shown, cuts]: [number[], string[]] = [[], []];
  let [buffered, onDrained] = [0, () => {}];
  const sink = {
    event({ bytes }: SharedDocument) {
      shown.push((JSON.parse(String(bytes)) as { turn: number }).turn);
      buffered += bytes.length;
    },
    draft: () => {},
    bufferedBytes: () => buffered,
    onceDrained(then: () => void) {
      onDrained = then;
    },
    cut: (why: string) => cuts.push(why),
  };
  const liveTails = createLiveTails({ log, notifier, onError });
  const viewer = openViewer(
    { server, limits, mailbox, liveTails, sink, onClosed: () => {} },
    { speaker: ann, cursor: new Map() },
  );
  return {
    clock,
    shown,
    cuts,
    post(turn: number) {
      mailbox.put(ann, { turn, text: "x".repeat(600) });
      viewer.checkMail();
    },
    async drain() {
      buffered = 0;
      onDrained();
      await settle();
    },
  };
}

test("relayed envelopes are paused for a slow client, and resume when it has read", async () => {
  const reader = openSlow();
  await settle();
  for (let turn = 1; turn <= 5; turn += 1) reader.post(turn);
  expect(reader.shown).toEqual([1, 2]);
  await reader.drain();
  expect(reader.shown).toEqual([1, 2, 3, 4]);
  await reader.drain();
  expect(reader.shown).toEqual([1, 2, 3, 4, 5]);
  expect(reader.cuts).toEqual([]);
});

test("a client that does not read relayed envelopes is disconnected", async () => {
  const reader = openSlow();
  await settle();
  for (let turn = 1; turn <= 100; turn += 1) reader.post(turn);
  expect(reader.shown).toEqual([1, 2]);
  await reader.clock.advance(limits.lagMs);
  expect(reader.cuts).toEqual(["slow"]);
});
