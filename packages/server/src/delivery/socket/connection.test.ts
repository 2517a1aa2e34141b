// D36: deliveries over the socket of one agent, with a test clock.
import { expect, test } from "vitest";
import { type JsonText, jsonTextOf } from "../../conversation/decode.ts";
import type { DraftPiece } from "../../ports/outbound.ts";
import { createFakeClock } from "../../testing/fake-clock.ts";
import { createExpectedAnswers } from "../expected-answers.ts";
import { createAgentConnection, type SocketDelivery, type SocketDeliveryEnd } from "./connection.ts";

const piece: DraftPiece = { dialogEventId: "x", delta: "Hel" };

function fixture() {
  const clock = createFakeClock();
  const answers = createExpectedAnswers();
  const connection = createAgentConnection(clock, answers);
  const connect = () => {
    const socket = { received: [] as string[], isReplaced: false };
    const disconnect = connection.connect({
      send: (text) => socket.received.push(text),
      replaced: () => {
        socket.isReplaced = true;
      },
    });
    return Object.assign(socket, { disconnect });
  };
  const deliver = (id: string, more: Partial<SocketDelivery> = {}) => {
    const recorded: { end?: SocketDeliveryEnd<string>; retries: number; isSent: boolean[]; drafts: DraftPiece[] } = {
      retries: 0,
      isSent: [],
      drafts: [],
    };
    const delivery: SocketDelivery = {
      id,
      write: (name) => `to ${name}`,
      connectMs: 60_000,
      silenceMs: 120_000,
      answerMs: 300_000,
      streamMs: 3_600_000,
      signal: new AbortController().signal,
      onRetry: () => {
        recorded.retries += 1;
      },
      onSent: (isSent) => recorded.isSent.push(isSent),
      onDraft: (one) => recorded.drafts.push(one),
      ...more,
    };
    const read = ({ text }: JsonText) => (text === "nonsense" ? undefined : text);
    connection.deliver(delivery, read).then(
      (end) => Object.assign(recorded, { end }),
      () => {},
    );
    return recorded;
  };
  return { clock, answers, connection, connect, deliver };
}

test("a delivery to a disconnected agent waits, and is sent when it connects", async () => {
  const { clock, connection, connect, deliver } = fixture();
  expect([connection.isConnected(), connection.isIdle()]).toEqual([false, true]);
  const one = deliver("d1");
  expect(connection.isIdle()).toBe(false);
  expect([one.retries, one.isSent]).toEqual([1, [false]]);
  await clock.advance(59_999);
  const socket = connect();
  expect([connection.isConnected(), connection.isIdle()]).toEqual([true, false]);
  expect(socket.received).toEqual(["to d1"]);
  expect(one.isSent).toEqual([false, true]);
  await clock.advance(1);
  expect(one.end).toBeUndefined();
  expect(connection.answer("d1", jsonTextOf("hello"))).toBe("taken");
  await clock.advance(0);
  expect(one.end).toEqual({ kind: "answered", answer: "hello" });
  expect(clock.pending()).toBe(0);
  expect([connection.isConnected(), connection.isIdle()]).toEqual([true, false]);
  socket.disconnect();
  expect([connection.isConnected(), connection.isIdle()]).toEqual([false, true]);
});

test("an agent that does not reconnect in time is unreachable", async () => {
  const { clock, connection, deliver } = fixture();
  const one = deliver("d1");
  await clock.advance(59_999);
  expect(one.end).toBeUndefined();
  await clock.advance(1);
  expect(one.end).toEqual({ kind: "unreachable" });
  expect([clock.pending(), connection.isIdle()]).toEqual([0, true]);
});

test("running deliveries are sent again on the next socket, in order, with the same bytes", async () => {
  const { clock, connect, deliver } = fixture();
  const first = connect();
  const [one, two] = [deliver("d1"), deliver("d2")];
  expect(first.received).toEqual(["to d1", "to d2"]);
  expect([one.retries, two.retries]).toEqual([0, 0]);
  first.disconnect();
  expect([one.retries, two.retries]).toEqual([1, 1]);
  expect(one.isSent).toEqual([true, false]);
  const second = connect();
  expect(second.received).toEqual(["to d1", "to d2"]);
  await clock.advance(0);
  expect(first.isReplaced).toBe(false);
});

test("the newest socket is used, and the older one is notified; closing the older one changes nothing", () => {
  const { connection, connect, deliver } = fixture();
  const first = connect();
  const second = connect();
  expect([first.isReplaced, second.isReplaced]).toEqual([true, false]);
  first.disconnect();
  expect(connection.isConnected()).toBe(true);
  const one = deliver("d1");
  expect([first.received, second.received, one.retries]).toEqual([[], ["to d1"], 0]);
});

test("an agent that is silent for two minutes, or takes five in total, has timed out", async () => {
  const { clock, connection, connect, deliver } = fixture();
  connect();
  const silent = deliver("d1");
  await clock.advance(119_999);
  expect(silent.end).toBeUndefined();
  await clock.advance(1);
  expect(silent.end).toEqual({ kind: "timeout" });
  const slow = deliver("d2", { silenceMs: 400_000 });
  await clock.advance(299_999);
  expect(slow.end).toBeUndefined();
  await clock.advance(1);
  expect(slow.end).toEqual({ kind: "timeout" });
  expect(connection.answer("d2", jsonTextOf("late"))).toBe("unknown");
});

