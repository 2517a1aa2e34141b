// The steps of an agent (D43), seen by NeMo clients before the first word of the answer.
import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import type { Json } from "./frame-checks.ts";
import { linesOf, postTo, user } from "./http-client.ts";
import { useNemoFloor, wordsOf } from "./nemo-floor.ts";
import { stepsFeature } from "./scripted-agents.ts";
import { userMessage } from "./stock-client.ts";

const nemo = useNemoFloor();

const searching = { id: "s1", title: "Searching flights", detail: "LHR <b>", state: "running" };
const silent = () => {};

test.concurrent("the stock client sees steps of a streaming agent before its text, and none twice", async () => {
  const alice = await nemo.agents.start("Alice", silent);
  const client = await nemo.floor.visit({ agents: [alice] });
  client.say("flights?");
  const [cue] = await alice.cues.until(({ length }) => length > 0, "the question");
  const stream = cue?.stream();
  stream?.step(searching);
  const bubble = client.last();
  const shown = () => bubble.steps.find(({ name }) => name === "Searching flights");
  await client.until(() => shown() !== undefined, "the step");
  expect(bubble.text).toBe("");
  const agent = bubble.steps.find(({ name }) => name === "Agent: Alice");
  expect(shown()).toMatchObject({ parent: agent?.id, payload: "**Running**\n\nLHR &lt;b&gt;" });
  stream?.step({ id: "s2", parent: "s1", title: "Calling Heathrow", state: "failed" });
  await client.until(() => bubble.steps.some(({ name }) => name === "Calling Heathrow"), "the step below");
  stream?.step({ ...searching, detail: "3 found", state: "done" });
  stream?.write("Three.");
  stream?.finish("Three.", { features: stepsFeature({ id: "s1", name: "Tool: search", payload: "3 found" }) });
  const { text, steps } = await client.done();
  expect(wordsOf(text, "Alice")).toBe("Three.");
  expect(steps.filter(({ name }) => /search/iu.test(name))).toEqual([
    { id: shown()?.id, parent: agent?.id, name: "Searching flights", payload: "**Done**\n\n3 found" },
  ]);
  expect(steps.find(({ name }) => name === "Calling Heathrow")).toMatchObject({
    parent: shown()?.id,
    payload: "**Failed**",
  });
  expect(client.faults).toEqual([]);
  expect(JSON.stringify(await nemo.floor.log(client.conversation))).not.toContain("Searching flights");
});

test.concurrent("steps of the answer to a whisper reach the whisperer only", async () => {
  const alice = await nemo.agents.start("Alice", silent);
  const client = await nemo.floor.visit({ agents: [alice] });
  client.say("psst", { to: "Alice", private: true });
  const [cue] = await alice.cues.until(({ length }) => length > 0, "the whisper");
  const bob = "tag:people.example,2026:bob";
  const seat = { identification: { speakerUri: bob, conversationalName: "Bob" }, kind: "person" };
  await nemo.floor.post(`/api/v1/conversations/${client.conversation}/seat`, seat);
  const others = await nemo.floor.onlooker({ conversation: client.conversation, from: bob });
  const stream = cue?.stream();
  stream?.step({ ...searching, title: "canary-43" });
  const bubble = client.last();
  await client.until(() => bubble.steps.some(({ name }) => name === "canary-43"), "the step");
  stream?.finish("It is done.", { to: { speakerUri: cue?.from, private: true } });
  await client.done();
  await nemo.floor.unasked(client.conversation, alice, "This is for everybody.");
  await others.saw("This is for everybody.");
  expect(others.all()).not.toContain("canary-43");
  others.close();
});

test.concurrent("over HTTP steps are lines before the text", async () => {
  const alice = await nemo.agents.start("Alice", silent);
  const response = await postTo(nemo.floor, {
    path: "/chat/stream",
    body: { messages: [user("flights?")] },
    agents: [alice],
  });
  const [cue] = await alice.cues.until(({ length }) => length > 0, "the question");
  const stream = cue?.stream();
  stream?.step(searching);
  let [words, isStepFirst] = ["", false];
  for await (const { field, value } of linesOf(response)) {
    if (field === "intermediate_data" && JSON.parse(value).name === "Searching flights" && !isStepFirst) {
      isStepFirst = words === "";
      stream?.write("Three.");
      stream?.finish("Three.");
    }
    if (field === "data" && value !== "[DONE]") words += JSON.parse(value).choices[0].delta.content ?? "";
  }
  expect([isStepFirst, wordsOf(words, "Alice")]).toEqual([true, "Three."]);
});

test.concurrent("two chats on one socket, and two turns of each, have no step id in common", async () => {
  const alice = await nemo.agents.start("Alice", (cue) => {
    const stream = cue.stream();
    stream.step(searching);
    stream.finish("Three.");
  });
  const client = await nemo.floor.visit({ agents: [alice] });
  const chats = [client.conversation, randomUUID()];
  const stepsOf = (chat: string) =>
    client.frames.filter((frame) => frame.type === "system_intermediate_message" && frame.conversation_id === chat);
  const ends = (chat: string) =>
    client.frames.filter((frame: Json) => frame.conversation_id === chat && frame.status === "complete").length;
  const turns: string[][] = [];
  for (const turn of [1, 2]) {
    for (const chat of chats) {
      const before = stepsOf(chat).length;
      client.provoke(userMessage(randomUUID(), chat, "hi"));
      await client.until(() => ends(chat) === turn, `the end of turn ${turn}`);
      turns.push([
        ...new Set(
          stepsOf(chat)
            .slice(before)
            .map((frame) => String(frame.id)),
        ),
      ]);
    }
  }
  expect(turns.map(({ length }) => length > 0)).toEqual([true, true, true, true]);
  const ids = turns.flat();
  expect(new Set(ids).size).toBe(ids.length);
});
