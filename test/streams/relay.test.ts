import { type ConversationLog, createMemoryStore } from "@plenary/server";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ann, bob, bot, envelopeOf, type Json, utterance, wordsIn } from "../support/envelopes.ts";
import { startTestFloor, type TestFloor, token } from "../support/start-test-floor.ts";
import { openSocket } from "../support/test-client.ts";

let floor: TestFloor;

beforeEach(async () => {
  floor = await startTestFloor({ retries: "default" });
});

afterEach(async () => {
  await floor.close();
  expect(floor.errors).toEqual([]);
});

const elsewhere = "tag:elsewhere.example,2026:carol";

/** Posts like another floor: without a token of ours. */
async function post(speakerUri: string, body: Json, headers: Record<string, string> = {}) {
  const response = await fetch(floor.relayUrl(speakerUri), {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Json };
}

const greeting = () => envelopeOf("far-away", elsewhere, [utterance(elsewhere, "hello from afar")]);

test("an envelope of another floor reaches a socket agent, whose answer is the response", async () => {
  const agent = await openSocket(floor, { speaker: bot, as: "agent" });
  const response = post(bot, greeting(), { "webhook-id": "their-7" });
  const frame = await agent.find(({ delivery }) => delivery !== undefined, "the delivery");
  expect(wordsIn(frame)).toEqual(["hello from afar"]);
  expect(frame.delivery).toContain("their-7");
  agent.send({ ...envelopeOf("far-away", bot, [utterance(bot, "hello back")]), inReplyTo: frame.delivery });
  const { status, body } = await response;
  expect(status).toBe(200);
  expect(body).toMatchObject({ openFloor: { sender: { speakerUri: bot }, conversation: { id: "far-away" } } });
  expect(wordsIn(body)).toEqual(["hello back"]);
  await agent.close();
});

test("two floors with the same delivery id get their own answers", async () => {
  const agent = await openSocket(floor, { speaker: bot, as: "agent" });
  const ids = { "webhook-id": "1" };
  const responses = ["one", "two"].map((id) =>
    post(bot, envelopeOf("far-away", elsewhere, [utterance(elsewhere, id)]), ids),
  );
  const frames = await agent.frames.until((all) => all.length === 2, "both");
  expect(new Set(frames.map(({ delivery }) => delivery)).size).toBe(2);
  for (const frame of [...frames].reverse()) {
    const answer = envelopeOf("far-away", bot, [utterance(bot, `re: ${wordsIn(frame)}`)]);
    agent.send({ ...answer, inReplyTo: frame.delivery, id: String(frame.delivery) });
    await agent.find(({ ack }) => ack === frame.delivery, "an ack");
  }
  expect((await Promise.all(responses)).flatMap(({ body }) => wordsIn(body))).toEqual(["re: one", "re: two"]);
  await agent.close();
});

test("an agent that does not answer in time counts as silent", async () => {
  const quick = await startTestFloor({ retries: "default", streams: { limits: { relayAnswerMs: 1 } } });
  const agent = await openSocket(quick, { speaker: bot, as: "agent" });
  const response = await fetch(quick.relayUrl(bot), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(greeting()),
  });
  expect(await response.json()).toMatchObject({ openFloor: { sender: { speakerUri: bot }, events: [] } });
  await agent.close();
  await quick.close();
});

test("an envelope to an agent that is not connected is refused with 503", async () => {
  const agent = await openSocket(floor, { speaker: bot, as: "agent" });
  await agent.close();
  expect((await post(bot, greeting())).status).toBe(503);
});

/** Another floor invites Ann while her client is connected, which then disconnects. */
async function inviteAnn() {
  await floor.openConversation("c1", [ann]);
  const client = await openSocket(floor, { speaker: ann });
  const invite = { eventType: "invite", to: { speakerUri: ann } };
  const { status, body } = await post(ann, envelopeOf("far-away", elsewhere, [invite]));
  expect(status).toBe(200);
  expect(body).toMatchObject({
    openFloor: { sender: { speakerUri: ann, serviceUrl: floor.relayUrl(ann) }, events: [] },
  });
  await client.find((frame) => JSON.stringify(frame).includes('"invite"'), "the invite");
  await client.close();
}

