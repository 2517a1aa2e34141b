// What OpenAI clients do beyond asking: they list the models, name one, and request the usage.
import { randomUUID } from "node:crypto";
import { agentNamed } from "@plenary/agents";
import { expect, test } from "vitest";
import { startTestFloor, token } from "../support/start-test-floor.ts";
import type { Json } from "./frame-checks.ts";
import { allLines, bodyOf, contentOf, postTo, user } from "./http-client.ts";
import { startNemoFloor, useNemoFloor, wordsOf } from "./nemo-floor.ts";

const { url, post, echo } = useNemoFloor();

const hostedAgents = {
  names: ["echo", "convener-open"],
  create: (name: string, serviceUrl: string) => agentNamed(name, { serviceUrl }),
};

test.concurrent("a model name that is an agent of this floor, or the address of an agent, selects the agent that answers", async () => {
  const alice = await echo();
  const byAddress = await post({ body: { model: alice.url, messages: [user("hi")] } });
  expect(wordsOf(await contentOf(byAddress), "Alice")).toBe("you said hi");
  const testFloor = await startTestFloor({ hostedAgents });
  const { body } = await testFloor.call("POST", "/v1/chat/completions", { model: "echo", messages: [user("hi")] });
  expect(JSON.stringify(body)).toContain("You said: hi");
  expect(body.model).toBe("echo");
  await testFloor.close();
});

test.concurrent("the models are the floor and its hosted agents", async () => {
  const testFloor = await startTestFloor({ hostedAgents });
  const { status, body } = await testFloor.call("GET", "/v1/models");
  const model = { object: "model", created: expect.any(Number) };
  expect([status, body]).toEqual([
    200,
    {
      object: "list",
      data: [
        { ...model, id: "plenary", name: "Plenary", owned_by: "plenary" },
        { ...model, id: "echo", name: "Echo", owned_by: "Plenary" },
      ],
    },
  ]);
  expect((await testFloor.call("GET", "/v1/models/echo")).body).toMatchObject({ id: "echo", object: "model" });
  await testFloor.close();
});

test.concurrent("a missing resource gets an error in the format of OpenAI", async () => {
  for (const path of ["/v1/models/gpt-4o", "/v1/embeddings"]) {
    const response = await fetch(`${url()}${path}`);
    expect([path, response.status, await response.json()]).toMatchObject([
      ...[path, 404],
      { error: { type: "invalid_request_error", code: "not-found", message: expect.any(String) } },
    ]);
  }
});

test.concurrent("a public floor lists its models to authenticated callers only", async () => {
  const away = await startNemoFloor({ proxies: 1 });
  const ask = (authorization: string) => fetch(`${away.url}/v1/models`, { headers: { authorization } });
  for (const authorization of ["Bearer", "Bearer wrong"]) {
    const response = await ask(authorization);
    expect([response.status, (await bodyOf(response)).error.code]).toEqual([401, "invalid_api_key"]);
  }
  expect((await ask(`Bearer ${token}`)).status).toBe(200);
  await away.close();
});

test.concurrent("a client without a key is a guest of this machine", async () => {
  const alice = await echo();
  const headers = { authorization: "Bearer ", "conversation-id": randomUUID() };
  for (const words of ["one", "two"]) {
    const response = await post({ body: { messages: [user(words)] }, agents: [alice], headers });
    expect(wordsOf(await contentOf(response), "Alice")).toBe(`you said ${words}`);
  }
});

test.concurrent("usage is sent in a last chunk without choices when the request asks for it", async () => {
  const alice = await echo();
  const ask = async (more: Json) => {
    const body = { stream: true, messages: [user("hi")], ...more };
    const lines = await allLines(await post({ body, agents: [alice] }));
    expect(lines.pop()).toEqual({ field: "data", value: "[DONE]" });
    return lines.map(({ value }) => JSON.parse(value));
  };
  const chunks = await ask({ stream_options: { include_usage: true } });
  expect(chunks.at(-1)).toMatchObject({ object: "chat.completion.chunk", choices: [], usage: { total_tokens: 0 } });
  expect(chunks.at(-2).choices).toMatchObject([{ finish_reason: "stop" }]);
  expect((await ask({})).at(-1).choices).toMatchObject([{ finish_reason: "stop" }]);
});

