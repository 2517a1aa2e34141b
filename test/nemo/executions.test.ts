// Questions of agents to clients without a socket: the toolkit's interactive execution over HTTP, by a client written by hand.
import { randomUUID } from "node:crypto";
import { createNemoAgent } from "@plenary/agents";
import { createDialler, listen } from "@plenary/sdk";
import { expect, test, vi } from "vitest";
import { patience } from "../support/wait-for.ts";
import type { Json } from "./frame-checks.ts";
import { bodyOf, contentOf, eventsOf, interactivePeer, user } from "./http-client.ts";
import { startNemoFloor, useNemoFloor } from "./nemo-floor.ts";
import { asking } from "./questions.ts";
import { startStockServer } from "./stock-server.ts";

const { agents, url, post, stateOf } = useNemoFloor();

const asker = () => agents.start("Alice", asking);
const peer = (headers?: Record<string, string>) => interactivePeer({ url: url() }, headers);

async function accepted(response: Response): Promise<Json> {
  expect(response.status).toBe(202);
  return (await response.json()) as Json;
}

const contentIn = ({ result }: Json) =>
  (result as { choices: { message: { content: string } }[] }).choices[0]?.message.content;

test.concurrent("a client gets the question, answers it, and gets the whole answer", async () => {
  const response = await post({ path: "/v1/chat", body: { messages: [user("ask radio")] }, agents: [await asker()] });
  const asked = await accepted(response);
  expect(asked).toMatchObject({
    status: "interaction_required",
    execution_id: expect.any(String),
    interaction_id: expect.any(String),
    status_url: `/executions/${asked.execution_id}`,
    response_url: `/executions/${asked.execution_id}/interactions/${asked.interaction_id}/response`,
    prompt: { input_type: "radio", text: "Which one do you prefer?", options: expect.any(Array), timeout: null },
  });
  const { look, until, answer } = peer();
  expect(await (await look(String(asked.status_url))).json()).toEqual(asked);
  const wrong = await answer(asked.response_url, { type: "radio", selected_option: { value: "pigeon" } });
  expect([wrong.status, (await bodyOf(wrong)).details]).toEqual([
    400,
    expect.stringMatching(/none of the choices.*Email, SMS/u),
  ]);
  const right = await answer(asked.response_url, { input_type: "radio", selected_option: { value: "sms" } });
  expect([right.status, await right.text()]).toEqual([204, ""]);
  const done = await until(String(asked.status_url), "completed");
  expect(done).toMatchObject({ execution_id: asked.execution_id, result: { object: "chat.completion" } });
  expect(contentIn(done)).toContain("chosen: sms");
  const again = await answer(asked.response_url, { type: "text", text: "email" });
  expect([again.status, (await bodyOf(again)).details]).toEqual([400, expect.stringContaining("answered already")]);
  const conversation = response.headers.get("conversation-id") ?? "";
  await vi.waitFor(async () => expect((await stateOf(conversation)).isClosed).toBe(true), patience);
});

const email = { id: "email", label: "Email", value: "email" };
const push = { id: "push", label: "Push Notification", value: "push" };

test.concurrent.each([
  ["text", { type: "text", text: "Ada" }, "Ada"],
  ["binary_choice", { input_type: "binary_choice", selected_option: { id: "cancel", value: "cancel" } }, "cancel"],
  ["checkbox", { input_type: "checkbox", selected_options: [email, push] }, "email+push"],
  ["dropdown", { type: "dropdown", selected_option: push }, "push"],
])("a prompt of the kind %s is shown as that kind and answered", async (kind, response, chosen) => {
  const body = { input_message: `ask ${kind}` };
  const asked = await accepted(await post({ path: "/v1/workflow", body, agents: [await asker()] }));
  expect(asked.prompt).toMatchObject({ input_type: kind });
  const { until, answer } = peer();
  expect((await answer(asked.response_url, response)).status).toBe(204);
  expect(await until(String(asked.status_url), "completed")).toMatchObject({
    result: { value: expect.stringContaining(`chosen: ${chosen}`) },
  });
});

