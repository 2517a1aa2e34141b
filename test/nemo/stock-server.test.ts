// The test server against recordings of the real one, so that a client that works with it works with the toolkit.
import { once } from "node:events";
import { afterEach, expect, test } from "vitest";
import { WebSocket } from "ws";
import { createCollection } from "../support/wait-for.ts";
import { type Run, type Workflow, WorkflowError } from "./stock-run.ts";
import { type StockServer, startStockServer } from "./stock-server.ts";
import type { Json } from "./stock-shapes.ts";

const running: StockServer[] = [];
afterEach(async () => {
  for (const server of running.splice(0)) await server.close();
});

async function started(workflow: Workflow, setting = {}) {
  const server = await startStockServer(workflow, setting);
  running.push(server);
  return server;
}

/** A minimal client. */
async function call(url: string, query = "") {
  const ws = new WebSocket(`${url}${query}`);
  ws.on("error", () => {});
  const frames = createCollection<Json>();
  ws.on("message", (text) => frames.add(JSON.parse(String(text))));
  const closed = once(ws, "close").then(([code]) => code as number);
  await once(ws, "open");
  const send = (frame: unknown) => ws.send(typeof frame === "string" ? frame : JSON.stringify(frame));
  return {
    ws,
    frames,
    closed,
    send,
    say: (text: string, more: Json = {}) => send({ ...userMessage(text), ...more }),
    reply: (text: string) => send({ ...userMessage(text), type: "user_interaction_message", id: "nonsense" }),
    until: (isIt: (frame: Json) => boolean) => frames.until((all) => all.some(isIt), "a frame"),
    texts: () => frames.items.map(({ content }) => (content as { text?: unknown } | undefined)?.text),
  };
}

function userMessage(text: string): Json {
  const content = { messages: [{ role: "user", content: [{ type: "text", text }] }] };
  return { type: "user_message", schema_type: "chat_stream", id: "um-1", conversation_id: "c1", content };
}

const isComplete = ({ status }: Json) => status === "complete";
const isPrompt = ({ type }: Json) => type === "system_interaction_message";
const parrot: Workflow = (run) => run.say(run.text);

test("deltas, steps, the empty finish, a null at the end and the trace come in the order of the real server", async () => {
  const { url } = await started((run) => {
    const id = run.step("Function Start: f", "in");
    run.step("Tool: calc", "**Input:**", { parent: id });
    run.say("you ");
    run.say("said");
    run.trace("t-1");
    return () => void run.step("Function Complete: f", "out", { id });
  });
  const client = await call(url, "?session=ok.~_-");
  client.say("hi");
  await client.until(({ type }) => type === "observability_trace_message");
  const { items } = client.frames;
  expect(client.texts()).toEqual([undefined, undefined, "you ", "said", "", undefined, null, undefined]);
  expect(items[1]).toMatchObject({ parent_id: items[0]?.id, update_message_id: "default", thread_id: "default" });
  expect(items[0]).toMatchObject({ parent_id: "root", id: items[5]?.id });
  expect(items[2]).toMatchObject({ parent_id: "um-1", conversation_id: "c1", status: "in_progress" });
  expect(items[6]).toMatchObject({ status: "complete", parent_id: "um-1" });
  expect(items[7]).not.toHaveProperty("status");
  expect(new Set(items.map(({ timestamp }) => timestamp)).size).toBe(1);
  expect(items[0]?.timestamp).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}\+00:00$/u);
});

test("a session with invalid characters is refused with 403", async () => {
  const { url } = await started(parrot);
  const ws = new WebSocket(`${url}?session=a%20b`);
  ws.on("error", () => {});
  const [, response] = await once(ws, "unexpected-response");
  expect(response.statusCode).toBe(403);
});

test("a failing workflow is an error and a complete; a generate without text is an error alone", async () => {
  const { url } = await started(() => {
    throw new WorkflowError("ValueError", "boom");
  });
  const client = await call(url);
  client.say("hi");
  await client.until(isComplete);
  expect(client.frames.items[0]?.content).toEqual({ code: "workflow_error", message: "ValueError", details: "boom" });
  const other = await call(url);
  other.say("", { schema_type: "generate_stream", content: { messages: [] } });
  await other.until(({ type }) => type === "error_message");
  other.say("again");
  await other.until(isComplete);
  expect(other.frames.items.map(({ content }) => (content as Json).code)).toEqual([
    "invalid_user_message_content",
    "workflow_error",
    undefined,
  ]);
});

