// D36: deliveries over the socket of one agent, by a clock that tests set.
import { expect, test } from "vitest";
import type { DraftPiece } from "../../ports/outbound.ts";
import { createFakeClock } from "../../testing/fake-clock.ts";
import { createOpenAnswers } from "../expected-answers.ts";
import { createLine, type Parcel, type ParcelEnd } from "./connection.ts";

const piece: DraftPiece = { dialogEventId: "x", delta: "Hel" };

function lineTo() {
  const clock = createFakeClock();
  const answers = createOpenAnswers();
  const line = createLine(clock, answers);
  const connect = () => {
    const socket = { heard: [] as string[], isReplaced: false };
    const hangUp = line.connect({
      send: (text) => socket.heard.push(text),
      replaced: () => {
        socket.isReplaced = true;
      },
    });
    return Object.assign(socket, { hangUp });
  };
  const carry = (id: string, more: Partial<Parcel> = {}) => {
    const noted: { end?: ParcelEnd<string>; retries: number; isSent: boolean[]; drafts: DraftPiece[] } = {
      ...{ retries: 0, isSent: [], drafts: [] },
    };
    const parcel: Parcel = {
      id,
      write: (name) => `to ${name}`,
      ...{ connectMs: 60_000, silenceMs: 120_000, answerMs: 300_000, streamMs: 3_600_000 },
      signal: new AbortController().signal,
      onRetry: () => {
        noted.retries += 1;
      },
      onSent: (isSent) => noted.isSent.push(isSent),
      onDraft: (one) => noted.drafts.push(one),
      ...more,
    };
    const read = (text: string) => (text === "nonsense" ? undefined : text);
    line.carry(parcel, read).then(
      (end) => Object.assign(noted, { end }),
      () => {},
    );
    return noted;
  };
  return { clock, answers, line, connect, carry };
}

test("what is sent to an agent that is not there waits for it, and goes out when it connects", async () => {
  const { clock, line, connect, carry } = lineTo();
  expect([line.isConnected(), line.isIdle()]).toEqual([false, true]);
  const one = carry("d1");
  expect(line.isIdle()).toBe(false);
  expect([one.retries, one.isSent]).toEqual([1, [false]]);
  await clock.advance(59_999);
  const socket = connect();
  expect([line.isConnected(), line.isIdle()]).toEqual([true, false]);
  expect(socket.heard).toEqual(["to d1"]);
  expect(one.isSent).toEqual([false, true]);
  await clock.advance(1);
  expect(one.end).toBeUndefined();
  expect(line.answer("d1", "hello")).toBe("taken");
  await clock.advance(0);
  expect(one.end).toEqual({ kind: "answered", answer: "hello" });
  expect(clock.pending()).toBe(0);
  expect([line.isConnected(), line.isIdle()]).toEqual([true, false]);
  socket.hangUp();
  expect([line.isConnected(), line.isIdle()]).toEqual([false, true]);
});

test("an agent that does not come back in time cannot be reached", async () => {
  const { clock, line, carry } = lineTo();
  const one = carry("d1");
  await clock.advance(59_999);
  expect(one.end).toBeUndefined();
  await clock.advance(1);
  expect(one.end).toEqual({ kind: "unreachable" });
  expect([clock.pending(), line.isIdle()]).toEqual([0, true]);
});

test("what is under way when the socket breaks is sent again on the next one, in order, with the same bytes", async () => {
  const { clock, connect, carry } = lineTo();
  const first = connect();
  const [one, two] = [carry("d1"), carry("d2")];
  expect(first.heard).toEqual(["to d1", "to d2"]);
  expect([one.retries, two.retries]).toEqual([0, 0]);
  first.hangUp();
  expect([one.retries, two.retries]).toEqual([1, 1]);
  expect(one.isSent).toEqual([true, false]);
  const second = connect();
  expect(second.heard).toEqual(["to d1", "to d2"]);
  await clock.advance(0);
  expect(first.isReplaced).toBe(false);
});

test("the newest socket is the one that is written to, and the older one hears so; that it hangs up says nothing", () => {
  const { line, connect, carry } = lineTo();
  const first = connect();
  const second = connect();
  expect([first.isReplaced, second.isReplaced]).toEqual([true, false]);
  first.hangUp();
  expect(line.isConnected()).toBe(true);
  const one = carry("d1");
  expect([first.heard, second.heard, one.retries]).toEqual([[], ["to d1"], 0]);
});

test("an agent that says nothing for two minutes has not answered in time, nor one that takes five in all", async () => {
  const { clock, line, connect, carry } = lineTo();
  connect();
  const silent = carry("d1");
  await clock.advance(119_999);
  expect(silent.end).toBeUndefined();
  await clock.advance(1);
  expect(silent.end).toEqual({ kind: "timeout" });
  const slow = carry("d2", { silenceMs: 400_000 });
  await clock.advance(299_999);
  expect(slow.end).toBeUndefined();
  await clock.advance(1);
  expect(slow.end).toEqual({ kind: "timeout" });
  expect(line.answer("d2", "late")).toBe("unknown");
});

