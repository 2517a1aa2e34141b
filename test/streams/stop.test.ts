// D18 for agents that connected to the floor: their work cannot be aborted, so the rest of their answer does not count.
import { createMemoryStore } from "@plenary/server";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ann, bot, envelopeOf, type Json, utterance, wordsIn } from "../support/envelopes.ts";
import { startTestFloor, type TestFloor } from "../support/start-test-floor.ts";
import { openSocket } from "../support/test-client.ts";
import { patience } from "../support/wait-for.ts";

let floor: TestFloor;

beforeEach(async () => {
  floor = await startTestFloor({ retries: "default" });
});

afterEach(async () => {
  await floor.close();
  expect(floor.errors).toEqual([]);
});

test("the draft of a stopped agent ends as dropped, its next part is refused, and its answer is late", async () => {
  await floor.openConversation("c1", [ann], [bot]);
  const agent = await openSocket(floor, { speaker: bot, as: "agent" });
  const viewer = await openSocket(floor, { speaker: ann, conversation: "c1" });
  await floor.speak("c1", ann, "tell me");
  const { delivery } = await agent.find((frame) => wordsIn(frame).includes("tell me"), "the question");
  const about = { inReplyTo: delivery, dialogEventId: "story" };
  agent.send({ draft: about });
  agent.send({ draft: { ...about, delta: "once " } });
  await viewer.find(({ draft }) => draft !== undefined, "a draft");
  expect(await floor.post("/api/v1/conversations/c1/pause", {})).toMatchObject({
    status: 200,
    body: { isPaused: true },
  });
  const ended = await viewer.find(({ draft }) => (draft as Json | undefined)?.end !== undefined, "its end");
  expect(ended).toMatchObject({ draft: { dialogEventId: "story", end: "dropped" } });

  agent.send({ draft: { ...about, delta: "upon" } });
  expect(await agent.find((frame) => "nack" in frame, "a nack")).toMatchObject({ problem: { inReplyTo: delivery } });
  agent.send({
    ...envelopeOf("c1", bot, [utterance(bot, "once upon", { id: "story" })]),
    inReplyTo: delivery,
    id: "a",
  });
  const late = await agent.find(({ ack, nack }) => (ack ?? nack) === "a", "an answer");
  expect(JSON.stringify(late)).toContain("late");

  await floor.speak("c1", ann, "never mind");
  await viewer.find((frame) => wordsIn(frame).includes("never mind"), "the end");
  expect(viewer.frames.items.flatMap(wordsIn)).toEqual(["tell me", "never mind"]);
  expect(viewer.raw.join()).not.toContain("upon");
  await agent.close();
  await viewer.close();
});

const isSpeech = (words: string) => (frame: Json) => frame.delivery !== undefined && wordsIn(frame).includes(words);

test("an agent that is disconnected at Stop gets the earlier utterances, in order, after it reconnects", async () => {
  await floor.openConversation("c1", [ann], [bot]);
  const first = await openSocket(floor, { speaker: bot, as: "agent" });
  await first.close();
  await floor.speak("c1", ann, "one");
  await floor.speak("c1", ann, "two");
  await floor.post("/api/v1/conversations/c1/pause", {});
  const agent = await openSocket(floor, { speaker: bot, as: "agent" });
  await agent.find(isSpeech("one"), "one");
  const two = await agent.find(isSpeech("two"), "two");
  agent.send({ ...envelopeOf("c1", bot, [utterance(bot, "late words")]), inReplyTo: two.delivery });
  const entries = async () => (await floor.get("/api/v1/conversations/c1/log")).body.entries as Json[];
  await vi.waitFor(async () => expect((await entries()).map(({ kind }) => kind)).toContain("late"), patience);
  expect(JSON.stringify(await entries())).not.toContain("late words");
  expect(agent.frames.items.flatMap(wordsIn)).toEqual(["one", "two"]);
  await agent.close();
});

test("an agent that does not reconnect after Stop has missed the delivery: the log and the dead letters show it", async () => {
  const store = createMemoryStore();
  const hasty = await startTestFloor({ retries: "default", deliveryLimits: { retryMs: 300, connectMs: 300 }, store });
  await hasty.openConversation("c1", [ann], [bot]);
  const agent = await openSocket(hasty, { speaker: bot, as: "agent" });
  await agent.close();
  await hasty.speak("c1", ann, "one", { speakerUri: bot });
  await hasty.post("/api/v1/conversations/c1/pause", {});
  await vi.waitFor(async () => expect(await store.outbox.deadLetters({ limit: 9 })).toHaveLength(1), patience);
  const { body } = await hasty.get(`/api/v1/conversations/c1/log?speaker=${encodeURIComponent(ann)}`);
  expect((body.entries as Json[]).at(-1)).toMatchObject({ kind: "missed", speakerUri: bot });
  expect((await store.outbox.pending()).deliveries).toEqual([]);
  await hasty.close();
});
