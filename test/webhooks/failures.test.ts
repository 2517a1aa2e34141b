// What happens when a receiver fails, and when the registrant loses its rights.
import { createMemoryCredentials, partsOf } from "@plenary/server";
import { afterEach, expect, test } from "vitest";
import { ann, bob } from "../support/envelopes.ts";
import {
  addKey,
  createFloorClient,
  startTestFloor,
  type TestFloor,
  type TestFloorOptions,
} from "../support/start-test-floor.ts";
import { patience } from "../support/wait-for.ts";
import { type Message, places, signedBy, startReceiver, textsIn } from "./receiver.ts";

let floor: TestFloor | undefined;

afterEach(async () => {
  await floor?.close();
  expect(floor?.errors).toEqual([]);
  floor = undefined;
});

const quick = { retryBaseMs: 20, retryCapMs: 40 };
const root = "/api/v1/webhooks";

async function start({ webhookLimits, ...options }: TestFloorOptions = {}) {
  floor = await startTestFloor({ webhookLimits: { ...quick, ...webhookLimits }, ...options });
  await floor.openConversation("c", [ann, bob]);
  const { must } = floor;
  return {
    ...floor,
    register: (url: string, more: object = {}) => must("POST", root, { url, eventTypes: ["utterance"], ...more }),
    until: (id: string, fields: object) =>
      expect.poll(() => must("GET", `${root}/${id}`), patience).toMatchObject(fields),
  };
}

const hasText = (text: string) => (message: Message) => textsIn([message]).includes(text);

test("a failed delivery is repeated with the same id and bytes, and later entries wait for it", async () => {
  const { register, speak, until } = await start();
  const receiver = await startReceiver(() => ({ status: 500 }));
  const { id } = await register(receiver.url, { conversation: "c" });
  await speak("c", ann, "first");
  await speak("c", ann, "second");
  await receiver.received.until((all) => all.length >= 3, "three attempts");
  await until(id, { state: "failing", failure: "it answered 500", failedSince: expect.any(String) });
  expect(receiver.all.every(hasText("first"))).toBe(true);
  const [message] = receiver.all;
  expect(receiver.all.every(({ text, id: name }) => text === message?.text && name === message?.id)).toBe(true);
  receiver.answer(() => ({ status: 200 }));
  await receiver.received.until((all) => all.some(hasText("second")), "the second");
  await until(id, { state: "active", pending: 0 });
  expect(places(receiver.all)).toHaveLength(2);
});

test("Retry-After is honoured: nothing is sent before, not even of other conversations", async () => {
  const { register, speak, openConversation, must, until } = await start();
  await openConversation("d", [ann]);
  const receiver = await startReceiver(() => ({ status: 429, headers: { "retry-after": "3600" } }));
  const { id } = await register(receiver.url);
  await speak("c", ann, "in c");
  await until(id, { state: "failing", failure: "it answered 429" });
  await speak("d", ann, "in d");
  await expect.poll(async () => (await must("GET", `${root}/${id}`)).pending, patience).toBeGreaterThan(2);
  expect(receiver.all).toHaveLength(1);
  receiver.answer(() => ({ status: 200 }));
  // A test that succeeds ends the wait.
  expect(await must("POST", `${root}/${id}/test`)).toEqual({ delivered: true, status: 200 });
  await receiver.received.until((all) => all.some(hasText("in d")), "the entry of d");
  await receiver.received.until((all) => all.filter(hasText("in c")).length === 2, "the entry of c");
  expect(receiver.all[1]?.type).toBe("ping");
});

test("410 Gone disables a webhook at once; enabled again, it continues where it stopped", async () => {
  const { register, speak, must, until } = await start();
  const receiver = await startReceiver(() => ({ status: 410 }));
  const { id } = await register(receiver.url);
  await speak("c", ann, "first");
  await until(id, { state: "disabled", failure: "it answered 410 Gone" });
  await speak("c", ann, "second");
  receiver.answer(() => ({ status: 200 }));
  expect(await must("POST", `${root}/${id}/enable`)).toMatchObject({ state: "active" });
  await receiver.received.until((all) => all.some(hasText("second")), "the second");
  expect(textsIn(receiver.all)).toEqual(["first", "first", "second"]);
});

