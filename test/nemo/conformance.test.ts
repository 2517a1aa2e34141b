// N1 to N6, N12, N13, N15, N17: a stock NeMo client talks to agents at our nemo.floor.
import { expect, test } from "vitest";
import { useNemoFloor, wordsOf } from "./nemo-floor.ts";
import { type Cue, stepsFeature } from "./scripted-agents.ts";
import { refusalOf } from "./stock-connection.ts";

const nemo = useNemoFloor();

const echo = (name: string) => nemo.agents.start(name, (cue) => cue.say(`you said ${cue.text}`));

test.concurrent("N1 a client connects with its session and conversation_id, gets no frame, and starts the conversation", async () => {
  const alice = await echo("Alice");
  const client = await nemo.floor.visit({ agents: [alice] });
  expect((await nemo.floor.get(`/api/v1/conversations/${client.conversation}`)).status).toBe(404);
  const bubble = await client.ask("hi");
  expect(wordsOf(bubble.text, "Alice")).toBe("you said hi");
  expect(client.frames[0]).toMatchObject({ conversation_id: client.conversation });
  expect(alice.cues.items).toMatchObject([{ conversation: client.conversation, text: "hi" }]);
  expect(client.faults).toEqual([]);
});

test.concurrent("N1 a client that only connects gets no frame, and no conversation is created", async () => {
  const client = await nemo.floor.visit();
  await client.cut();
  client.provoke("?");
  await client.until(() => client.frames.length > 0, "an answer");
  expect(client.frames[0]).toMatchObject({ type: "error_message" });
  expect((await nemo.floor.get(`/api/v1/conversations/${client.conversation}`)).status).toBe(404);
});

test.concurrent.each(["bad session", "a/b", "ä"])("N2 the session %j is refused with 403", async (session) => {
  expect(await refusalOf({ url: nemo.floor.url, session: "", query: { session } })).toBe(403);
});

test.concurrent.each([
  ["chat", false],
  ["chat_stream", true],
  ["generate", false],
  ["generate_stream", true],
])("N3 a message of schema type %s is answered; streamed: %s", async (schemaType, isStreamed) => {
  const alice = await nemo.agents.start("Alice", () => {});
  const client = await nemo.floor.visit({ agents: [alice] });
  client.say("hi", { schema_type: schemaType });
  const [cue] = await alice.cues.until((all) => all.length === 1, "the question");
  const story = (cue as Cue).stream();
  story.write("one ");
  if (isStreamed) await client.sees("one ");
  story.write("two");
  story.finish("one two");
  expect(wordsOf((await client.done()).text, "Alice")).toBe("one two");
  const pieces = client.frames.filter(
    ({ type, status }) => type === "system_response_message" && status === "in_progress",
  );
  if (!isStreamed) expect(pieces).toHaveLength(1);
  expect(client.faults).toEqual([]);
});

test.concurrent("N4 deltas come while an agent speaks, add up to its text, and end with complete and null", async () => {
  const alice = await nemo.agents.start("Alice", () => {});
  const client = await nemo.floor.visit({ agents: [alice] });
  client.say("tell me");
  const [cue] = await alice.cues.until((all) => all.length === 1, "the question");
  const story = (cue as Cue).stream();
  story.write("Once ");
  await client.sees("Once ");
  story.write("upon\n");
  await client.sees("Once upon\n");
  story.finish("Once upon\na time");
  const bubble = await client.done();
  expect(wordsOf(bubble.text, "Alice")).toBe("Once upon\na time");
  expect(client.frames.at(-2)).toMatchObject({ status: "complete", content: { text: null } });
  expect(client.faults).toEqual([]);
});

test.concurrent("N4 two agents that speak at the same time are named, and their texts are never mixed", async () => {
  const alice = await nemo.agents.start("Alice", () => {});
  const bob = await nemo.agents.start("Bob", () => {});
  const client = await nemo.floor.visit({ agents: [alice, bob] });
  client.say("both of you");
  const [first] = await alice.cues.until((all) => all.length === 1, "Alice's cue");
  const [second] = await bob.cues.until((all) => all.length === 1, "Bob's cue");
  const hers = (first as Cue).stream();
  hers.write("a1 ");
  await client.sees("a1 ");
  const his = (second as Cue).stream();
  his.write("b1 ");
  hers.write("a2 ");
  await client.sees("a2 ");
  his.write("b2");
  his.finish("b1 b2");
  hers.write("a3");
  hers.finish("a1 a2 a3");
  const { text } = await client.done();
  expect(text.trim().replaceAll(/\s+/gu, " ")).toBe("**Alice:** a1 a2 a3 **Bob:** b1 b2");
  expect(client.faults).toEqual([]);
});

test.concurrent("N5 every frame carries the conversation id and, except for steps, the id of the message it answers", async () => {
  const alice = await echo("Alice");
  const client = await nemo.floor.visit({ agents: [alice] });
  const ids = [client.say("one"), "", ""];
  await client.done();
  ids[1] = client.say("two");
  await client.done();
  const shown = client.frames.filter(({ type }) => type !== "system_intermediate_message");
  expect(new Set(shown.map((frame) => frame.parent_id))).toEqual(new Set(ids.slice(0, 2)));
  expect(new Set(client.frames.map((frame) => frame.conversation_id))).toEqual(new Set([client.conversation]));
  expect(client.faults).toEqual([]);
});