test.concurrent("a request for several answers to one question is refused, not truncated", async () => {
  const response = await post({ body: { n: 2, messages: [user("hi")] } });
  expect([response.status, await response.json()]).toMatchObject([
    400,
    { error: { message: expect.stringMatching(/\bn\b/u) } },
  ]);
});

test.concurrent("a loopback floor accepts any key, and the same key is the same guest", async () => {
  const alice = await echo();
  const conversation = randomUUID();
  const ask = (authorization: string) =>
    post({
      body: { messages: [user("hi")] },
      agents: [alice],
      headers: { authorization, "conversation-id": conversation },
    });
  for (const _ of [1, 2]) expect((await ask("Bearer sk-anything")).status).toBe(200);
  expect((await ask("Bearer sk-other")).status).toBe(404);
  for (const wrong of ["Bearer plenary_wrong", "Bearer plenaryg_x", "Bearer eyJhbGciOiJub25lIn0.e30.", "Digest x"]) {
    const response = await ask(wrong);
    expect([wrong, response.status, (await bodyOf(response)).error.code]).toEqual([wrong, 401, "invalid_api_key"]);
  }
  const socket = await fetch(`${url()}/api/v1/me`, { headers: { authorization: "Bearer sk-anything" } });
  expect(socket.status).toBe(401);
});

test.concurrent("guessing of keys is rate-limited, and known keys still work", async () => {
  const floor = await startNemoFloor({ rateLimits: { badCredentials: { perS: 0, burst: 2 } } });
  const ask = async (key: string) =>
    (await fetch(`${floor.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } })).status;
  const statuses = [await ask("a"), await ask("b"), await ask("c"), await ask("a"), await ask(token)];
  expect(statuses).toEqual([200, 200, 429, 200, 200]);
  await floor.close();
});

test.concurrent("requests without Conversation-Id do not count against the rate limit of new conversations", async () => {
  const floor = await startNemoFloor({ rateLimits: { conversations: { perS: 0, burst: 1 } } });
  const ask = async (headers: Record<string, string> = {}) =>
    (await postTo(floor, { body: { messages: [user("hi")] }, headers: { authorization: "Bearer sk-x", ...headers } }))
      .status;
  expect([await ask(), await ask(), await ask()]).toEqual([200, 200, 200]);
  const named = () => ask({ "conversation-id": randomUUID() });
  expect([await named(), await named()]).toEqual([200, 429]);
  await floor.close();
});

test.concurrent("a response header names the ignored fields", async () => {
  const tools = [{ type: "function", function: { name: "f", parameters: {} } }];
  const body = { model: "any", tools, tool_choice: "auto", temperature: 0.2, messages: [user("hi")] };
  const response = await post({ body, agents: [await echo()] });
  expect(wordsOf(await contentOf(response), "Alice")).toBe("you said hi");
  expect(response.headers.get("plenary-ignored")).toBe("tools, tool_choice, temperature");
  expect((await post({ body: { messages: [user("hi")] } })).headers.get("plenary-ignored")).toBeNull();
});

test.concurrent("the stock client's list of tools has the agents of the floor", async () => {
  const testFloor = await startTestFloor({ hostedAgents });
  const { body } = await testFloor.call("GET", "/mcp/client/tool/list");
  const echoTool = {
    name: "Echo",
    description: expect.any(String),
    server: `${testFloor.url}/agents/echo`,
    available: true,
  };
  expect(body).toEqual({
    mcp_clients: [
      {
        function_group: "plenary",
        server: testFloor.url,
        transport: "open-floor",
        session_healthy: true,
        protected: true,
        tools: [echoTool],
        total_tools: 1,
        available_tools: 1,
      },
    ],
  });
  await testFloor.close();
});
