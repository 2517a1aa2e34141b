import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ann, bob, bot, envelopeOf, type Json, utterance, wordsIn } from "../support/envelopes.ts";
import { startTestFloor, type TestFloor } from "../support/start-test-floor.ts";
import { type Client, openSocket } from "../support/test-client.ts";

let floor: TestFloor;

beforeEach(async () => {
  floor = await startTestFloor({ retries: "default", deliveryLimits: { inviteRetryMs: 5_000, retryMs: 5_000 } });
});

afterEach(async () => {
  await floor.close();
  expect(floor.errors).toEqual([]);
});

const connect = () => openSocket(floor, { speaker: bot, as: "agent" });

const withWords = (words: string) => (frame: Json) => wordsIn(frame).includes(words);

const delivered = (agent: Client, words: string) => agent.find(withWords(words), JSON.stringify(words));

function answer(agent: Client, frame: Json, events: readonly Json[], more: Json = {}): void {
  const { id } = (frame.openFloor as { conversation: { id: string } }).conversation;
  agent.send({ ...envelopeOf(id, bot, events), inReplyTo: frame.delivery, ...more });
}

const toBot = { speakerUri: bot };

describe("an agent's socket", () => {
  test("gets the utterances, and its answer reaches the conversation", async () => {
    await floor.openConversation("c1", [ann], [bot]);
    const agent = await connect();
    const viewer = await openSocket(floor, { speaker: ann, conversation: "c1" });
    await floor.speak("c1", ann, "hello", toBot);
    const frame = await delivered(agent, "hello");
    expect(frame).toMatchObject({ delivery: expect.any(String), openFloor: { sender: { speakerUri: ann } } });
    expect(frame.seq).toBeUndefined();
    answer(agent, frame, [utterance(bot, "hello ann")], { id: "a-1" });
    const { seq } = await viewer.find(withWords("hello ann"), "the answer");
    const ack = await agent.find(({ ack }) => ack === "a-1", "an ack");
    expect(ack.seq).toContain(seq);
    await agent.close();
    await viewer.close();
  });

  test("is invited at its relay address, without a request over HTTP", async () => {
    await floor.openConversation("c1", [ann]);
    const agent = await connect();
    const viewer = await openSocket(floor, { speaker: ann, conversation: "c1" });
    const to = { speakerUri: bot, serviceUrl: floor.relayUrl(bot) };
    await floor.post("/openfloor", envelopeOf("c1", ann, [{ eventType: "invite", to }]));
    const invite = await agent.find(({ delivery }) => delivery !== undefined, "the invite");
    expect(JSON.stringify(invite)).toContain('"invite"');
    answer(agent, invite, [{ eventType: "acceptInvite" }]);
    await viewer.find((frame) => JSON.stringify(frame).includes('"acceptInvite"'), "the acceptance");
    await agent.close();
    await viewer.close();
  });

  test("that closes keeps its deliveries, which are repeated in order, with the same id, once", async () => {
    await floor.openConversation("c1", [ann], [bot]);
    const first = await connect();
    await floor.speak("c1", ann, "one", toBot);
    const one = await delivered(first, "one");
    first.ws.terminate();
    await first.closed;
    await floor.speak("c1", ann, "two", toBot);
    const second = await connect();
    const again = await delivered(second, "one");
    expect(again).toEqual(one);
    answer(second, again, []);
    const two = await delivered(second, "two");
    answer(second, two, [], { id: "a-2" });
    await second.find(({ ack }) => ack === "a-2", "an ack");
    expect(second.frames.items.flatMap(wordsIn)).toEqual(["one", "two"]);
    await second.close();
  });

  test("is replaced by a newer socket of the same agent", async () => {
    await floor.openConversation("c1", [ann], [bot]);
    const older = await connect();
    const newer = await connect();
    expect((await older.closed).code).toBe(4009);
    await floor.speak("c1", ann, "hello", toBot);
    answer(newer, await delivered(newer, "hello"), []);
    expect(older.frames.items).toEqual([]);
    await newer.close();
  });

  test("can neither create a conversation nor answer twice", async () => {
    await floor.openConversation("c1", [ann], [bot]);
    const agent = await connect();
    agent.send({ ...envelopeOf("new", bot, [utterance(bot, "mine")]), id: "a-1" });
    expect(await agent.find(({ nack }) => nack === "a-1", "a nack")).toMatchObject({ problem: { status: 404 } });
    await floor.speak("c1", ann, "hello", toBot);
    const frame = await delivered(agent, "hello");
    answer(agent, frame, [], { id: "a-2" });
    await agent.find(({ ack }) => ack === "a-2", "an ack");
    answer(agent, frame, [utterance(bot, "again")], { id: "a-3" });
    const late = await agent.find(({ ack, nack }) => (ack ?? nack) === "a-3", "an answer");
    expect(JSON.stringify(late)).toContain("late");
    await agent.close();
  });

  test("that does not reconnect is given up, and its invite counts as declined", async () => {
    const impatient = await startTestFloor({ retries: "default", deliveryLimits: { inviteRetryMs: 1 } });
    await impatient.openConversation("c1", [ann]);
    const viewer = await openSocket(impatient, { speaker: ann, conversation: "c1" });
    const to = { speakerUri: bot, serviceUrl: impatient.relayUrl(bot) };
    await impatient.post("/openfloor", envelopeOf("c1", ann, [{ eventType: "invite", to }]));
    const declined = await viewer.find((frame) => JSON.stringify(frame).includes('"declineInvite"'), "a refusal");
    expect(JSON.stringify(declined)).toContain("@unavailable");
    await viewer.close();
    await impatient.close();
  });

  test("gets the stop at once, and its answer to the earlier delivery is late", async () => {
    await floor.openConversation("c1", [ann], [bot]);
    const agent = await connect();
    await floor.speak("c1", ann, "hello", toBot);
    const frame = await delivered(agent, "hello");
    await floor.post("/openfloor", envelopeOf("c1", ann, [{ eventType: "revokeFloor", to: toBot }]));
    await agent.find((one) => JSON.stringify(one).includes('"revokeFloor"'), "the revocation");
    answer(agent, frame, [utterance(bot, "too late")], { id: "a-1" });
    const late = await agent.find(({ ack, nack }) => (ack ?? nack) === "a-1", "an answer");
    expect(JSON.stringify(late)).toContain("late");
    await agent.close();
  });

  test("keeps its deliveries while a viewer stream of its name is open", async () => {
    await floor.openConversation("c1", [ann], [bot]);
    const first = await connect();
    await first.close();
    const onlooker = await openSocket(floor, { speaker: bot, conversation: "c1" });
    await floor.speak("c1", ann, "hello", toBot);
    await onlooker.find(withWords("hello"), "the words");
    const agent = await connect();
    await delivered(agent, "hello");
    await agent.close();
    await onlooker.close();
  });

  test("gets a problem when its answer is not an envelope", async () => {
    await floor.openConversation("c1", [ann], [bot]);
    const agent = await connect();
    await floor.speak("c1", ann, "hello", toBot);
    const { delivery } = await delivered(agent, "hello");
    agent.send({ openFloor: 7, inReplyTo: delivery });
    expect(await agent.find((frame) => "nack" in frame, "a nack")).toMatchObject({
      nack: null,
      problem: { status: 400 },
    });
    await agent.close();
  });
});

