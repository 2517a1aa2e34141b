// NeMo clients in HTTP mode and clients of OpenAI at a real floor, with agents that are plain HTTP servers.
import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { utterance } from "../support/envelopes.ts";
import { answer, eventsIn, startAgent, textsIn } from "../support/http-agent.ts";
import { allLines, bodyOf, contentOf, contentsOf, user } from "./http-client.ts";
import { useNemoFloor, wordsOf } from "./nemo-floor.ts";
import { type Cue, stepsFeature } from "./scripted-agents.ts";

const { agents, url, post, echo, stateOf, log } = useNemoFloor();

test.concurrent("an OpenAI client gets the text of an agent while the agent speaks", async () => {
  const alice = await agents.start("Alice", () => {});
  const asking = post({ body: { model: "any", stream: true, messages: [user("hi")] }, agents: [alice] });
  const [cue] = await alice.cues.until((cues) => cues.length === 1, "the question");
  const speech = (cue as Cue).stream();
  speech.write("one ");
  const response = await asking;
  expect(response.headers.get("content-type")).toMatch(/^text\/event-stream/u);
  let content = "";
  for await (const delta of contentsOf(response)) {
    content += delta;
    // The agent continues only after its first words were read.
    if (content.endsWith("one ")) speech.finish("one two");
  }
  expect(wordsOf(content, "Alice")).toBe("one two");
});

test.concurrent("a request without a conversation gets the whole answer, and leaves no conversation open", async () => {
  const alice = await echo();
  const response = await post({ body: { model: "gpt-4o", messages: [user("hi")] }, agents: [alice] });
  expect(response.status).toBe(200);
  const conversation = response.headers.get("conversation-id");
  const body = await response.clone().json();
  expect(body).toMatchObject({ object: "chat.completion", model: "gpt-4o", choices: [{ finish_reason: "stop" }] });
  expect(wordsOf(await contentOf(response), "Alice")).toBe("you said hi");
  expect((await stateOf(conversation ?? "")).isClosed).toBe(true);
});

// Closing a test floor ends all agents of this kind, so these two do not run concurrently.
test("greetings are in the first answer of a conversation, and not in the answer to a single request", async () => {
  const alice = await startAgent((heard, { speakerUri, url }) => {
    const isInvited = eventsIn(heard).some(({ eventType }) => eventType === "invite");
    const words = isInvited ? ["Hello, I am Alice."] : textsIn(heard).map(() => "noon");
    return answer(heard, { speakerUri, url }, ...words.map((text) => utterance(speakerUri, text)));
  });
  const body = { messages: [user("what time is it?")] };
  expect(await contentOf(await post({ body, agents: [alice] }))).toMatch(/^(?:\*\*\S+:\*\* )?noon\s*$/u);
  const first = await post({ body, agents: [alice], headers: { "conversation-id": randomUUID() } });
  expect(await contentOf(first)).toMatch(/Hello, I am Alice\..*noon/su);
  await alice.close();
});

test("an agent that is busy for a moment gets a retry, and no viewer sees the retry", async () => {
  let asked = 0;
  const alice = await startAgent((heard, { speakerUri, url }) => {
    if (textsIn(heard).length > 0) asked += 1;
    if (asked === 1) return { status: 503, body: "" };
    return answer(heard, { speakerUri, url }, ...textsIn(heard).map(() => utterance(speakerUri, "noon")));
  });
  const response = await post({ body: { messages: [user("what time is it?")] }, agents: [alice] });
  expect(await contentOf(response)).toMatch(/^(?:\*\*\S+:\*\* )?noon\s*$/u);
  await alice.close();
});

test.concurrent("the client's earlier messages come with the invite, and are not uttered again", async () => {
  const alice = await echo();
  const messages = [user("my name is Ann"), { role: "assistant", content: "hello Ann" }, user("who am I?")];
  await post({ body: { messages }, agents: [alice] });
  const invite = alice.requests.find((request) => request.includes('"invite"')) ?? "";
  expect(invite).toMatch(/dialogHistory.*my name is Ann.*hello Ann/su);
  expect(invite).not.toContain("who am I?");
  expect(alice.cues.items.map(({ text }) => text)).toEqual(["who am I?"]);
});