test.concurrent("a second question of the same turn is another interaction", async () => {
  const alice = await agents.start("Alice", ({ chosen, ask, say }) => {
    const question = { input_type: "text", required: true, timeout: null };
    if (chosen === undefined) return ask({ ...question, id: "q1", text: "First?" });
    return chosen.id === "q1" ? ask({ ...question, id: "q2", text: "Second?" }) : say(`so ${chosen.values}`);
  });
  const asked = await accepted(await post({ path: "/v1/chat", body: { messages: [user("go")] }, agents: [alice] }));
  const { until, answer } = peer();
  await answer(asked.response_url, { type: "text", text: "one" });
  const second = await vi.waitFor(async () => {
    const seen = await until(String(asked.status_url), "interaction_required");
    expect(seen.prompt).toMatchObject({ text: "Second?" });
    return seen;
  }, patience);
  expect(second.interaction_id).not.toBe(asked.interaction_id);
  await answer(second.response_url, { type: "text", text: "two" });
  expect(contentIn(await until(String(asked.status_url), "completed"))).toContain("so two");
});

test.concurrent("a stream has an event for the question and continues after the answer", async () => {
  const body = { messages: [user("ask binary_choice")] };
  const response = await post({ path: "/v1/chat/stream", body, agents: [await asker()] });
  let content = "";
  for await (const { event, data } of eventsOf(response)) {
    if (event === "message") content += (data.choices as { delta: Json }[] | undefined)?.[0]?.delta.content ?? "";
    if (event !== "interaction_required") continue;
    expect(data).toMatchObject({
      event_type: event,
      execution_id: expect.any(String),
      prompt: { input_type: "binary_choice" },
    });
    await peer().answer(data.response_url, { type: "binary_choice", selected_option: { value: "continue" } });
  }
  expect(content).toContain("chosen: continue");
});

test.concurrent("a client that loses its stream can still answer, and gets the result", async () => {
  const hangUp = new AbortController();
  const body = { messages: [user("ask text")] };
  const response = await post({ path: "/v1/chat/stream", body, agents: [await asker()], signal: hangUp.signal });
  const events = eventsOf(response);
  let asked: Json = {};
  for (;;) {
    const { value } = await events.next();
    if (value?.event === "interaction_required") asked = value.data;
    if (value?.event === "interaction_required") break;
  }
  hangUp.abort();
  const { until, answer } = peer();
  expect((await answer(asked.response_url, { type: "text", text: "Ada" })).status).toBe(204);
  expect(contentIn(await until(String(asked.status_url), "completed"))).toContain("chosen: Ada");
});

test.concurrent('other persons get "not found" for an execution', async () => {
  const headers = { cookie: "nat-session=ann" };
  const body = { messages: [user("ask text")] };
  const asked = await accepted(await post({ path: "/v1/chat", body, agents: [await asker()], headers }));
  for (const other of [{}, { cookie: "nat-session=bob" }, { "conversation-id": randomUUID() }]) {
    const stranger = peer(other);
    const looked = await stranger.look(String(asked.status_url));
    expect([looked.status, (await bodyOf(looked)).details]).toEqual([
      404,
      expect.stringContaining("send the message again"),
    ]);
    expect((await stranger.answer(asked.response_url, { text: "me" })).status).toBe(404);
  }
  const { answer, until } = peer(headers);
  const elsewhere = String(asked.response_url).replace(String(asked.interaction_id), "other");
  expect((await answer(elsewhere, { text: "Ada" })).status).toBe(404);
  expect((await answer(asked.response_url, { text: "Ada" })).status).toBe(204);
  await until(String(asked.status_url), "completed");
});

test.concurrent("a newer message of the same person takes over the conversation and ends the execution", async () => {
  const headers = { "conversation-id": randomUUID() };
  const ask = async (path: string, words: string, agents = [alice]) =>
    post({ path, body: { messages: [user(words)] }, agents, headers });
  const alice = await asker();
  const asked = await accepted(await ask("/v1/chat", "ask text"));
  expect(await contentOf(await ask("/chat", "Ada"))).toContain("chosen: Ada");
  const { error } = await peer(headers).until(String(asked.status_url), "failed");
  expect(error).toMatch(/newer request/u);
});

test.concurrent("one person has at most 32 open executions; the error says what to do", async () => {
  const alice = await asker();
  const headers = { cookie: "nat-session=patient" };
  const ask = () => post({ path: "/v1/chat", body: { messages: [user("ask text")] }, agents: [alice], headers });
  const asked = await accepted(await ask());
  for (let count = 1; count < 32; count += 1) await accepted(await ask());
  const full = await ask();
  expect([full.status, (await bodyOf(full)).details]).toEqual([429, expect.stringContaining("answer the questions")]);
  await peer(headers).answer(asked.response_url, { text: "Ada" });
  await peer(headers).until(String(asked.status_url), "completed");
  await accepted(await ask());
});

