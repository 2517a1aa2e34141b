// D18: Stop, revokeFloor and uninvite come while an utterance is not sent yet. The agent still gets it, or the log
// and the dead letters show that it did not.
import { once } from "node:events";
import { createServer as createRawServer, type Socket } from "node:net";
import { createDialler } from "@plenary/sdk";
import { createMemoryStore } from "@plenary/server";
import { afterEach, expect, test, vi } from "vitest";
import { ann } from "../support/envelopes.ts";
import { type Agent, answer, echo, eventsIn, silent, startAgent, textsIn } from "../support/http-agent.ts";
import { startTestFloor, type TestFloor } from "../support/start-test-floor.ts";
import { patience } from "../support/wait-for.ts";

let floor: TestFloor;
const afterwards: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of afterwards.splice(0)) await end();
  await floor.close();
  expect(floor.errors).toEqual([]);
});

/** What an agent received in one conversation, in order: utterances and stops. */
function toldIn(agent: Agent, conversation: string): string[] {
  return agent.heard.flatMap((heard) => {
    const { id } = (heard.body.openFloor as { conversation: { id: string } }).conversation;
    const stops = eventsIn(heard)
      .map(({ eventType }) => eventType)
      .filter((type) => type === "revokeFloor" || type === "uninvite");
    return id === conversation ? [...textsIn(heard), ...stops] : [];
  });
}

type Stopper = [how: string, stop: (conversation: string, speakerUri: string) => Promise<unknown>, expected: string[]];

const stoppers: Stopper[] = [
  ["Stop", (id) => floor.call("POST", `/api/v1/conversations/${id}/pause`, {}), []],
  [
    "revokeFloor",
    (id, speakerUri) => floor.send(id, [{ eventType: "revokeFloor", to: { speakerUri } }], { wait: 0 }),
    ["revokeFloor"],
  ],
  [
    "uninvite",
    (id, speakerUri) => floor.send(id, [{ eventType: "uninvite", to: { speakerUri } }], { wait: 0 }),
    ["uninvite"],
  ],
];

const stopIn = (id: string, agent: Agent) => stoppers[0]?.[1](id, agent.speakerUri);

const deadLetters = async () =>
  (await floor.call("GET", "/api/v1/dead-letters")).body.deadLetters as { events: object[]; detail: string }[];

/** One request to an address at a time: while the agent holds its answer in `a`, an utterance in `b` waits. */
async function startOneAtATime(store = createMemoryStore(), silenceMs = 60_000) {
  floor = await startTestFloor({ store, deliveryLimits: { inFlightPerTargetMax: 1, retryMs: 60_000, silenceMs } });
}

async function startHolder() {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const agent = await startAgent(async (heard, self) => {
    if (textsIn(heard).includes("hold")) await held;
    return textsIn(heard).length === 0 ? silent(heard, self) : echo(heard, self);
  });
  return { agent, release: () => release() };
}

async function holdUp(agent: Agent): Promise<void> {
  for (const id of ["a", "b"]) await floor.invite(id, agent);
  await floor.say("a", "hold", { wait: 0 });
  await vi.waitFor(() => expect(toldIn(agent, "a")).toEqual(["hold"]), patience);
}

const spokenIn = async (id: string, agent: Agent) =>
  (await floor.log(id)).filter(({ kind, sender }) => kind === "event" && sender === agent.speakerUri);

test.each(stoppers)(
  "%s: a queued delivery is sent before it, in order, and its answer has no effect",
  async (_how, stop, expected) => {
    await startOneAtATime();
    const { agent, release } = await startHolder();
    await holdUp(agent);
    const before = (await spokenIn("b", agent)).length;
    await floor.say("b", "one", { wait: 0 });
    await floor.say("b", "two", { wait: 0 });
    await stop("b", agent.speakerUri);
    expect(toldIn(agent, "b")).toEqual([]);
    release();
    await vi.waitFor(() => expect(toldIn(agent, "b")).toEqual(["one", "two", ...expected]), patience);
    await vi.waitFor(async () => expect((await floor.store.outbox.pending()).deliveries).toEqual([]), patience);
    expect(await spokenIn("b", agent)).toHaveLength(before);
    expect(await deadLetters()).toEqual([]);
  },
);

test("a delivery that was stopped before it was sent is sent by the next process", async () => {
  const store = createMemoryStore();
  await startOneAtATime(store);
  const { agent, release } = await startHolder();
  await holdUp(agent);
  await floor.say("b", "one", { wait: 0 });
  await stopIn("b", agent);
  await floor.server.close();
  const { port } = floor;
  await startOneAtATime(store);
  expect(floor.port).not.toBe(port);
  release();
  await vi.waitFor(() => expect(toldIn(agent, "b")).toEqual(["one"]), patience);
  await vi.waitFor(async () => expect((await store.outbox.pending()).deliveries).toEqual([]), patience);
  expect(await deadLetters()).toEqual([]);
});