test("an entry that fails for too long becomes a dead letter, the next ones go on, and it can be sent again", async () => {
  const { register, speak, must, post } = await start({ webhookLimits: { giveUpMs: 100 } });
  const receiver = await startReceiver((message) => ({ status: hasText("poison")(message) ? 422 : 200 }));
  const { id } = await register(receiver.url);
  await speak("c", ann, "poison");
  await speak("c", ann, "water");
  await receiver.received.until((all) => all.some(hasText("water")), "the next entry");
  const letters = async () => (await must("GET", `${root}/${id}/dead-letters`)).deadLetters;
  const [letter] = await letters();
  expect(letter).toMatchObject({ conversation: "c", failure: "it answered 422", id: receiver.all[0]?.id });
  const redrive = () => must("POST", `${root}/${id}/dead-letters/${letter.id}/redrive`);
  expect(await redrive()).toEqual({ id: letter.id, delivered: false, status: 422, failure: "it answered 422" });
  expect(await letters()).toHaveLength(1);
  receiver.answer(() => ({ status: 200 }));
  expect(await redrive()).toEqual({ id: letter.id, delivered: true, status: 200 });
  expect(await letters()).toEqual([]);
  expect(receiver.all.at(-1)?.id).toBe(letter.id);
  const { body, status } = await post(`${root}/${id}/dead-letters/${letter.id}/redrive`, {});
  expect([status, body.type]).toEqual([404, "urn:plenary:problem:not-found"]);
});

test("a webhook without any success for too long is disabled, with the reason", async () => {
  const { register, speak, until } = await start({ webhookLimits: { disableMs: 100 } });
  const receiver = await startReceiver(() => ({ status: 503 }));
  const { id } = await register(receiver.url);
  await speak("c", ann, "hello");
  await until(id, { state: "disabled", failure: expect.stringContaining("it answered 503") });
});

test("redirects are not followed, and a large answer is not read", async () => {
  const { register, speak, until } = await start();
  const target = await startReceiver();
  const moved = await startReceiver(() => ({ status: 302, headers: { location: target.url } }));
  const large = await startReceiver(() => ({ status: 200, body: "x".repeat(4_000_000) }));
  const hook = await register(moved.url);
  await register(large.url);
  await speak("c", ann, "hello");
  await until(hook.id, { state: "failing", failure: `it moved to ${target.url}; redirects are not followed` });
  await speak("c", ann, "again");
  await large.received.until((all) => all.some(hasText("again")), "the second entry");
  expect(target.all).toEqual([]);
});

test("a silent receiver is given up after its time, and delays no other receiver", async () => {
  const { register, speak, until } = await start({ webhookLimits: { answerMs: 300 } });
  const [silent, other] = [await startReceiver(() => undefined), await startReceiver()];
  const { id } = await register(silent.url);
  await register(other.url);
  for (let count = 0; count < 30; count += 1) await speak("c", ann, `word ${count}`);
  await other.received.until((all) => all.some(hasText("word 29")), "all entries");
  await until(id, { state: "failing", failure: "it did not answer within 0.3 seconds" });
});

test("both secrets sign after a rotation", async () => {
  const { register, must, speak } = await start();
  const receiver = await startReceiver();
  const { id, secret: old } = await register(receiver.url);
  const { secret } = await must("POST", `${root}/${id}/secret`);
  await speak("c", ann, "hello");
  const [message] = await receiver.received.until((all) => all.length > 0, "the entry");
  if (message === undefined) throw new Error("no message");
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/=]{44}$/u);
  expect(signedBy(message, [secret, old])).toEqual([secret, old]);
  expect(JSON.stringify(await must("GET", root))).not.toContain("whsec_");
});

test("a revoked key stops the webhook of its owner; with another key the owner enables it", async () => {
  const credentials = createMemoryCredentials();
  const { url, speak, until } = await start({ credentials });
  const key = await addKey(credentials, ann);
  const receiver = await startReceiver();
  const { id } = await createFloorClient(url, key).must("POST", root, { url: receiver.url, conversation: "c" });
  await credentials.revoke(partsOf(key)?.id ?? "", new Date().toISOString());
  await speak("c", ann, "after the revocation");
  await until(id, { state: "disabled", failure: "the credential that registered it has ended" });
  expect(receiver.all).toEqual([]);
  const renewed = createFloorClient(url, await addKey(credentials, ann));
  expect(await renewed.must("POST", `${root}/${id}/enable`)).toMatchObject({ state: "active" });
  await receiver.received.until((all) => all.some(hasText("after the revocation")), "the entry");
});

test("a registrant that does not own the conversation any more gets nothing more", async () => {
  const credentials = createMemoryCredentials();
  const { url, speak, until, must } = await start({ credentials });
  const client = createFloorClient(url, await addKey(credentials, ann));
  const receiver = await startReceiver();
  const { id } = await client.must("POST", root, { url: receiver.url, conversation: "c" });
  await must("POST", "/api/v1/conversations/c/remove", { speakerUri: ann });
  await speak("c", bob, "without ann");
  await until(id, { state: "disabled", failure: "its registrant does not own the conversation any more" });
  expect(JSON.stringify(receiver.all)).not.toContain("without ann");
  expect((await client.post(`${root}/${id}/enable`, {})).status).toBe(422);
});
