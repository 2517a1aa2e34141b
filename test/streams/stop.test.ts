// D18 for agents that connected to the floor: nothing can be cut, so nothing of what they go on to say counts.
import { afterEach, beforeEach, expect, test } from "vitest";
import { openSocket } from "./clients.ts";
import { ann, bot, envelopeOf, type Json, startFloor, type TestFloor, utteranceOf, wordsIn } from "./floor.ts";

let floor: TestFloor;

beforeEach(async () => {
  floor = await startFloor();
});

afterEach(async () => {
  await floor.close();
  expect(floor.errors).toEqual([]);
});

test("a stopped agent's draft ends as dropped, its next piece is refused, and its answer comes too late", async () => {
  await floor.openConversation("c1", [ann], [bot]);
  const agent = await openSocket(floor, { speaker: bot, as: "agent" });
  const viewer = await openSocket(floor, { speaker: ann, conversation: "c1" });
  await floor.say("c1", ann, "tell me");
  const { delivery } = await agent.find((frame) => wordsIn(frame).includes("tell me"), "the question");
  const about = { inReplyTo: delivery, dialogEventId: "story" };
  agent.send({ draft: about });
  agent.send({ draft: { ...about, delta: "once " } });
  await viewer.find(({ draft }) => draft !== undefined, "a draft");
  expect(await floor.call("/api/v1/conversations/c1/pause", {})).toMatchObject({
    status: 200,
    json: { isPaused: true },
  });
  const ended = await viewer.find(({ draft }) => (draft as Json | undefined)?.end !== undefined, "its end");
  expect(ended).toMatchObject({ draft: { dialogEventId: "story", end: "dropped" } });

  agent.send({ draft: { ...about, delta: "upon" } });
  expect(await agent.find((frame) => "nack" in frame, "a nack")).toMatchObject({ problem: { inReplyTo: delivery } });
  agent.send({
    ...envelopeOf("c1", bot, [utteranceOf(bot, "once upon", { id: "story" })]),
    inReplyTo: delivery,
    id: "a",
  });
  const late = await agent.find(({ ack, nack }) => (ack ?? nack) === "a", "an answer");
  expect(JSON.stringify(late)).toContain("late");

  await floor.say("c1", ann, "never mind");
  await viewer.find((frame) => wordsIn(frame).includes("never mind"), "the end");
  expect(viewer.frames.items.flatMap(wordsIn)).toEqual(["tell me", "never mind"]);
  expect(viewer.raw.join()).not.toContain("upon");
  await agent.close();
  await viewer.close();
});
