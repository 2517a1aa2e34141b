// A speaker without a seat learns nothing of a conversation and causes no reads of its log.
import { createMemoryStore, type FloorStore } from "@plenary/server";
import { afterEach, expect, test } from "vitest";
import { ann, bob, bot, cid, envelopeOf, utterance, wordsIn } from "../support/envelopes.ts";
import { startTestFloor, type TestFloor } from "../support/start-test-floor.ts";
import { openSocket } from "../support/test-client.ts";

let floor: TestFloor;

afterEach(async () => {
  await floor.close();
  expect(floor.errors).toEqual([]);
});

/** Counts how often the log of a conversation was read. */
function countingStore() {
  const store = createMemoryStore();
  const reads: string[] = [];
  const counting: FloorStore = {
    ...store,
    log: {
      ...store.log,
      entries(id, range) {
        reads.push(id);
        return store.log.entries(id, range);
      },
      floorAt(id, seq) {
        reads.push(id);
        return store.log.floorAt(id, seq);
      },
    },
  };
  return { store: counting, reads };
}

test("a stream for a speaker without a seat does not read the log, and begins when the speaker is seated", async () => {
  const { store, reads } = countingStore();
  floor = await startTestFloor({ retries: "default", store });
  await floor.openConversation("c1", [ann]);
  await floor.speak("c1", ann, "before");
  const before = reads.filter((id) => id === "c1").length;
  const stranger = await openSocket(floor, { speaker: cid, conversation: "c1" });
  // The stream would have sent its frames before the floor has answered all of these.
  for (let turn = 0; turn < 10; turn += 1) await floor.get("/api/v1/conversations/c1");
  expect(reads.filter((id) => id === "c1").length).toBe(before);
  await floor.seat("c1", cid, "person");
  await floor.speak("c1", ann, "welcome");
  await stranger.find((frame) => wordsIn(frame).includes("welcome"), "the welcome");
  expect(stranger.frames.items.flatMap(wordsIn)).toEqual(["welcome"]);
  await stranger.close();
});

test("a stream of a conversation that does not exist yet shows it from its beginning", async () => {
  floor = await startTestFloor({ retries: "default" });
  const early = await openSocket(floor, { speaker: ann, conversation: "c1" });
  await floor.openConversation("c1", [ann]);
  await floor.speak("c1", ann, "first");
  await early.find((frame) => wordsIn(frame).includes("first"), "the first word");
  await early.close();
});

test("a removed conversant still reads the entries of its time", async () => {
  floor = await startTestFloor({ retries: "default" });
  await floor.openConversation("c1", [ann, bob]);
  await floor.speak("c1", ann, "for both");
  await floor.post("/api/v1/conversations/c1/remove", { speakerUri: bob });
  await floor.speak("c1", ann, "for me");
  const former = await openSocket(floor, { speaker: bob, conversation: "c1" });
  await former.find((frame) => wordsIn(frame).includes("for both"), "what it saw");
  expect(former.frames.items.flatMap(wordsIn)).toEqual(["for both"]);
  await former.close();
});

test("an answer that names a foreign conversation neither waits for that conversation nor reveals it", async () => {
  floor = await startTestFloor({ retries: "default", deliveryLimits: { retryMs: 5_000 } });
  const other = "tag:bot.example,2026:other";
  const deliveries: string[] = [];
  const agents = new Map<string, Awaited<ReturnType<typeof openSocket>>>();
  for (const [id, owner, name] of [
    ["mine", ann, bot],
    ["foreign", bob, other],
  ] as const) {
    await floor.openConversation(id, [owner], [name]);
    const agent = await openSocket(floor, { speaker: name, as: "agent" });
    agents.set(name, agent);
    await floor.speak(id, owner, "a question", { speakerUri: name });
    const { delivery } = await agent.find((frame) => wordsIn(frame).includes("a question"), "the question");
    deliveries.push(String(delivery));
  }
  // Both have the same id within their conversations.
  expect(new Set(deliveries.map((name) => name.split(":").at(-1))).size).toBe(1);
  const [mine, others] = [agents.get(bot), agents.get(other)];
  mine?.send({ ...envelopeOf("foreign", bot, [utterance(bot, "?")]), inReplyTo: deliveries[0], id: "a-1" });
  expect(await mine?.find(({ ack, nack }) => (ack ?? nack) === "a-1", "an answer")).toEqual({ ack: "a-1", seq: [] });
  others?.send({ ...envelopeOf("foreign", other, []), inReplyTo: deliveries[1], id: "b-1" });
  expect(await others?.find(({ ack }) => ack === "b-1", "an ack")).toMatchObject({ seq: [expect.any(Number)] });
  for (const agent of agents.values()) await agent.close();
});