test.concurrent("legacy paths, OpenAI's path and the header decide between text and interaction", async () => {
  const alice = await asker();
  const body = { messages: [user("ask text")] };
  const ask = (path: string, interactive?: string) =>
    post({ path, body, agents: [alice], ...(interactive && { headers: { "plenary-interactive": interactive } }) });
  for (const [path, interactive] of [["/chat"], ["/v1/chat/completions"], ["/v1/chat", "false"]] as const) {
    expect([path, await contentOf(await ask(path, interactive))]).toEqual([
      path,
      expect.stringContaining("What is your name?"),
    ]);
  }
  for (const path of ["/chat", "/generate", "/v1/chat/completions"]) {
    const { response_url } = await accepted(await ask(path, "true"));
    await peer().answer(response_url, { text: "Ada" });
  }
  expect((await ask("/chat", "maybe")).status).toBe(422);
});

test.concurrent("an agent that fails after the answer makes the execution fail, with the agent's error text", async () => {
  const alice = await agents.start("Alice", ({ chosen, ask, fail }) =>
    chosen === undefined ? ask({ id: "q", input_type: "text", text: "Name?" }) : fail(400, "no envelope"),
  );
  const asked = await accepted(await post({ path: "/v1/chat", body: { messages: [user("go")] }, agents: [alice] }));
  const { until, answer } = peer();
  await answer(asked.response_url, { text: "Ada" });
  expect(await until(String(asked.status_url), "failed")).toMatchObject({ error: expect.stringContaining("Alice") });
});

test.concurrent("consent is requested with its address, and then the execution continues", async () => {
  const consent = {
    id: "q",
    input_type: "binary_choice",
    text: "Give consent.",
    url: "https://login.example/?state=s1",
  };
  const options = ["continue", "cancel"].map((value) => ({ id: value, label: value, value }));
  const alice = await agents.start("Alice", ({ chosen, ask, say }) =>
    chosen === undefined ? ask({ ...consent, options }) : say(`so ${chosen.values}`),
  );
  const asked = await accepted(await post({ path: "/v1/chat", body: { messages: [user("go")] }, agents: [alice] }));
  expect(asked).toMatchObject({ status: "oauth_required", auth_url: consent.url, oauth_state: "s1" });
  const { until, answer } = peer();
  const waiting = await until(String(asked.status_url), "interaction_required");
  await answer(waiting.response_url, { type: "binary_choice", selected_option: { value: "continue" } });
  expect(contentIn(await until(String(asked.status_url), "completed"))).toContain("so continue");
});

test.concurrent("after a restart of the floor an execution is unknown, and the answer says what to do", async () => {
  const first = await startNemoFloor();
  const alice = await asker();
  const asked = await fetch(`${first.url}/v1/chat?agents=${encodeURIComponent(alice.url)}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ messages: [user("ask text")] }),
  });
  const { status_url } = await accepted(asked);
  await first.close();
  expect(first.errors).toEqual([]);
  const looked = await peer().look(String(status_url));
  expect([looked.status, (await bodyOf(looked)).details]).toEqual([404, expect.stringContaining("restart")]);
});

test.concurrent("a workflow behind the bridge can ask such a client", async () => {
  const stock = await startStockServer(async (run) => {
    run.say(`You are ${await run.ask({ input_type: "text", text: "Who are you?", required: true })}.`);
  });
  const dialler = createDialler({ mode: "local" });
  const agent = createNemoAgent({ url: stock.url, name: "Flow", dialler, policy: "open", onError: () => {} });
  const listening = await listen(agent, { port: 0 });
  const asked = await accepted(
    await post({ path: "/v1/workflow", body: { input_message: "hi" }, agents: [listening] }),
  );
  expect(asked.prompt).toMatchObject({ text: expect.stringContaining("Who are you?") });
  const { until, answer } = peer();
  expect((await answer(asked.response_url, { type: "text", text: "Ada" })).status).toBe(204);
  const { result } = await until(String(asked.status_url), "completed");
  expect(JSON.stringify(result)).toContain("You are Ada.");
  await listening.close();
  agent.close();
  await dialler.close();
  await stock.close();
});
