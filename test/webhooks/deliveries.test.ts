// Which entries a webhook gets, in which form and order.
import { createMemoryCredentials } from "@plenary/server";
import { afterEach, expect, test } from "vitest";
import { ann, bob, cid, type Json } from "../support/envelopes.ts";
import {
  addKey,
  createFloorClient,
  startTestFloor,
  type TestFloor,
  type TestFloorOptions,
} from "../support/start-test-floor.ts";
import { patience } from "../support/wait-for.ts";
import { places, signedBy, startReceiver, textsIn } from "./receiver.ts";

let floor: TestFloor | undefined;

afterEach(async () => {
  await floor?.close();
  expect(floor?.errors).toEqual([]);
  floor = undefined;
});

async function start(options: TestFloorOptions = {}): Promise<TestFloor> {
  floor = await startTestFloor(options);
  await floor.openConversation("c", [ann, bob]);
  return floor;
}

const root = "/api/v1/webhooks";

test("every entry written after the registration arrives signed, in order, as the log shows it", async () => {
  const { must, speak, log } = await start();
  const receiver = await startReceiver();
  const before = (await log("c")).length;
  const { secret, ...hook } = await must("POST", root, { url: receiver.url, conversation: "c", label: "test" });
  expect(hook).toMatchObject({ url: receiver.url, conversation: "c", label: "test", state: "active" });
  for (const word of ["one", "two", "three"]) await speak("c", ann, word);
  const entries = (await log("c")).slice(before);
  const messages = await receiver.received.until((all) => all.length >= entries.length, "all entries");
  expect(messages.map(({ data }) => data.entry)).toEqual(entries);
  for (const [index, message] of messages.entries()) {
    const { seq, kind, at } = entries[index] as Json;
    expect(message).toMatchObject({ type: `entry.${kind}`, timestamp: at, data: { conversation: "c", seq } });
    expect(signedBy(message, [secret])).toEqual([secret]);
    expect(message.headers["content-type"]).toBe("application/json");
  }
  expect(new Set(messages.map(({ id }) => id)).size).toBe(entries.length);
  await expect.poll(() => must("GET", `${root}/${hook.id}`), patience).toMatchObject({ pending: 0, state: "active" });
});

test("kinds and event types choose the entries", async () => {
  const { must, speak, send } = await start();
  const [events, utterances, seats] = [await startReceiver(), await startReceiver(), await startReceiver()];
  await must("POST", root, { url: events.url, kinds: ["event"] });
  const chosen = await must("POST", root, { url: utterances.url, eventTypes: ["utterance"] });
  await must("POST", root, { url: seats.url, kinds: ["seated", "titled"] });
  expect(chosen).toMatchObject({ kinds: ["event"], eventTypes: ["utterance"] });
  await send("c", [{ eventType: "requestFloor" }]);
  await speak("c", ann, "hello");
  await must("POST", "/api/v1/conversations/c/title", { title: "Birds" });
  await utterances.received.until((all) => textsIn(all).includes("hello"), "the utterance");
  await seats.received.until((all) => all.length === 1, "the title");
  await events.received.until((all) => textsIn(all).includes("hello"), "the events");
  expect(utterances.all.map(({ type }) => type)).toEqual(["entry.event"]);
  expect(seats.all.map(({ type }) => type)).toEqual(["entry.titled"]);
  expect(events.all.length).toBeGreaterThan(1);
  expect(new Set(events.all.map(({ type }) => type))).toEqual(new Set(["entry.event"]));
});

test("a webhook of the operator follows all conversations, also new ones, each in order", async () => {
  const { must, speak, openConversation, log } = await start();
  const receiver = await startReceiver();
  const begun = (await log("c")).length;
  await must("POST", root, { url: receiver.url });
  await openConversation("d", [ann]);
  for (let count = 0; count < 20; count += 1) for (const id of ["c", "d"]) await speak(id, ann, `${id} ${count}`);
  const numbersOf = (id: string) => receiver.all.flatMap(({ data }) => (data.conversation === id ? [data.seq] : []));
  const [c, d] = [await log("c"), await log("d")];
  await receiver.received.until((all) => all.length >= c.length - begun + d.length, "all entries");
  expect(numbersOf("c")).toEqual(c.slice(begun).map(({ seq }) => seq));
  expect(numbersOf("d")).toEqual(d.map(({ seq }) => seq));
});