test("later events of another floor enter a person's view, and are kept there while the person is away", async () => {
  await inviteAnn();
  expect((await post(ann, greeting())).status).toBe(200);
  const client = await openSocket(floor, { speaker: ann });
  const { id } = await client.find((frame) => wordsIn(frame).includes("hello from afar"), "the greeting");
  await post(ann, envelopeOf("far-away", elsewhere, [utterance(elsewhere, "are you there?")]));
  await client.find((frame) => wordsIn(frame).includes("are you there?"), "the question");
  await client.close();
  const again = await openSocket(floor, { speaker: ann, after: String(id) });
  await again.find((frame) => wordsIn(frame).includes("are you there?"), "the question");
  expect(again.frames.items.flatMap(wordsIn)).toEqual(["are you there?"]);
  await again.close();
});

test("a relay address does not let a caller speak in, or detect, a conversation of this floor", async () => {
  await floor.openConversation("c1", [ann, bob]);
  const client = await openSocket(floor, { speaker: ann });
  const forged = envelopeOf("c1", bob, [utterance(bob, "forged")]);
  const there = await post(ann, forged);
  const nowhere = await post(ann, envelopeOf("c2", bob, [utterance(bob, "of elsewhere")]));
  expect(there.status).toBe(403);
  expect(there.body.fix).toContain(`${floor.url}/openfloor`);
  expect(JSON.stringify(there)).toBe(JSON.stringify(nowhere).replaceAll("c2", "c1"));
  await floor.speak("c1", ann, "of here");
  await client.find((frame) => wordsIn(frame).includes("of here"), "what came after it");
  expect(client.frames.items.flatMap(wordsIn)).toEqual(["of here"]);
  await client.close();
});

test("a person who was away gets the newest of the large envelopes that fit into the box", async () => {
  await inviteAnn();
  const large = (turn: number) => `${turn} ${"x".repeat(450_000)}`;
  for (const turn of [1, 2, 3, 4]) {
    // Without a credential these envelopes would be too large.
    const headers = { authorization: `Bearer ${token}` };
    const { status } = await post(ann, envelopeOf("far-away", elsewhere, [utterance(elsewhere, large(turn))]), headers);
    expect(status).toBe(200);
  }
  const client = await openSocket(floor, { speaker: ann });
  await client.find((frame) => wordsIn(frame).includes(large(4)), "the newest");
  expect(client.frames.items.flatMap(wordsIn).map((text) => text.slice(0, 1))).toEqual(["3", "4"]);
  await client.close();
});

test("the kind of a speaker is not looked up again for each envelope to it", async () => {
  const store = createMemoryStore();
  let lookUps = 0;
  const list: ConversationLog["list"] = (query) => {
    if (query.speaker === ann) lookUps += 1;
    return store.log.list(query);
  };
  const busy = await startTestFloor({ retries: "default", store: { ...store, log: { ...store.log, list } } });
  await busy.openConversation("c1", [ann]);
  const body = JSON.stringify(greeting());
  const headers = { "content-type": "application/json" };
  const sent = () => fetch(busy.relayUrl(ann), { method: "POST", headers, body }).then(({ status }) => status);
  expect(await Promise.all(Array.from({ length: 10 }, sent))).toEqual(Array(10).fill(403));
  expect(await sent()).toBe(403);
  expect(lookUps).toBe(1);
  // A speaker that connects as an agent is not a person any more.
  const agent = await openSocket(busy, { speaker: ann, as: "agent" });
  await agent.close();
  expect(await sent()).toBe(503);
  await busy.close();
});

test("a relay address has the exact form that we write, and accepts envelopes", async () => {
  const { status } = await fetch(`${floor.url}/openfloor/at/%21%21`, { method: "POST", body: "{}" });
  expect(status).toBe(404);
  expect((await post(ann, { openFloor: 7 })).status).toBe(400);
  expect((await post(ann, greeting(), { origin: "https://evil.example" })).status).toBe(403);
});

test("a person who is invited at its relay address while connected joins, and gets the utterances", async () => {
  await floor.openConversation("c1", [ann]);
  const viewer = await openSocket(floor, { speaker: bob });
  const to = { speakerUri: bob, serviceUrl: floor.relayUrl(bob) };
  await floor.post("/openfloor", envelopeOf("c1", ann, [{ eventType: "invite", to }]));
  await floor.speak("c1", ann, "welcome");
  await viewer.find((frame) => wordsIn(frame).includes("welcome"), "the welcome");
  await viewer.close();
});