describe("drafts", () => {
  const drafts = (frames: readonly Json[]) =>
    frames.flatMap(({ draft }) => (draft === undefined ? [] : [draft as Json]));
  const draftEnd = ({ draft }: Json) => (draft as Json | undefined)?.end !== undefined;

  test.each([{}, { view: "brief" }])("reach viewers while an agent composes, and end as final: %j", async (view) => {
    await floor.openConversation("c1", [ann], [bot]);
    const agent = await connect();
    const viewer = await openSocket(floor, { speaker: ann, conversation: "c1", ...view });
    await floor.speak("c1", ann, "tell me", toBot);
    const frame = await delivered(agent, "tell me");
    const about = { inReplyTo: frame.delivery, dialogEventId: "story" };
    agent.send({ draft: about });
    agent.send({ draft: { ...about, delta: "once " } });
    agent.send({ draft: { ...about, delta: "upon" } });
    await viewer.find(({ draft }) => draft !== undefined, "a draft");
    answer(agent, frame, [utterance(bot, "once upon", { id: "story" })]);
    await viewer.find(draftEnd, "its end");
    const seen = drafts(viewer.frames.items);
    expect(seen.map(({ delta = "" }) => delta).join("")).toBe("once upon");
    expect(seen.at(-1)).toMatchObject({ conversation: "c1", speakerUri: bot, dialogEventId: "story", end: "final" });
    await agent.close();
    await viewer.close();
  });

  test("of a whisper reach its addressee alone, and end as dropped when no utterance follows", async () => {
    await floor.openConversation("c1", [ann, bob], [bot]);
    const agent = await connect();
    const [mine, others] = [
      await openSocket(floor, { speaker: ann, conversation: "c1" }),
      await openSocket(floor, { speaker: bob }),
    ];
    await floor.speak("c1", ann, "psst", { ...toBot, private: true });
    const frame = await delivered(agent, "psst");
    const about = { inReplyTo: frame.delivery, dialogEventId: "secret" };
    agent.send({ draft: { ...about, to: { speakerUri: ann, private: true } } });
    agent.send({ draft: { ...about, delta: "canary-23" } });
    await mine.find(({ draft }) => draft !== undefined, "a draft");
    answer(agent, frame, []);
    expect(await mine.find(draftEnd, "its end")).toMatchObject({ draft: { end: "dropped" } });
    await floor.speak("c1", ann, "the end");
    await others.find(withWords("the end"), "the end");
    expect(drafts(others.frames.items)).toEqual([]);
    for (const client of [agent, mine, others]) await client.close();
  });

  test("for an answer that is not awaited are refused", async () => {
    const agent = await connect();
    agent.send({ draft: { inReplyTo: "d9", dialogEventId: "x", delta: "y" } });
    expect(await agent.find((frame) => "nack" in frame, "a nack")).toMatchObject({ problem: { inReplyTo: "d9" } });
    await agent.close();
  });
});