test.concurrent("N6 an event of the floor is a step, under a parent that the client has", async () => {
  const alice = await echo("Alice");
  const client = await nemo.floor.visit({ agents: [alice] });
  const { steps } = await client.ask("hi");
  const names = steps.map(({ name }) => name);
  expect(names).toContain("Floor");
  expect(names).toContain("Alice joined");
  expect(names.join("\n")).toMatch(/ invited Alice$/mu);
  expect(client.faults).toEqual([]);
});

test.concurrent("N6 an agent's steps keep their ids, have their parents, and are safe as HTML", async () => {
  const alice = await nemo.agents.start("Alice", (cue) => {
    const outer = { id: "outer", name: "Function Start: <workflow>", payload: "<b>bold</b> & more" };
    const inner = { id: "inner", parent: "outer", name: "Tool: calc", payload: "1 + 1" };
    cue.say("two", { features: stepsFeature(outer, inner) });
  });
  const client = await nemo.floor.visit({ agents: [alice] });
  const { steps } = await client.ask("hi");
  const outer = steps.find(({ name }) => name.includes("workflow"));
  const inner = steps.find(({ name }) => name.includes("calc"));
  expect(outer?.payload).toContain("&lt;b&gt;bold");
  expect(inner).toMatchObject({ parent: outer?.id, payload: expect.stringContaining("1 + 1") });
  expect(client.faults).toEqual([]);
});

test.concurrent("N12 content that is a plain string, as on the published page, is accepted", async () => {
  const alice = await echo("Alice");
  const client = await nemo.floor.visit({ agents: [alice] });
  const whole = await client.ask("", { content: { messages: [{ role: "user", content: "as a text" }] } });
  expect(wordsOf(whole.text, "Alice")).toBe("you said as a text");
  const bare = await client.ask("", { content: "even barer" });
  expect(wordsOf(bare.text, "Alice")).toBe("you said even barer");
  expect(client.faults).toEqual([]);
});

test.concurrent("N12 of a whole history only the last message of the person is uttered", async () => {
  const alice = await echo("Alice");
  const client = await nemo.floor.visit({ agents: [alice] });
  const said = (role: string, text: string) => ({ role, content: [{ type: "text", text }] });
  const messages = [said("user", "Hello"), said("assistant", "im good"), said("user", "solve this question")];
  expect(wordsOf((await client.ask("", { content: { messages } })).text, "Alice")).toBe("you said solve this question");
  expect(alice.cues.items.map(({ text }) => text)).toEqual(["solve this question"]);
  expect(client.faults).toEqual([]);
});

test.concurrent("N13 a second message stops the agent that works on the first, and is answered", async () => {
  const alice = await nemo.agents.start("Alice", (cue) => {
    if (cue.text !== "long") return cue.say(`at once: ${cue.text}`);
    cue.stream().write("a very long ");
    return undefined;
  });
  const client = await nemo.floor.visit({ agents: [alice] });
  client.say("long");
  await client.sees("a very long ");
  const first = client.last();
  const second = await client.ask("short");
  expect(await alice.cues.items[0]?.cut).toBe(true);
  expect(wordsOf(second.text, "Alice")).toBe("at once: short");
  expect(first.status).toBe("working");
  expect(wordsOf((await client.ask("again")).text, "Alice")).toBe("at once: again");
  expect(client.frames.filter(({ status }) => status === "complete")).toHaveLength(2);
  expect(client.faults).toEqual([]);
});

test.concurrent("N13 Stop sends nothing; the next message is answered without text of the stopped answer", async () => {
  const alice = await nemo.agents.start("Alice", (cue) => {
    if (cue.text === "go on") return cue.say("here you are");
    const story = cue.stream();
    story.write("blah ");
    return undefined;
  });
  const client = await nemo.floor.visit({ agents: [alice] });
  client.say("talk");
  await client.sees("blah ");
  client.stop();
  expect(wordsOf((await client.ask("go on")).text, "Alice")).toBe("here you are");
  expect(client.faults).toEqual([]);
});

test.concurrent("N15 the trace comes directly after complete; the log and the agent have the same trace id", async () => {
  const alice = await echo("Alice");
  const client = await nemo.floor.visit({ agents: [alice] });
  await client.ask("warm up");
  const { trace } = await client.ask("hi");
  expect(trace).toMatch(/^[\da-f]{32}$/u);
  expect(String(alice.cues.items[1]?.headers.traceparent).split("-")[1]).toBe(trace);
  const spoken = (await nemo.floor.log(client.conversation)).filter(({ event }) =>
    JSON.stringify(event ?? "").includes("you said hi"),
  );
  expect(spoken.map((entry) => entry.trace)).toEqual([trace]);
  expect(client.faults).toEqual([]);
});

test.concurrent("N17 a client gets only frame types it knows, in all situations", async () => {
  const alice = await nemo.agents.start("Alice", (cue) =>
    cue.text === "fail"
      ? cue.fail(500, "boom")
      : cue.say("fine", { features: stepsFeature({ id: "1", name: "Tool: x", payload: "y" }) }),
  );
  const client = await nemo.floor.visit({ agents: [alice], kind: "page" });
  expect(await client.ask("work")).toMatchObject({ status: "completed" });
  expect(await client.ask("fail")).toMatchObject({ status: "failed", errors: [expect.stringContaining("Alice")] });
  expect(client.faults).toEqual([]);
});