test.concurrent("two requests with one Conversation-Id are one conversation, which stays open", async () => {
  const alice = await echo();
  const headers = { "conversation-id": randomUUID() };
  for (const words of ["one", "two"]) {
    const response = await post({ path: "/chat", body: { messages: [user(words)] }, agents: [alice], headers });
    expect(wordsOf(await contentOf(response), "Alice")).toBe(`you said ${words}`);
    expect(response.headers.get("conversation-id")).toBe(headers["conversation-id"]);
  }
  expect(alice.cues.items.map(({ conversation }) => conversation)).toEqual(Array(2).fill(headers["conversation-id"]));
  expect(alice.requests.filter((request) => request.includes('"invite"'))).toHaveLength(1);
  expect((await stateOf(headers["conversation-id"])).isClosed).toBe(false);
});

test.concurrent("a message that is repeated with its id is sent once, and gets the same answer", async () => {
  const alice = await echo();
  const headers = { "conversation-id": randomUUID(), "user-message-id": randomUUID() };
  const ask = () => post({ path: "/chat", body: { messages: [user("once")] }, agents: [alice], headers });
  const answers = [await contentOf(await ask()), await contentOf(await ask())];
  expect(answers.map((answer) => wordsOf(answer, "Alice"))).toEqual(["you said once", "you said once"]);
  expect(alice.cues.items).toHaveLength(1);
});

test.concurrent("a conversation of one caller is not visible to other callers", async () => {
  const alice = await echo();
  const headers = { "conversation-id": randomUUID(), cookie: "nat-session=ann" };
  await post({ path: "/chat", body: { messages: [user("hi")] }, agents: [alice], headers });
  for (const cookie of ["nat-session=bob", ""]) {
    const response = await post({
      path: "/chat",
      body: { messages: [user("me too")] },
      headers: { ...headers, cookie },
    });
    expect([response.status, (await bodyOf(response)).message]).toEqual([404, "No such conversation"]);
  }
  expect(alice.cues.items).toHaveLength(1);
});

test.concurrent("HTTP mode of the stock client gets text, steps under their parents, the trace and the end", async () => {
  const alice = await agents.start("Alice", (cue) =>
    cue.say("4", { features: stepsFeature({ id: "s1", name: "Tool: calc", payload: "2 + 2 < 5" }) }),
  );
  const response = await post({ path: "/chat/stream", body: { messages: [user("2 + 2")] }, agents: [alice] });
  const lines = await allLines(response);
  expect(lines.at(-1)).toEqual({ field: "data", value: "[DONE]" });
  const steps = lines.filter(({ field }) => field === "intermediate_data").map(({ value }) => JSON.parse(value));
  expect(steps.find(({ name }) => name === "Tool: calc")).toMatchObject({ type: "markdown", payload: "2 + 2 &lt; 5" });
  const [trace] = lines.filter(({ field }) => field === "observability_trace");
  const traces = (await log(response.headers.get("conversation-id") ?? "")).map((entry) => entry.trace);
  expect(traces).toContain(JSON.parse(trace?.value ?? "{}").observability_trace_id);
});

test.concurrent("generate answers with a value, at once or as a stream", async () => {
  const alice = await echo();
  const body = { input_message: "hi" };
  const whole = await post({ path: "/generate", body, agents: [alice] });
  expect(wordsOf((await bodyOf(whole)).value, "Alice")).toBe("you said hi");
  expect(whole.headers.get("observability-trace-id")).toMatch(/^[0-9a-f]{32}$/u);
  const lines = await allLines(await post({ path: "/generate/stream", body, agents: [alice] }));
  const values = lines.flatMap(({ field, value }) => (field === "data" ? [JSON.parse(value).value] : []));
  expect(wordsOf(values.join(""), "Alice")).toBe("you said hi");
});

test.concurrent.each(["/v1/chat", "/v1/workflow"])(
  "%s and its stream work as the toolkit's newer names",
  async (path) => {
    const alice = await echo();
    const body = path === "/v1/chat" ? { messages: [user("hi")] } : { query: "hi" };
    const whole = await bodyOf(await post({ path, body, agents: [alice] }));
    expect(wordsOf(whole.value ?? whole.choices[0]?.message.content, "Alice")).toBe("you said hi");
    const lines = await allLines(await post({ path: `${path}/stream`, body, agents: [alice] }));
    expect(JSON.stringify(lines)).toContain("you said hi");
    const wrong = await post({ path, body: {} });
    expect([wrong.status, (await bodyOf(wrong)).details]).toEqual([422, expect.stringContaining("messages")]);
  },
);

