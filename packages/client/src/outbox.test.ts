import { expect, onTestFinished, test, vi } from "vitest";
import { type ClientStorage, Outbox, type Unsent } from "./outbox.ts";
import { FloorProblem, Unreachable } from "./problem.ts";
import { defaultLimits } from "./retry.ts";

const limits = { ...defaultLimits, retryMs: 1, retryMaxMs: 5 };
const away = new Unreachable("http://floor.example", "away");
const refusal = new FloorProblem({ status: 422, detail: "not now" });

/** An outbox, and the far end of its network: what was sent, and the problems that the next sendings meet. */
function open({ storage, problems = [] }: { storage?: ClientStorage; problems?: (FloorProblem | undefined)[] } = {}) {
  const sent: Pick<Unsent, "id" | "text">[] = [];
  const over = new AbortController();
  const send = async ({ id, text }: Unsent) => {
    sent.push({ id, text });
    const problem = problems.shift();
    if (problem !== undefined) throw problem;
    return sent.length;
  };
  return { sent, over, box: new Outbox({ send, limits, storage, key: "unsent", signal: over.signal }) };
}

function memory(): ClientStorage & { items: Map<string, string> } {
  const items = new Map<string, string>();
  const getItem = (key: string) => items.get(key) ?? null;
  return {
    items,
    getItem,
    setItem: (key, value) => void items.set(key, value),
    removeItem: (key) => void items.delete(key),
  };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("utterances are sent one at a time, in order, under one id until the floor takes them", async () => {
  const { box, sent } = open({ problems: [away, away] });
  const said = await Promise.all(["one", "two", "three"].map((text) => box.say({ text })));
  expect(sent.map(({ text }) => text)).toEqual(["one", "one", "one", "two", "three"]);
  expect(new Set(sent.map(({ id }) => id)).size).toBe(3);
  expect(said.map(({ seq }) => seq)).toEqual([3, 4, 5]);
  expect(box.unsent()).toEqual([]);
});

test("a refused utterance rejects and does not hold up the next one", async () => {
  const { box } = open({ problems: [refusal] });
  const ends = await Promise.allSettled([box.say({ text: "bad" }), box.say({ text: "good" })]);
  expect(ends).toMatchObject([{ status: "rejected", reason: refusal }, { status: "fulfilled" }]);
  expect(box.unsent()).toEqual([]);
});

test("one that nobody waits for stays as refused; a retry has a new id, and it can be discarded", async () => {
  const storage = memory();
  const first = open({ storage, problems: [away] });
  const lost = first.box.say({ text: "hello" });
  await settled();
  first.over.abort("reload");
  await expect(lost).rejects.toBe("reload");
  const { box, sent } = open({ storage, problems: [refusal, refusal] });
  await expect.poll(() => box.unsent()).toMatchObject([{ state: "refused", problem: refusal, text: "hello" }]);
  box.retry(box.unsent()[0]?.id ?? "");
  await expect.poll(() => sent.length).toBe(2);
  expect(sent[0]?.id).toBe(first.sent[0]?.id);
  expect(sent[1]?.id).not.toBe(sent[0]?.id);
  await expect.poll(() => box.unsent()).toMatchObject([{ state: "refused" }]);
  box.discard(box.unsent()[0]?.id ?? "");
  expect(storage.items.size).toBe(0);
});

test("with a reader of the log a taken utterance is listed until the log has it, or refuses it", async () => {
  const { box } = open();
  const stop = box.track({ isConvened: () => true });
  const [one, two] = [await box.say({ text: "one" }), await box.say({ text: "two" })];
  expect(box.unsent()).toMatchObject([{ state: "taken" }, { state: "taken" }]);
  box.prune();
  box.confirm(one.id, 7);
  box.refuseTaken(two.id, refusal);
  expect(box.unsent()).toMatchObject([{ id: two.id, state: "refused", problem: refusal }]);
  stop();
  await box.say({ text: "three" });
  expect(box.unsent()).toHaveLength(1);
});

test("the answer tells the caller of a refusal that the log reported before it", async () => {
  const { box, sent } = open({ problems: [refusal] });
  const said = box.say({ text: "one" });
  box.refuseTaken(sent[0]?.id ?? "", refusal);
  await expect(said).rejects.toBe(refusal);
  expect(box.unsent()).toEqual([]);
});

test("a taken utterance leaves the list after a minute outside the log, unless a convener may hold it", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const { box } = open();
  let isConvened = true;
  box.track({ isConvened: () => isConvened });
  await box.say({ text: "one" });
  for (const [afterMs, left] of [
    [300_000, 1],
    [0, 0],
  ] as const) {
    vi.setSystemTime(Date.now() + afterMs);
    box.prune();
    expect(box.unsent()).toHaveLength(left);
    isConvened = false;
  }
});

test("the log confirms an utterance whose answer was lost", async () => {
  const { box, sent } = open({ problems: Array.from({ length: 1_000 }, () => away) });
  const said = box.say({ text: "hello" });
  await settled();
  box.confirm(sent[0]?.id ?? "", 7);
  expect(await said).toEqual({ id: sent[0]?.id, seq: 7 });
  expect(box.unsent()).toEqual([]);
});

test("a broken or full storage costs nothing but the reload", async () => {
  const throwing = () => {
    throw new Error("QuotaExceededError");
  };
  const { box } = open({ storage: { getItem: () => "{", setItem: throwing, removeItem: throwing } });
  expect(await box.say({ text: "hello" })).toMatchObject({ seq: 1 });
});

test("an outbox knows its last utterances, also those that were refused", async () => {
  const { box } = open({ problems: [undefined, refusal] });
  const { id } = await box.say({ text: "one" });
  const refused = box.say({ text: "two" });
  const [two] = box.unsent();
  await expect(refused).rejects.toBe(refusal);
  expect([id, two?.id ?? "", "de:other"].map((one) => box.isOwn(one))).toEqual([true, true, false]);
  for (let count = 0; count < 99; count += 1) await box.say({ text: "more" });
  expect([id, two?.id ?? ""].map((one) => box.isOwn(one))).toEqual([false, true]);
});
