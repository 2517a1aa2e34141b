// The floor decides how many deliveries it sends, so the answers and drafts of open deliveries are not limited by the rate of the
// agent's credential. In these tests that rate is used up after a few frames, and is not restored.
import { type Agent, connect, createAgent, type StreamPart } from "@plenary/sdk";
import { type Credential, createMemoryCredentials, createMemoryStore, newCredentialToken } from "@plenary/server";
import { afterEach, expect, test, vi } from "vitest";
import { ann, bot, envelopeOf, type Json, utterance, wordsIn } from "../support/envelopes.ts";
import { type Heard, silent, startAgent, textsIn } from "../support/http-agent.ts";
import { token as operator, startTestFloor, type TestFloor } from "../support/start-test-floor.ts";
import { openSocket } from "../support/test-client.ts";

const patience = { timeout: 60_000, interval: 50 };
const few = { perS: 0.000_001, burst: 5 };
const toBot = { speakerUri: bot };
const afterwards: (() => Promise<unknown>)[] = [];
const floors: TestFloor[] = [];

afterEach(async () => {
  for (const end of afterwards.splice(0).reverse()) await end();
  for (const floor of floors.splice(0)) {
    await floor.close();
    expect(floor.errors).toEqual([]);
  }
});

const { token, ...made } = newCredentialToken("key");
const about = { kind: "key", speakers: [bot], scopes: [], isPerson: false } as const;
const key: Credential = { ...made, ...about, createdAt: new Date().toISOString() };
const authorization = `Bearer ${token}`;

async function openFloor(store = createMemoryStore(), port?: number): Promise<TestFloor> {
  const credentials = createMemoryCredentials();
  await credentials.add(key);
  const address = port === undefined ? {} : { port, publicUrl: `http://127.0.0.1:${port}` };
  const floor = await startTestFloor({
    retries: "default",
    rateLimits: { perPrincipal: few },
    ...address,
    store,
    credentials,
  });
  floors.push(floor);
  return floor;
}

const names = (count: number) => Array.from({ length: count }, (_, index) => `c${index}`);

async function openAll(floor: TestFloor, ids: readonly string[]): Promise<void> {
  for (const id of ids) await floor.openConversation(id, [ann], [bot]);
}

async function askAll(floor: TestFloor, ids: readonly string[]): Promise<void> {
  for (const id of ids) await floor.speak(id, ann, `question in ${id}`, toBot);
}

const log = async (floor: TestFloor, id: string) =>
  (await floor.get(`/api/v1/conversations/${id}/log?limit=1000`)).body.entries as Json[];

/** The agent's utterances in a conversation. */
async function saidIn(floor: TestFloor, id: string): Promise<string[]> {
  const spoken = (await log(floor, id)).filter(({ kind, sender }) => kind === "event" && sender === bot);
  return spoken.flatMap(({ event }) => wordsIn({ openFloor: { events: [event] } } as Json));
}

/** Asserts that each conversation has exactly this answer. */
async function expectAnswers(floor: TestFloor, ids: readonly string[], answerIn: (id: string) => string) {
  for (const id of ids) {
    await vi.waitFor(async () => expect([id, await saidIn(floor, id)]).toEqual([id, [answerIn(id)]]), patience);
  }
}

async function connectAgent(floor: TestFloor, agent: Agent): Promise<unknown[]> {
  const errors: unknown[] = [];
  const onError = (error: unknown) => errors.push(error);
  const connection = await connect(agent, { url: floor.url, token, waitMs: 5, waitMaxMs: 20, onError });
  afterwards.push(() => connection.close());
  return errors;
}

const identification = { speakerUri: bot, organization: "Tests", conversationalName: "Bot", synopsis: "Answers." };
const manifest = { identification, capabilities: [] };

/** Releases all waiting handlers when there are this many. */
function createGate(count: number) {
  let waiting = 0;
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return {
    waiting: () => waiting,
    open: () => open(),
    async pass(): Promise<void> {
      waiting += 1;
      if (waiting >= count) open();
      await opened;
    },
  };
}