test.concurrent.each(["/v1/workflow/full", "/generate/full"])(
  "%s streams each step as JSON, and filter_steps selects types",
  async (path) => {
    const steps = stepsFeature({ id: "s1", name: "Tool: calc", payload: "**Input:**\n2\n**Output:**\n4" });
    const alice = await agents.start("Alice", (cue) => cue.say("4", { features: steps }));
    const typesIn = async (filter: string) => {
      const query = new URLSearchParams({ agents: alice.url, ...(filter !== "" && { filter_steps: filter }) });
      const lines = await allLines(await post({ path: `${path}?${query}`, body: { input_message: "2 + 2" } }));
      const values = lines.flatMap(({ field, value }) => (field === "data" ? [JSON.parse(value).value] : []));
      expect(wordsOf(values.join(""), "Alice")).toBe("4");
      return lines.flatMap(({ field, value }) => (field === "intermediate_data" ? [JSON.parse(value).type] : []));
    };
    expect(await typesIn("")).toEqual(expect.arrayContaining(["TOOL_END", "CUSTOM_END"]));
    expect(await typesIn("TOOL_END,LLM_END")).toEqual(["TOOL_END"]);
    expect(await typesIn("none")).toEqual([]);
  },
);

test.concurrent("several agents answer one after the other, each by name", async () => {
  const [alice, bob] = [await echo("Alice"), await echo("Bob")];
  const response = await post({ body: { messages: [user("hi")] }, agents: [alice, bob] });
  const content = await contentOf(response);
  // The order of the answers is open; the name of its agent precedes each.
  const answers = content.split(/\s+(?=\*\*)/u).toSorted();
  expect(answers).toEqual(["**Alice:** you said hi", "**Bob:** you said hi"]);
});

test.concurrent("a question comes as text, and the next message answers it, to its asker only", async () => {
  const question = {
    id: "q1",
    input_type: "radio",
    text: "Which way?",
    required: true,
    timeout: null,
    options: ["left", "right"].map((value) => ({ id: value, label: `Go ${value}`, value })),
  };
  const alice = await agents.start("Alice", ({ chosen, ask, say }) =>
    chosen === undefined ? ask(question) : say(`so ${chosen.values.join()}`),
  );
  const bob = await agents.start("Bob", (cue) => cue.answer());
  const headers = { "conversation-id": randomUUID() };
  const ask = (words: string) =>
    post({ path: "/chat", body: { messages: [user(words)] }, agents: [alice, bob], headers });
  expect(await contentOf(await ask("go"))).toMatch(
    /Which way\?\n\n1\. Go left\n2\. Go right\n\nAnswer with a number from 1 to 2\.$/u,
  );
  expect(await contentOf(await ask("2"))).toContain("so right");
  expect(bob.cues.items.map(({ text }) => text)).toEqual(["go"]);
});

test.concurrent("an utterance that is not an answer goes to everyone, and the question stays open", async () => {
  const options = ["left", "right"].map((value) => ({ id: value, label: `Go ${value}`, value }));
  const question = { id: "q1", input_type: "radio", text: "Which way?", options, required: true, timeout: null };
  const alice = await agents.start("Alice", ({ text, ask, answer }) => (text === "go" ? ask(question) : answer()));
  const bob = await agents.start("Bob", ({ text, say, answer }) =>
    text === "go" ? answer() : say(`bob heard ${text}`),
  );
  const headers = { "conversation-id": randomUUID() };
  const ask = (words: string) =>
    post({ path: "/chat", body: { messages: [user(words)] }, agents: [alice, bob], headers });
  await ask("go");
  // The request waits for the agent's answer, though the question is still open.
  const content = await contentOf(await ask("what is on the left?"));
  expect(content).toContain("bob heard what is on the left?");
  expect(content).toContain("Which way?");
});

test.concurrent("the health route of the toolkit is answered", async () => {
  const response = await fetch(`${url()}/health`);
  expect(await response.json()).toEqual({ status: "healthy" });
});
