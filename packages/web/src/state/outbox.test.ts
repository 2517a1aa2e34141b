import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createClient } from "../api/client.ts";
import { createOutbox } from "./outbox.ts";

const me = "tag:ann.example,2025:1";

/** A fake server: the utterances it received, and its next responses. */
let sent: { id: string; text: string }[];
let answers: (() => Response)[];

const ok = () => Response.json({ openFloor: { events: [] } });
const away = () => {
  throw new TypeError("Failed to fetch");
};

beforeEach(() => {
  vi.useFakeTimers();
  sent = [];
  answers = [];
  isConvened = false;
  const kept = new Map<string, string>();
  vi.stubGlobal("sessionStorage", {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  });
  vi.stubGlobal("fetch", async (_path: string, { body }: { body: string }) => {
    const [event] = JSON.parse(body).openFloor.events;
    const { id, features } = event.parameters.dialogEvent;
    sent.push({ id, text: features.text.tokens[0].value });
    return (answers.shift() ?? ok)();
  });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

let isConvened: boolean;

function outbox() {
  const onChange = () => undefined;
  return createOutbox({ client: createClient("t"), conversation: "c", me, onChange, isConvened: () => isConvened });
}

test("utterances are sent in order, one at a time", async () => {
  const box = outbox();
  await Promise.all([box.say({ text: "one" }), box.say({ text: "two" }), box.say({ text: "three" })]);
  expect(sent.map(({ text }) => text)).toEqual(["one", "two", "three"]);
});

test("an utterance is listed until the log contains it", async () => {
  const box = outbox();
  await box.say({ text: "hello" });
  const [unsent] = box.unsent();
  expect(unsent).toMatchObject({ text: "hello", state: "taken" });
  box.seen(unsent?.dialogEventId ?? "");
  expect(box.unsent()).toEqual([]);
});

test("an unreachable server gets it later with the same id, and later utterances wait", async () => {
  answers = [away];
  const box = outbox();
  await box.say({ text: "one" });
  expect(box.unsent()).toMatchObject([
    { text: "one", state: "waiting", problem: expect.stringContaining("cannot be reached") },
  ]);
  await box.say({ text: "two" });
  expect(sent.map(({ text }) => text)).toEqual(["one", "one", "two"]);
  expect(sent[0]?.id).toBe(sent[1]?.id);
});

test("it retries by itself", async () => {
  answers = [away, () => Response.json({ detail: "too much waits" }, { status: 503 })];
  const box = outbox();
  await box.say({ text: "one" });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(new Set(sent.map(({ id }) => id)).size).toBe(1);
  expect(sent.length).toBe(3);
});

test("a refused utterance is returned with the reason", async () => {
  const refused = [{ index: 0, because: "guard/x", problem: "you do not have the floor" }];
  answers = [() => Response.json({ openFloor: {}, refused })];
  const box = outbox();
  await expect(box.say({ text: "one" })).rejects.toThrow("you do not have the floor");
  expect(box.unsent()).toEqual([]);
});

test("an unsent utterance is sent after a reload with the same id", async () => {
  answers = [away];
  await outbox().say({ text: "one" });
  const again = outbox();
  await vi.advanceTimersByTimeAsync(1);
  expect(sent.map(({ text }) => text)).toEqual(["one", "one"]);
  expect(sent[0]?.id).toBe(sent[1]?.id);
  expect(again.unsent()).toMatchObject([{ state: "taken" }]);
});

test("a discarded utterance is not sent", async () => {
  answers = [away];
  const box = outbox();
  await box.say({ text: "one" });
  box.discard(box.unsent()[0]?.dialogEventId ?? "");
  await vi.advanceTimersByTimeAsync(10_000);
  expect(sent.length).toBe(1);
});

test("a closed outbox sends nothing and leaves stored utterances to the next one", async () => {
  answers = [away];
  const box = outbox();
  await box.say({ text: "one" });
  box.close();
  await vi.advanceTimersByTimeAsync(100_000);
  expect(sent.length).toBe(1);
  outbox();
  await vi.advanceTimersByTimeAsync(1);
  expect(sent.map(({ text }) => text)).toEqual(["one", "one"]);
});

test("an utterance stays listed while a convener holds it", async () => {
  isConvened = true;
  const box = outbox();
  await box.say({ text: "one" });
  await vi.advanceTimersByTimeAsync(300_000);
  expect(box.unsent()).toMatchObject([{ text: "one", state: "taken" }]);
  isConvened = false;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(box.unsent()).toEqual([]);
});

test("an utterance held by a convener is returned when the convener changes, and is sent again with a new id", async () => {
  isConvened = true;
  const box = outbox();
  await box.say({ text: "one" });
  box.convenerChanged();
  expect(box.unsent()).toMatchObject([{ text: "one", state: "refused", problem: expect.stringContaining("convener") }]);
  await box.retry(box.unsent()[0]?.dialogEventId ?? "");
  expect(sent.map(({ text }) => text)).toEqual(["one", "one"]);
  expect(sent[0]?.id).not.toBe(sent[1]?.id);
});

test("an utterance is not lost when the log reports the refusal before the response", async () => {
  const refused = [{ index: 0, because: "guard/x", problem: "floor not granted: send requestFloor" }];
  const box = outbox();
  answers = [
    () => {
      box.refused(sent[0]?.id ?? "", "floor not granted");
      return Response.json({ openFloor: {}, refused });
    },
  ];
  await expect(box.say({ text: "one" })).rejects.toThrow("raise your hand");
});
