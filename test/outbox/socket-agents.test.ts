import { createMemoryStore } from "@plenary/server";
import { expect, test, vi } from "vitest";
import { ann, bot, envelopeOf, type Json, utterance, wordsIn } from "../support/envelopes.ts";
import { startTestFloor } from "../support/start-test-floor.ts";
import { openSocket } from "../support/test-client.ts";
import { patience } from "../support/wait-for.ts";

// Addresses that stay the same after a restart, like those of a real floor.
const publicUrl = "http://floor.example";

const isHello = (frame: Json) => frame.delivery !== undefined && wordsIn(frame).includes("hello");

test("a delivery to an agent that does not reconnect is a dead letter, and can be redelivered", async () => {
  const store = createMemoryStore();
  const floor = await startTestFloor({ retries: "default", publicUrl, deliveryLimits: { retryMs: 50 }, store });
  await floor.openConversation("c1", [ann], [bot]);
  await floor.speak("c1", ann, "hello", { speakerUri: bot });
  await vi.waitFor(async () => expect(await store.outbox.deadLetters({ limit: 9 })).toHaveLength(1), patience);
  expect(await store.outbox.deadLetters({ limit: 9 })).toMatchObject([{ failure: "unreachable" }]);
  expect((await store.outbox.pending()).deliveries).toEqual([]);
  const agent = await openSocket(floor, { speaker: bot, as: "agent" });
  const { body } = await floor.get("/api/v1/dead-letters");
  const [letter] = body.deadLetters as { id: string }[];
  expect((await floor.post(`/api/v1/dead-letters/${letter?.id}/redrive`, {})).status).toBe(202);
  const frame = await agent.find(isHello, "the dead letter");
  agent.send({ ...envelopeOf("c1", bot, [utterance(bot, "better late")]), inReplyTo: frame.delivery as string });
  const viewer = await openSocket(floor, { speaker: ann, conversation: "c1" });
  await viewer.find((one) => wordsIn(one).includes("better late"), "what it said of its own accord");
  await vi.waitFor(async () => expect((await store.outbox.pending()).deliveries).toEqual([]), patience);
  await viewer.close();
  await agent.close();
  await floor.close();
});

test("after a restart a disconnected agent is not taken for a person, even while a viewer stream of its name is open", async () => {
  const store = createMemoryStore();
  const first = await startTestFloor({ retries: "default", publicUrl, store });
  await first.openConversation("c1", [ann], [bot]);
  await first.close();
  const second = await startTestFloor({ retries: "default", publicUrl, store });
  const onlooker = await openSocket(second, { speaker: bot, conversation: "c1" });
  await second.speak("c1", ann, "hello", { speakerUri: bot });
  await onlooker.find((frame) => wordsIn(frame).includes("hello"), "the words");
  const agent = await openSocket(second, { speaker: bot, as: "agent" });
  const frame = await agent.find(isHello, "the delivery");
  agent.send({ ...envelopeOf("c1", bot, [utterance(bot, "here I am")]), inReplyTo: frame.delivery as string });
  await onlooker.find((one) => wordsIn(one).includes("here I am"), "its answer");
  await onlooker.close();
  await agent.close();
  await second.close();
});

test("a delivery that was open when the floor stopped is repeated, with the same id and the same bytes", async () => {
  const store = createMemoryStore();
  const first = await startTestFloor({ retries: "default", publicUrl, store });
  await first.openConversation("c1", [ann], [bot]);
  const before = await openSocket(first, { speaker: bot, as: "agent" });
  await first.speak("c1", ann, "hello", { speakerUri: bot });
  await before.find(isHello, "the delivery");
  await first.close();
  expect((await before.closed).code).toBe(1012);
  const second = await startTestFloor({ retries: "default", publicUrl, store });
  const after = await openSocket(second, { speaker: bot, as: "agent" });
  await after.find(isHello, "the delivery again");
  const helloIn = (raw: readonly string[]) => raw.find((text) => isHello(JSON.parse(text) as Json));
  expect(helloIn(after.raw)).toBe(helloIn(before.raw));
  await after.close();
  await second.close();
});