test("a frame of the wrong shape is ignored, and a frame that is not a JSON object breaks the connection", async () => {
  const server = await started(parrot);
  const client = await call(server.url);
  client.say("a", { schema_type: "talk" });
  client.say("b", { user: { name: "Ann", role: "boss" } });
  client.say("c", { content: { messages: [{ role: "user", content: "a string" }] } });
  client.send({ type: "system_response_message" });
  client.send({ type: "auth_message", payload: { method: "charm", token: "k" } });
  client.say("good", { openFloor: { anything: true } });
  await client.until(isComplete);
  expect(client.texts()).toEqual(["good", "", null]);
  expect(server.ignored()).toHaveLength(5);
  client.send("[]");
  expect(await client.closed).toBe(1006);
});

test("a reply goes to the one open prompt, and a second reply breaks the connection", async () => {
  const { url } = await started(async (run) => run.say(await run.ask({ input_type: "text", text: "Name?" })));
  const client = await call(url);
  client.say("hi");
  await client.until(isPrompt);
  client.reply("Ada");
  await client.until(isComplete);
  expect(client.texts()).toEqual(["Name?", "Ada", "", null]);
  client.reply("Ada");
  expect(await client.closed).toBe(1006);
});

test("a prompt without a reply ends in a TimeoutError, some time after its own timeout", async () => {
  const ask: Workflow = async (run) => run.say(await run.ask({ input_type: "text", text: "Quick!", timeout: 0.02 }));
  const { url } = await started(ask, { graceMs: 20 });
  const client = await call(url);
  client.say("hi");
  await client.until(isComplete);
  expect(client.frames.items[1]?.content).toMatchObject({ code: "workflow_error", message: "TimeoutError" });
});

test("a second message silently ends the first", async () => {
  const runs: Run[] = [];
  const server = await started(async (run) => {
    runs.push(run);
    run.say(run.text);
    if (run.text === "first") await once(run.signal, "abort");
    run.say(` ${run.text} done`);
  });
  const client = await call(server.url);
  client.say("first");
  await client.until(({ content }) => (content as Json).text === "first");
  client.say("second");
  await client.until(isComplete);
  expect(client.texts()).toEqual(["first", "second", " second done", "", null]);
  expect(server.cancelled()).toBe(1);
});

test("after a cut the next client with the conversation_id gets the rest, and can answer only the old prompt", async () => {
  const { url } = await started(async (run) => {
    const first = await run.ask({ input_type: "text", text: "One?", timeout: 100 });
    const second = await run.ask({ input_type: "text", text: `${first}. Two?` });
    run.say(second);
  });
  const before = await call(url);
  before.say("hi");
  await before.until(isPrompt);
  before.ws.terminate();
  await before.closed;
  const after = await call(url, "?conversation_id=c1");
  await after.until(isPrompt);
  expect(after.frames.items[0]?.id).not.toBe(before.frames.items[0]?.id);
  const [{ content } = {}] = after.frames.items;
  expect((content as { timeout: number }).timeout).toBeLessThan(100);
  after.reply("uno");
  await after.until(({ content }) => (content as Json).text === "uno. Two?");
  after.reply("due");
  expect(await after.closed).toBe(1006);
});

test("a client that authenticates gets its user id, and a client with a wrong token gets an error", async () => {
  const { url } = await started(parrot);
  const client = await call(url);
  const auth = (payload: Json) => client.send({ type: "auth_message", payload });
  auth({ method: "api_key", token: "k1" });
  auth({ method: "api_key", token: "k1" });
  auth({ method: "jwt", token: "no" });
  const [one, two, three] = await client.frames.until((all) => all.length === 3, "three answers");
  expect(one).toMatchObject({ type: "auth_response_message", status: "success", payload: null });
  expect(two?.user_id).toBe(one?.user_id);
  expect(three).toMatchObject({ status: "error", user_id: null, payload: { code: "user_auth_error" } });
});
