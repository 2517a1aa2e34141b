import { createAgent, listen } from "@plenary/sdk";
import { afterAll, beforeAll, expect, test } from "vitest";
import WebSocket from "ws";
import { ann, said, textOf, utterance } from "../support/envelopes.ts";
import { answer, startAgent, textsIn } from "../support/http-agent.ts";
import { startTestFloor, type TestFloor, token } from "../support/start-test-floor.ts";
import { patience } from "../support/wait-for.ts";
import { startAgentWithEventTypesOfItsOwn } from "./agent-with-event-types-of-its-own.ts";

let floor: TestFloor;
beforeAll(async () => {
  floor = await startTestFloor();
});
afterAll(() => floor.close());

const unknown = { eventType: "typingIndicator", to: { private: "who knows" }, parameters: { secret: "hush" } };
const uninviteNobody = { eventType: "uninvite", to: { speakerUri: "tag:nobody.example,2026:1" } };

test("the floor accepts the rest of an envelope with an unknown event type and reports the refusal", async () => {
  const words = utterance(ann, "hello");
  const { status, body } = await floor.send("unknown-1", [unknown, words, unknown, { eventType: "grantFloor" }]);
  expect(status).toBe(200);
  expect(body.refused).toEqual([
    { index: 0, because: "1.9/unknown-event-type", problem: expect.stringContaining('"typingIndicator"') },
    { index: 2, because: "1.9/unknown-event-type", problem: expect.stringContaining('"typingIndicator"') },
    { index: 3, because: "1.8/no-addressee", problem: expect.any(String) },
  ]);
  const log = await floor.log("unknown-1", ann);
  expect(log.flatMap(({ event }) => textOf(event) ?? [])).toEqual(["hello"]);
  const received = log.find(({ kind }) => kind === "received");
  expect(received?.leftOut).toEqual([
    { index: 0, because: "1.9/unknown-event-type" },
    { index: 2, because: "1.9/unknown-event-type" },
  ]);
  expect(JSON.stringify(log)).not.toContain("hush");
});

test("an envelope with only unknown event types is refused with 400", async () => {
  await floor.say("unknown-2", "hello");
  const { status, body } = await floor.send("unknown-2", [unknown]);
  expect({ status, body }).toMatchObject({
    status: 400,
    body: { pointer: "/openFloor/events/0/eventType", detail: expect.stringContaining('"typingIndicator"') },
  });
});

test("a request that is repeated gets the same refusals", async () => {
  const headers = { "idempotency-key": "again" };
  const events = [unknown, utterance(ann, "once", { id: "once-1" })];
  const first = await floor.send("unknown-3", events, { headers });
  const second = await floor.send("unknown-3", events, { headers });
  expect(second.body.refused).toEqual(first.body.refused);
  expect(first.body.refused).toMatchObject([{ index: 0 }]);
});

test("a frame with an unknown event type is acknowledged with the refusal", async () => {
  await floor.say("unknown-4", "hello");
  const address = `${floor.url.replace("http", "ws")}/openfloor/ws?speaker=${encodeURIComponent(ann)}&conversation=unknown-4`;
  const socket = new WebSocket(address, { headers: { authorization: `Bearer ${token}` } });
  const frames: Record<string, unknown>[] = [];
  socket.on("message", (data) => frames.push(JSON.parse(String(data))));
  await new Promise((resolve) => socket.once("open", resolve));
  const about = { schema: { version: "1.1.0" }, conversation: { id: "unknown-4" }, sender: { speakerUri: ann } };
  socket.send(JSON.stringify({ openFloor: { ...about, events: [utterance(ann, "by socket"), unknown] }, id: "f1" }));
  await expect
    .poll(() => frames.find(({ ack }) => ack === "f1"), patience)
    .toMatchObject({
      refused: [{ index: 1, because: "1.9/unknown-event-type" }],
    });
  socket.close();
});

test("an agent's answer loses only events of unknown types, and an utterance without a speaker is the agent's own", async () => {
  const agent = await startAgentWithEventTypesOfItsOwn();
  await floor.invite("unknown-5", agent);
  const answered = await floor.say("unknown-5", "hello");
  expect(said(answered)).toEqual([[agent.speakerUri, "I heard hello"]]);
  await expect
    .poll(async () => JSON.stringify(await floor.state("unknown-5")), patience)
    .toContain('"conversationalName":"Typist"');
  const { conversants } = await floor.state("unknown-5");
  expect(conversants.map(({ identification }) => identification.speakerUri)).toContain(agent.speakerUri);
});

test("the log keeps the position and the rule of each event that an agent's answer lost", async () => {
  const agent = await startAgent((heard, me) => {
    const words = textsIn(heard).flatMap((text) => [
      utterance(me.speakerUri, ""),
      unknown,
      utterance(me.speakerUri, `I heard ${text}`),
    ]);
    return answer(heard, me, ...words);
  });
  await floor.invite("unknown-6", agent);
  expect(said(await floor.say("unknown-6", "hello"))).toEqual([[agent.speakerUri, "I heard hello"]]);
  const log = await floor.log("unknown-6", agent.speakerUri);
  const received = log.filter(({ kind, sender }) => kind === "received" && sender === agent.speakerUri);
  expect(received.at(-1)?.leftOut).toEqual([
    { index: 0, because: "1.8/unusable-event" },
    { index: 1, because: "1.9/unknown-event-type" },
  ]);
  expect(JSON.stringify(log)).not.toContain("hush");
});

test("an agent of ours leaves an unknown event type out and answers the rest", async () => {
  const speakerUri = "tag:agents.example,2026:echo";
  const manifest = {
    identification: { speakerUri, organization: "Example", conversationalName: "Echo", synopsis: "Repeats." },
    capabilities: [],
  };
  const agent = createAgent({ manifest, onUtterance: ({ text }) => `You said ${text}` });
  const listening = await listen(agent, { port: 0 });
  const ask = async (events: object[]) => {
    const about = { schema: { version: "1.1.0" }, conversation: { id: "c" }, sender: { speakerUri: ann } };
    const body = JSON.stringify({ openFloor: { ...about, events } });
    const response = await fetch(listening.url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    const text = await response.text();
    return { status: response.status, text };
  };
  const toEcho = { to: { speakerUri } };
  const answered = await ask([unknown, utterance(ann, "hello", toEcho), uninviteNobody]);
  expect(answered).toMatchObject({ status: 200, text: expect.stringContaining("You said hello") });
  expect(await ask([unknown])).toMatchObject({ status: 200, text: expect.stringContaining('"events":[]') });
  await listening.close();
});
