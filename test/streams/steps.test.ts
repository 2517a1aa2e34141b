// Steps of an agent while it composes (D43): on every transport, and only for readers of the answer.
import { createAgent } from "@plenary/sdk";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ann, bob, bot, envelopeOf, type Json, utterance, wordsIn } from "../support/envelopes.ts";
import { startTestFloor, type TestFloor } from "../support/start-test-floor.ts";
import { type Client, openEvents, openSocket } from "../support/test-client.ts";

let floor: TestFloor;

beforeEach(async () => {
  floor = await startTestFloor({ retries: "default" });
});

afterEach(async () => {
  await floor.close();
  expect(floor.errors).toEqual([]);
});

const searching = { id: "1", title: "Searching flights", state: "running" };
const found = { ...searching, detail: "3 found", state: "done" };
const toBot = { speakerUri: bot };

const stepsIn = (frames: readonly Json[]) =>
  frames.flatMap(({ draft }) => ((draft as Json | undefined)?.step ?? []) as Json | []);
const isEnd = ({ draft }: Json) => (draft as Json | undefined)?.end !== undefined;
const delivered = (agent: Client, words: string) => agent.find((frame) => wordsIn(frame).includes(words), words);

test("steps of a socket agent come before its text, to sockets and event streams, and are in no log", async () => {
  await floor.openConversation("c1", [ann], [bot]);
  const agent = await openSocket(floor, { speaker: bot, as: "agent" });
  const viewer = await openSocket(floor, { speaker: ann, conversation: "c1" });
  const stream = await openEvents(floor, { speaker: ann });
  await floor.speak("c1", ann, "flights?", toBot);
  const { delivery: inReplyTo } = await delivered(agent, "flights?");
  const about = { inReplyTo, dialogEventId: "answer" };
  agent.send({ draft: { ...about, step: searching } });
  await viewer.find(({ draft }) => draft !== undefined, "the first step");
  agent.send({ draft: { ...about, step: found } });
  agent.send({ draft: { ...about, delta: "three" } });
  agent.send({ ...envelopeOf("c1", bot, [utterance(bot, "three", { id: "answer" })]), inReplyTo });
  await viewer.find(isEnd, "the end");
  const [first] = viewer.frames.items.filter(({ draft }) => draft !== undefined);
  const draft = { conversation: "c1", speakerUri: bot, dialogEventId: "answer", step: searching };
  expect(first).toEqual({ draft });
  expect(stepsIn(viewer.frames.items)).toEqual([searching, found]);
  const events = await stream.events.until((all) => all.some(({ data }) => data?.includes('"final"')), "the end");
  const drafts = events.filter(({ event }) => event === "draft").map(({ data }) => JSON.parse(data ?? "") as Json);
  expect(stepsIn(drafts)).toEqual([searching, found]);
  const text = JSON.stringify(await floor.get("/api/v1/conversations/c1/log?limit=1000"));
  expect(text).toContain("three");
  expect(text).not.toContain("Searching flights");
  for (const client of [agent, viewer, stream]) await client.close();
});

test("steps of the answer to a whisper reach the whisperer only", async () => {
  await floor.openConversation("c1", [ann, bob], [bot]);
  const agent = await openSocket(floor, { speaker: bot, as: "agent" });
  const [mine, others] = [
    await openSocket(floor, { speaker: ann, conversation: "c1" }),
    await openSocket(floor, { speaker: bob }),
  ];
  await floor.speak("c1", ann, "psst", { ...toBot, private: true });
  const { delivery: inReplyTo } = await delivered(agent, "psst");
  // The frame does not name the addressee.
  agent.send({ draft: { inReplyTo, dialogEventId: "secret", step: { ...searching, title: "canary-42" } } });
  await mine.find((frame) => stepsIn([frame]).length > 0, "the step");
  agent.send({ ...envelopeOf("c1", bot, []), inReplyTo });
  await mine.find(isEnd, "the end");
  await floor.speak("c1", ann, "the end");
  await others.find((frame) => wordsIn(frame).includes("the end"), "the end");
  expect(others.raw.join("")).not.toContain("canary-42");
  for (const client of [agent, mine, others]) await client.close();
});

test("an invalid step is refused with its place, its rule and the remedy", async () => {
  await floor.openConversation("c1", [ann], [bot]);
  const agent = await openSocket(floor, { speaker: bot, as: "agent" });
  await floor.speak("c1", ann, "flights?", toBot);
  const { delivery: inReplyTo } = await delivered(agent, "flights?");
  agent.send({ draft: { inReplyTo, dialogEventId: "x", step: { ...searching, state: "paused" } } });
  expect(await agent.find((frame) => "nack" in frame, "a nack")).toMatchObject({
    problem: {
      status: 400,
      pointer: "/draft/step/state",
      detail: "state is `running`, `done` or `failed`",
      fix: expect.stringContaining("`done`"),
    },
  });
  await agent.close();
});

test("steps of a hosted agent come before its text", async () => {
  const identification = { speakerUri: bot, organization: "o", conversationalName: "Finder", synopsis: "Finds." };
  let goOn = () => {};
  const seen = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const finder = createAgent({
    manifest: { identification, capabilities: [] },
    async *onUtterance() {
      yield { step: { ...searching, state: "running" } };
      await seen;
      yield "three";
    },
  });
  const hosting = await startTestFloor({
    retries: "default",
    hostedAgents: { names: ["finder"], create: () => finder },
  });
  await hosting.openConversation("c1", [ann]);
  const viewer = await openSocket(hosting, { speaker: ann, conversation: "c1" });
  const to = { serviceUrl: `${hosting.url}/agents/finder`, speakerUri: bot };
  await hosting.post("/openfloor", envelopeOf("c1", ann, [{ eventType: "invite", to }]));
  await viewer.find((frame) => JSON.stringify(frame).includes('"acceptInvite"'), "the acceptance");
  await hosting.speak("c1", ann, "flights?", toBot);
  await viewer.find((frame) => stepsIn([frame]).length > 0, "the step");
  goOn();
  await viewer.find((frame) => wordsIn(frame).includes("three"), "the answer");
  expect(stepsIn(viewer.frames.items)).toEqual([searching]);
  await viewer.close();
  await hosting.close();
  expect(hosting.errors).toEqual([]);
});