test("a delivery that was stopped while its connection was being opened is sent", async () => {
  const agent = await startAgent(echo);
  let isSlow = false;
  let lookUps = 0;
  let goOn = () => {};
  const open = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const dialler = createDialler({
    mode: "local",
    limits: { connectMs: 60_000 },
    async resolve() {
      lookUps += 1;
      if (isSlow) await open;
      return [{ address: "127.0.0.1", family: 4 }];
    },
  });
  afterwards.push(() => dialler.close());
  floor = await startTestFloor({ dialler: dialler, deliveryLimits: { connectMs: 60_000, retryMs: 60_000 } });
  const url = agent.url.replace("127.0.0.1", "agent.example");
  const identification = { speakerUri: agent.speakerUri, serviceUrl: url };
  await floor.send("c", []);
  await floor.call("POST", "/api/v1/conversations/c/seat", { identification, kind: "agent" });
  isSlow = true;
  const before = lookUps;
  await floor.say("c", "one", { wait: 0 });
  await vi.waitFor(() => expect(lookUps).toBeGreaterThan(before), patience);
  await stopIn("c", agent);
  goOn();
  await vi.waitFor(() => expect(toldIn(agent, "c")).toEqual(["one"]), patience);
  await vi.waitFor(async () => expect((await floor.store.outbox.pending()).deliveries).toEqual([]), patience);
  expect(await spokenIn("c", agent)).toEqual([]);
});

test("a delivery that was stopped in a failing TLS handshake is in the log for people, and a dead letter", async () => {
  const dialler = createDialler({ mode: "local", limits: { connectMs: 60_000 } });
  const met: Socket[] = [];
  const server = createRawServer((socket) => met.push(socket.on("error", () => {})));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  afterwards.push(
    () => dialler.close(),
    () => server.close(),
  );
  floor = await startTestFloor({ dialler: dialler, deliveryLimits: { connectMs: 60_000, retryMs: 60_000 } });
  const speakerUri = "tag:agents.example,2026:tls";
  const identification = { speakerUri, serviceUrl: `https://127.0.0.1:${port}/` };
  await floor.send("c", []);
  await floor.call("POST", "/api/v1/conversations/c/seat", { identification, kind: "agent" });
  await floor.say("c", "one", { wait: 0 });
  await vi.waitFor(() => expect(met).toHaveLength(1), patience);
  await floor.call("POST", "/api/v1/conversations/c/pause", {});
  for (const socket of met) socket.destroy();
  const entries = await floor.until("c", (all) => all.some(({ because }) => because === "delivery/unsent"));
  expect(entries.at(-1)).toMatchObject({ kind: "missed", speakerUri, failure: "unreachable" });
  expect((await floor.log("c", ann)).at(-1)).toMatchObject({ kind: "missed", speakerUri });
  expect(await deadLetters()).toMatchObject([{ events: [{ eventType: "utterance" }] }]);
  expect(met).toHaveLength(1);
});

async function running(): Promise<number> {
  const { text } = await floor.call("GET", "/metrics");
  return Number(/^plenary_deliveries\{\w+="running"\} (\d+)$/mu.exec(text)?.[1]);
}

test("an answer that was promised for later is not requested again after a stop", async () => {
  const store = createMemoryStore();
  floor = await startTestFloor({ store });
  const agent = await startAgent((heard, self) =>
    textsIn(heard).length === 0 ? answer(heard, self) : { status: 202, body: "" },
  );
  await floor.invite("c", agent);
  await floor.say("c", "one", { wait: 0 });
  await vi.waitFor(() => expect(toldIn(agent, "c")).toEqual(["one"]), patience);
  // Its request has ended, and its answer is still missing.
  await vi.waitFor(async () => expect(await running()).toBe(0), patience);
  expect((await store.outbox.pending()).deliveries).toHaveLength(1);
  await stopIn("c", agent);
  await vi.waitFor(async () => expect((await store.outbox.pending()).deliveries).toEqual([]), patience);
  await floor.server.close();
  floor = await startTestFloor({ store });
  await floor.say("c", "two", { wait: 0 });
  await vi.waitFor(() => expect(toldIn(agent, "c")).toContain("two"), patience);
  expect(toldIn(agent, "c")).toEqual(["one", "two"]);
});
