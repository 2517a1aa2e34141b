// D18: a person says stop while an agent is composing its answer. The agent is aborted, viewers see it, and later text
// changes nothing.
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type Credential, createMemoryCredentials, newCredentialToken } from "@plenary/server";
import { afterEach, beforeEach, expect, test } from "vitest";
import { WebSocket } from "ws";
import { ann, type Json, utterance } from "../support/envelopes.ts";
import { startTestFloor, type TestFloor, token } from "../support/start-test-floor.ts";
import { createCollection } from "../support/wait-for.ts";

const ben = "tag:people.example,2026:ben";
const teller = "tag:agents.example,2026:teller";
const c = "/api/v1/conversations/c";

type Begun = { webhookId: string; response: ServerResponse; cut: Promise<boolean> };

/** Starts a streamed story for each utterance, and continues when the test says so. */
async function startTeller() {
  const stories = createCollection<Begun>();
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    if (!text.includes('"utterance"')) return void response.end(JSON.stringify(envelopeOf()));
    // Resolves with whether the floor disconnected before the answer was complete.
    const cut = once(response, "close").then(() => !response.writableFinished);
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(frame("start", { dialogEventId: "story" }));
    response.write(frame("delta", { delta: "once upon " }));
    stories.add({ webhookId: String(request.headers["webhook-id"]), response, cut });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  const url = `http://127.0.0.1:${port}/`;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return {
    url,
    close,
    begun: async (count = 1) => (await stories.until((all) => all.length >= count, "a story")).at(-1),
  };
}

function frame(event: string, data: Json): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

const story = () => envelopeOf(utterance(teller, "once upon a time", { id: "story" }));

function envelopeOf(...events: object[]): Json {
  const conversation = { id: "c" };
  return { openFloor: { schema: { version: "1.1.0" }, conversation, sender: { speakerUri: teller }, events } };
}

let floor: TestFloor;
let agent: Awaited<ReturnType<typeof startTeller>>;
let viewer: Awaited<ReturnType<typeof watch>>;
let keyOf: (speakerUri: string) => string;

beforeEach(async () => {
  const credentials = createMemoryCredentials();
  const tokens = new Map<string, string>();
  for (const speakerUri of [ann, ben, teller]) {
    const { token: secret, ...made } = newCredentialToken("key");
    const isPerson = speakerUri !== teller;
    const about = { kind: "key" as const, speakers: [speakerUri], scopes: [], isPerson };
    const credential: Credential = { ...made, ...about, createdAt: new Date().toISOString() };
    await credentials.add(credential);
    tokens.set(speakerUri, secret);
  }
  keyOf = (speakerUri) => tokens.get(speakerUri) ?? "";
  floor = await startTestFloor({ credentials });
  agent = await startTeller();
  await floor.call("POST", "/api/v1/conversations", { id: "c", owner: { identification: { speakerUri: ann } } });
  await floor.call("POST", `${c}/seat`, { identification: { speakerUri: ben } });
  await floor.invite("c", agent);
  viewer = await watch();
});

afterEach(async () => {
  viewer.close();
  agent.close();
  await floor.close();
  expect(floor.errors).toEqual([]);
});

/** What a person's page gets. */
async function watch() {
  const address = `${floor.url.replace("http", "ws")}/openfloor/ws?conversation=c&speaker=${encodeURIComponent(ben)}`;
  const ws = new WebSocket(address, { headers: { authorization: `Bearer ${token}` } });
  const drafts = createCollection<Json>();
  ws.on("message", (data) => {
    const { draft } = JSON.parse(String(data)) as { draft?: Json };
    if (draft !== undefined) drafts.add(draft);
  });
  await once(ws, "open");
  return {
    begins: () => drafts.until((all) => all.some(({ delta }) => delta !== undefined), "a draft"),
    ends: async () => (await drafts.until((all) => all.some(({ end }) => end !== undefined), "its end")).at(-1),
    close: () => ws.terminate(),
  };
}