test("drafts extend the timeout of a delivery to that of a stream", async () => {
  const { clock, connection, connect, deliver } = fixture();
  connect();
  const one = deliver("d1", { streamMs: 400_000 });
  for (let count = 0; count < 4; count += 1) {
    await clock.advance(99_000);
    expect(connection.draft("d1", piece)).toBe(true);
  }
  expect(one.drafts).toEqual([piece, piece, piece, piece]);
  await clock.advance(3_999);
  expect(one.end).toBeUndefined();
  await clock.advance(1);
  expect(one.end).toEqual({ kind: "timeout" });
  expect(clock.pending()).toBe(0);
});

test("silence after a draft still times out", async () => {
  const { clock, connection, connect, deliver } = fixture();
  connect();
  const one = deliver("d1");
  await clock.advance(100_000);
  connection.draft("d1", piece);
  await clock.advance(119_999);
  expect(one.end).toBeUndefined();
  await clock.advance(1);
  expect(one.end).toEqual({ kind: "timeout" });
});

test("an invalid answer ends its delivery; one with an unknown id is rejected", async () => {
  const { clock, connection, connect, deliver } = fixture();
  connect();
  const one = deliver("d1");
  expect(connection.answer("d2", jsonTextOf("hello"))).toBe("unknown");
  expect(connection.draft("d2", piece)).toBe(false);
  expect(connection.takeDraft("d2", 1)).toBeUndefined();
  expect(connection.answer("d1", jsonTextOf("nonsense"))).toBe("unreadable");
  await clock.advance(0);
  expect(one.end).toEqual({ kind: "unreadable" });
  expect(connection.answer("d1", jsonTextOf("hello"))).toBe("unknown");
});

test("an aborted delivery ends at once, and is not sent if it was aborted before", async () => {
  const { clock, connection, connect, deliver } = fixture();
  const socket = connect();
  const controller = new AbortController();
  const one = deliver("d1", { signal: controller.signal });
  controller.abort();
  const two = deliver("d2", { signal: controller.signal });
  await clock.advance(0);
  expect([one.end, two.end]).toEqual([{ kind: "aborted" }, { kind: "aborted" }]);
  expect(socket.received).toEqual(["to d1"]);
  expect([clock.pending(), connection.answer("d1", jsonTextOf("hello"))]).toEqual([0, "unknown"]);
});

test("two deliveries with the same id get different ids, and each gets its own answer", async () => {
  const { clock, connection, connect, deliver } = fixture();
  const socket = connect();
  const all = [deliver("d1"), deliver("d1"), deliver("d1")];
  expect(socket.received).toEqual(["to d1", "to d1~2", "to d1~3"]);
  for (const id of ["d1~2", "d1", "d1~3"]) connection.answer(id, jsonTextOf(`answers ${id}`));
  await clock.advance(0);
  const answered = all.map(({ end }) => end?.kind === "answered" && end.answer);
  expect(answered).toEqual(["answers d1", "answers d1~2", "answers d1~3"]);
});

test("the answer to a delivery is expected while it is running", async () => {
  const { clock, answers, connection, connect, deliver } = fixture();
  connect();
  deliver("d1");
  deliver("d2");
  expect(answers.take("d1")).toBe(true);
  connection.answer("d2", jsonTextOf("hello"));
  await clock.advance(0);
  expect(answers.take("d2")).toBe(false);
});

test("draft frames are limited to 1,000 a second or 4 MiB a second, with a burst of two seconds", async () => {
  const { clock, connection, connect, deliver } = fixture();
  connect();
  deliver("d1");
  for (let count = 0; count < 2_000; count += 1) expect(connection.takeDraft("d1", 4_096)).toBe(0);
  expect(connection.takeDraft("d1", 0)).toBe(0);
  expect(connection.takeDraft("d1", 1)).toBe(1);
  expect(connection.takeDraft("d1", 4_097)).toBe(3);
  await clock.advance(2);
  expect(connection.takeDraft("d1", 1)).toBe(2);
  await clock.advance(60_000);
  expect(connection.takeDraft("d1", 2_000 * 4_096)).toBe(0);
  expect(connection.takeDraft("d1", 1)).toBe(1);
});

test("a clock that is set back delays drafts by at most two seconds and their own frame", () => {
  let nowMs = Date.UTC(2026, 0, 1);
  const connection = createAgentConnection({ now: () => nowMs, at: () => () => {} });
  const { signal } = new AbortController();
  const times = { connectMs: 1, silenceMs: 1, answerMs: 1, streamMs: 1 };
  const delivery = { id: "d1", write: (id: string) => id, signal, onRetry: () => {}, onDraft: () => {}, ...times };
  connection.deliver(delivery, (text) => text).catch(() => {});
  expect(connection.takeDraft("d1", 1)).toBe(0);
  nowMs -= 3_600_000;
  expect(connection.takeDraft("d1", 1)).toBe(2_001);
});