test("an agent without our code that answers 300 open deliveries at once loses nothing", async () => {
  const floor = await openFloor();
  const ids = names(300);
  await openAll(floor, ids);
  const agent = await openSocket(floor, { speaker: bot, as: "agent" }, { authorization });
  afterwards.push(() => agent.close());
  await askAll(floor, ids);
  const isQuestion = (frame: Json) => wordsIn(frame).some((words) => words.startsWith("question"));
  await vi.waitFor(() => expect(agent.frames.items.filter(isQuestion)).toHaveLength(ids.length), patience);
  for (const frame of agent.frames.items.filter(isQuestion)) {
    const { id } = (frame.openFloor as { conversation: { id: string } }).conversation;
    agent.send({ ...envelopeOf(id, bot, [utterance(bot, `answer in ${id}`)]), inReplyTo: frame.delivery, id });
  }
  const acks = () => agent.frames.items.filter(({ ack }) => ack !== undefined);
  await vi.waitFor(() => expect(acks()).toHaveLength(ids.length), patience);
  expect(agent.frames.items.filter(({ nack }) => nack !== undefined)).toEqual([]);
  await expectAnswers(floor, ids, (id) => `answer in ${id}`);
}, 120_000);

test("an agent of the SDK that streams in 8 conversations at once loses no part", async () => {
  const floor = await openFloor();
  const ids = names(8);
  await openAll(floor, ids);
  const gate = createGate(ids.length);
  const textIn = (id: string) => Array.from({ length: 150 }, (_, at) => `${id}-${at} `).join("");
  async function* stream(id: string): AsyncGenerator<StreamPart> {
    await gate.pass();
    for (const piece of textIn(id).match(/\S+ /gu) ?? []) {
      yield piece;
      // Other handlers continue meanwhile, as with a slow model.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  const agent = createAgent({ manifest, onUtterance: ({ conversation }) => stream(conversation.id) });
  const errors = await connectAgent(floor, agent);
  const viewers = await Promise.all(ids.map((id) => openSocket(floor, { speaker: ann, conversation: id })));
  for (const viewer of viewers) afterwards.push(() => viewer.close());
  await askAll(floor, ids);
  await expectAnswers(floor, ids, textIn);
  for (const [at, viewer] of viewers.entries()) {
    await viewer.find(({ draft }) => (draft as Json | undefined)?.end === "final", "the end of the draft");
    const deltas = viewer.frames.items.flatMap(({ draft }) => (draft as { delta?: string } | undefined)?.delta ?? []);
    expect(deltas.join("")).toBe(textIn(ids[at] ?? ""));
  }
  expect(errors).toEqual([]);
}, 120_000);

test("an agent of the SDK that answers in 100 conversations at once loses nothing", async () => {
  const floor = await openFloor();
  const ids = names(100);
  await openAll(floor, ids);
  const gate = createGate(ids.length);
  const agent = createAgent({
    manifest,
    async onUtterance({ conversation }) {
      await gate.pass();
      return `answer in ${conversation.id}`;
    },
  });
  const errors = await connectAgent(floor, agent);
  await askAll(floor, ids);
  await expectAnswers(floor, ids, (id) => `answer in ${id}`);
  expect(errors).toEqual([]);
}, 120_000);

const isBack = async (floor: TestFloor) => {
  const metrics = await (
    await fetch(`${floor.url}/metrics`, { headers: { authorization: `Bearer ${operator}` } })
  ).text();
  return /^plenary_agent_sockets 1$/mu.test(metrics);
};

test.each(["while the floor is away", "when the floor is back"])(
  "an answer that an agent sends %s counts once, and no part of it is lost or late",
  async (when) => {
    const store = createMemoryStore();
    const first = await openFloor(store);
    const { port } = first;
    const ids = names(100);
    await openAll(first, ids);
    const gate = createGate(Number.POSITIVE_INFINITY);
    const agent = createAgent({
      manifest,
      async onUtterance({ conversation }) {
        await gate.pass();
        return `answer in ${conversation.id}`;
      },
    });
    await connectAgent(first, agent);
    await askAll(first, ids);
    await vi.waitFor(() => expect(gate.waiting()).toBe(ids.length), patience);
    await first.close();
    if (when === "while the floor is away") gate.open();
    const second = await openFloor(store, port);
    await vi.waitFor(async () => expect(await isBack(second)).toBe(true), patience);
    gate.open();
    await expectAnswers(second, ids, (id) => `answer in ${id}`);
    await vi.waitFor(async () => expect((await store.outbox.pending()).deliveries).toEqual([]), patience);
    for (const id of ids) expect((await log(second, id)).filter(({ kind }) => kind === "late")).toEqual([]);
  },
  120_000,
);

test.each([
  ["answers to unknown deliveries", (at: number) => ({ ...envelopeOf("c0", bot, []), inReplyTo: `x:d${at}.0` })],
  ["drafts of them", (at: number) => ({ draft: { inReplyTo: `x:d${at}.0`, dialogEventId: "d", delta: "x" } })],
])("%s are counted and refused by name, and finally the socket is closed", async (_what, frameOf) => {
  const floor = await openFloor();
  await openAll(floor, ["c0"]);
  const agent = await openSocket(floor, { speaker: bot, as: "agent" }, { authorization });
  for (let at = 0; at < 300; at += 1) agent.send(frameOf(at));
  expect((await agent.closed).code).toBe(1008);
  const refused = agent.frames.items.filter(({ problem }) => (problem as Json | undefined)?.status === 429);
  expect(refused).toHaveLength(100);
  expect(refused.at(-1)).toMatchObject({ problem: { inReplyTo: "x:d103.0", retryAfter: expect.any(Number) } });
});

test("a second answer to the same delivery counts toward the rate limit, also after the first was accepted", async () => {
  const floor = await openFloor();
  await openAll(floor, ["c0"]);
  const agent = await openSocket(floor, { speaker: bot, as: "agent" }, { authorization });
  await floor.speak("c0", ann, "question", toBot);
  const { delivery } = await agent.find((frame) => wordsIn(frame).includes("question"), "the question");
  for (let at = 0; at < 300; at += 1) agent.send({ ...envelopeOf("c0", bot, []), inReplyTo: delivery });
  expect((await agent.closed).code).toBe(1008);
});

test("promised answers over HTTP are not counted, a second one is, and its refusal names the delivery", async () => {
  const credentials = createMemoryCredentials();
  await credentials.add(key);
  const testFloor = await startTestFloor({ credentials, rateLimits: { perPrincipal: few } });
  afterwards.push(() => testFloor.close());
  const isWords = (heard: Heard) => textsIn(heard).length > 0;
  const agent = await startAgent(
    (heard, self) => (isWords(heard) ? { status: 202, body: "" } : silent(heard, self)),
    bot,
  );
  const ids = names(20);
  for (const id of ids) {
    await testFloor.invite(id, agent);
    await testFloor.say(id, `question in ${id}`, { wait: 0 });
  }
  await vi.waitFor(() => expect(agent.heard.filter(isWords)).toHaveLength(ids.length), patience);
  const answerTo = (heard: Heard) => {
    const { id } = (heard.body.openFloor as { conversation: { id: string } }).conversation;
    const inReplyTo = String(heard.headers["webhook-id"]);
    return testFloor.call("POST", "/openfloor", envelopeOf(id, bot, []), { authorization, "in-reply-to": inReplyTo });
  };
  const asked = agent.heard.filter(isWords);
  for (const heard of asked) expect((await answerTo(heard)).status).toBe(200);
  const again = [];
  for (const heard of asked) again.push(await answerTo(heard));
  const refused = again.filter(({ status }) => status === 429);
  expect(refused).toHaveLength(ids.length - few.burst);
  expect(refused[0]?.body.inReplyTo).toBe(asked[few.burst]?.headers["webhook-id"]);
});