test("D33: a whisper reaches the webhooks of its parties only; the owner and the operator do not get it", async () => {
  const { must, speak, openConversation } = await start();
  const [operators, anns, bobs] = [await startReceiver(), await startReceiver(), await startReceiver()];
  await openConversation("w", [ann, bob, cid]);
  await must("POST", root, { url: operators.url });
  await must("POST", root, { url: anns.url, conversation: "w", speaker: ann });
  await must("POST", root, { url: bobs.url, conversation: "w", speaker: bob });
  await speak("w", cid, "the secret", { speakerUri: bob, private: true });
  await speak("w", ann, "the end");
  for (const receiver of [operators, anns, bobs]) {
    await receiver.received.until((all) => textsIn(all).includes("the end"), "the end");
  }
  expect(textsIn(bobs.all)).toEqual(["the secret", "the end"]);
  for (const { all } of [operators, anns]) {
    expect(textsIn(all)).toEqual(["the end"]);
    expect(JSON.stringify(all)).not.toContain("the secret");
    expect(all.map(({ data }) => data.entry.kind)).not.toContain("hidden");
  }
});

test("an entry erased before its delivery is sent erased", async () => {
  const { must, speak, log } = await start({ webhookLimits: { retryBaseMs: 20, retryCapMs: 40 } });
  const receiver = await startReceiver(() => ({ status: 500 }));
  const { id } = await must("POST", root, { url: receiver.url, conversation: "c", eventTypes: ["utterance"] });
  await speak("c", ann, "a slip of the tongue");
  await receiver.received.until((all) => all.length > 0, "the first attempt");
  const { seq } = (await log("c")).find(({ kind }) => kind === "event") ?? { seq: 0 };
  await must("POST", "/api/v1/conversations/c/erase", { seq });
  receiver.answer(() => ({ status: 200 }));
  await expect
    .poll(() => must("GET", `${root}/${id}`), patience)
    .toMatchObject({ lastDeliveredAt: expect.any(String) });
  const last = receiver.all.at(-1);
  expect(last?.data.seq).toBe(seq);
  expect(last?.id).toBe(receiver.all[0]?.id);
  expect(textsIn(last === undefined ? [] : [last]).join("")).not.toContain("slip");
});

test("an owner registers for its own conversation, and sees and manages its own webhooks only", async () => {
  const credentials = createMemoryCredentials();
  const { must, url, speak } = await start({ credentials });
  const [anns, bobs] = await Promise.all(
    [ann, bob].map(async (speaker) => createFloorClient(url, await addKey(credentials, speaker))),
  );
  if (anns === undefined || bobs === undefined) throw new Error("no client");
  const receiver = await startReceiver();
  const mine = await anns.must("POST", root, { url: receiver.url, conversation: "c" });
  expect(mine).toMatchObject({ conversation: "c", speaker: ann });
  await must("POST", root, { url: receiver.url, conversation: "c", speaker: ann, kinds: ["closed"] });
  expect((await anns.must("GET", root)).webhooks).toHaveLength(1);
  expect((await must("GET", root)).webhooks).toHaveLength(2);
  expect((await bobs.must("GET", root)).webhooks).toEqual([]);
  const { status } = await bobs.get(`${root}/${mine.id}`);
  expect([status, (await bobs.call("DELETE", `${root}/${mine.id}`)).status]).toEqual([404, 404]);
  const refused = await bobs.post(root, { url: receiver.url, conversation: "c" });
  const unknown = await bobs.post(root, { url: receiver.url, conversation: "none" });
  const everywhere = await anns.post(root, { url: receiver.url });
  expect([refused.status, unknown.status, everywhere.status]).toEqual([403, 404, 400]);
  await speak("c", ann, "hello");
  await receiver.received.until((all) => textsIn(all).includes("hello"), "the utterance");
  expect((await anns.call("DELETE", `${root}/${mine.id}`)).status).toBe(204);
  const count = places(receiver.all).length;
  await speak("c", ann, "after the end");
  expect((await anns.get(`${root}/${mine.id}`)).status).toBe(404);
  expect(places(receiver.all)).toHaveLength(count);
});