const post = (path: string, bearer: string, body: Json = {}) =>
  floor.call("POST", path, body, { authorization: `Bearer ${bearer}` });

/** Ann asks, and the agent has begun to answer. */
async function underWay(): Promise<Begun> {
  await floor.say("c", "tell me a story", { wait: 0 });
  const [begun] = [await agent.begun(), await viewer.begins()];
  if (begun === undefined) throw new Error("it has not begun");
  return begun;
}

const spoken = async () =>
  (await floor.log("c"))
    .filter(({ kind, sender }) => kind === "event" && sender === teller)
    .map(({ because }) => because);

async function guestToken(): Promise<string> {
  const { body } = await floor.call("POST", `${c}/links`, {});
  const invite = String(body.link).split("#invite=")[1];
  return String((await floor.call("POST", "/api/v1/guests", { invite, name: "Gus" })).body.token);
}

const stoppers: [who: string, by: string, bearer: () => string | Promise<string>][] = [
  ["its owner", "owner", () => keyOf(ann)],
  ["another person", "person", () => keyOf(ben)],
  ["a guest", "person", guestToken],
  ["the operator", "operator", () => token],
];

test.each(stoppers)(
  "%s stops an agent that is composing: its request is aborted, and its draft ends as dropped",
  async (_who, by, bearer) => {
    const stopper = await bearer();
    const { cut, webhookId } = await underWay();
    const stopped = await post(`${c}/pause`, stopper);
    expect(stopped).toMatchObject({ status: 200, body: { id: "c", isPaused: true } });
    expect(await cut).toBe(true);
    expect(await viewer.ends()).toMatchObject({ speakerUri: teller, dialogEventId: "story", end: "dropped" });
    const paused = (await floor.log("c")).filter(({ kind }) => kind === "paused");
    expect(paused).toMatchObject([{ because: `command/pause/${by}`, aborts: [expect.any(String)] }]);

    const late = await floor.call("POST", "/openfloor", story(), {
      authorization: `Bearer ${keyOf(teller)}`,
      "in-reply-to": webhookId,
    });
    expect(late.status).toBe(200);
    expect((await floor.log("c")).at(-1)).toMatchObject({ kind: "late", because: "answer/late" });
    expect(await spoken()).toEqual([]);

    await floor.say("c", "go on", { wait: 0 });
    const again = await agent.begun(2);
    again?.response.end(frame("envelope", story()));
    await floor.until("c", (entries) => entries.some(({ kind, sender }) => kind === "event" && sender === teller));
    expect(await floor.state("c")).toMatchObject({ isPaused: false });
  },
);

test("an agent can neither stop nor resume the conversation, and open answers continue", async () => {
  const { response } = await underWay();
  for (const verb of ["pause", "resume"]) {
    const refused = await post(`${c}/${verb}`, keyOf(teller));
    expect(refused).toMatchObject({ status: 403, body: { because: "guard/not-person" } });
  }
  response.end(frame("envelope", story()));
  expect(await viewer.ends()).toMatchObject({ dialogEventId: "story", end: "final" });
  expect((await floor.log("c")).filter(({ kind }) => kind === "paused")).toEqual([]);
  expect(await spoken()).toHaveLength(1);
});

test("a stop while no answer is awaited is no error and writes nothing", async () => {
  const { seq } = await floor.state("c");
  expect(await post(`${c}/pause`, keyOf(ben))).toMatchObject({ status: 200, body: { seq, isPaused: false } });
});

test("a person lets stopped agents continue without an utterance", async () => {
  await underWay();
  await post(`${c}/pause`, keyOf(ann));
  expect(await post(`${c}/resume`, keyOf(ben))).toMatchObject({ status: 200, body: { isPaused: false } });
  expect((await floor.log("c")).at(-1)).toMatchObject({ kind: "resumed", because: "command/resume/person" });
});