test("drafts keep a delivery alive beyond the time of an answer, up to the time of a stream", async () => {
  const { clock, line, connect, carry } = lineTo();
  connect();
  const one = carry("d1", { streamMs: 400_000 });
  for (let count = 0; count < 4; count += 1) {
    await clock.advance(99_000);
    expect(line.draft("d1", piece)).toBe(true);
  }
  expect(one.drafts).toEqual([piece, piece, piece, piece]);
  await clock.advance(3_999);
  expect(one.end).toBeUndefined();
  await clock.advance(1);
  expect(one.end).toEqual({ kind: "timeout" });
  expect(clock.pending()).toBe(0);
});

test("a draft does not excuse the silence after it", async () => {
  const { clock, line, connect, carry } = lineTo();
  connect();
  const one = carry("d1");
  await clock.advance(100_000);
  line.draft("d1", piece);
  await clock.advance(119_999);
  expect(one.end).toBeUndefined();
  await clock.advance(1);
  expect(one.end).toEqual({ kind: "timeout" });
});

test("an answer that cannot be read ends its delivery; one that names nothing under way is unknown", async () => {
  const { clock, line, connect, carry } = lineTo();
  connect();
  const one = carry("d1");
  expect(line.answer("d2", "hello")).toBe("unknown");
  expect(line.draft("d2", piece)).toBe(false);
  expect(line.takeDraft("d2", 1)).toBeUndefined();
  expect(line.answer("d1", "nonsense")).toBe("unreadable");
  await clock.advance(0);
  expect(one.end).toEqual({ kind: "unreadable" });
  expect(line.answer("d1", "hello")).toBe("unknown");
});

test("a delivery whose answer nobody wants ends at once, and is not sent when that was so before", async () => {
  const { clock, line, connect, carry } = lineTo();
  const socket = connect();
  const controller = new AbortController();
  const one = carry("d1", { signal: controller.signal });
  controller.abort();
  const two = carry("d2", { signal: controller.signal });
  await clock.advance(0);
  expect([one.end, two.end]).toEqual([{ kind: "aborted" }, { kind: "aborted" }]);
  expect(socket.heard).toEqual(["to d1"]);
  expect([clock.pending(), line.answer("d1", "hello")]).toEqual([0, "unknown"]);
});

test("two deliveries of one name are kept apart, and each gets its own answer", async () => {
  const { clock, line, connect, carry } = lineTo();
  const socket = connect();
  const all = [carry("d1"), carry("d1"), carry("d1")];
  expect(socket.heard).toEqual(["to d1", "to d1~2", "to d1~3"]);
  for (const id of ["d1~2", "d1", "d1~3"]) line.answer(id, `answers ${id}`);
  await clock.advance(0);
  const answered = all.map(({ end }) => end?.kind === "answered" && end.answer);
  expect(answered).toEqual(["answers d1", "answers d1~2", "answers d1~3"]);
});

test("the answer to a delivery is expected while it is under way", async () => {
  const { clock, answers, line, connect, carry } = lineTo();
  connect();
  carry("d1");
  carry("d2");
  expect(answers.take("d1")).toBe(true);
  line.answer("d2", "hello");
  await clock.advance(0);
  expect(answers.take("d2")).toBe(false);
});

test("draft frames are read at 1,000 a second or 4,096 characters a millisecond, with two seconds ahead", async () => {
  const { clock, line, connect, carry } = lineTo();
  connect();
  carry("d1");
  for (let count = 0; count < 2_000; count += 1) expect(line.takeDraft("d1", 4_096)).toBe(0);
  expect(line.takeDraft("d1", 0)).toBe(0);
  expect(line.takeDraft("d1", 1)).toBe(1);
  expect(line.takeDraft("d1", 4_097)).toBe(3);
  await clock.advance(2);
  expect(line.takeDraft("d1", 1)).toBe(2);
  await clock.advance(60_000);
  expect(line.takeDraft("d1", 2_000 * 4_096)).toBe(0);
  expect(line.takeDraft("d1", 1)).toBe(1);
});

test("a clock that is set back makes nobody wait for more than two seconds and its own frame", () => {
  let nowMs = Date.UTC(2026, 0, 1);
  const line = createLine({ now: () => nowMs, at: () => () => {} });
  const { signal } = new AbortController();
  const times = { connectMs: 1, silenceMs: 1, answerMs: 1, streamMs: 1 };
  const parcel = { id: "d1", write: (id: string) => id, signal, onRetry: () => {}, onDraft: () => {}, ...times };
  line.carry(parcel, (text) => text).catch(() => {});
  expect(line.takeDraft("d1", 1)).toBe(0);
  nowMs -= 3_600_000;
  expect(line.takeDraft("d1", 1)).toBe(2_001);
});
