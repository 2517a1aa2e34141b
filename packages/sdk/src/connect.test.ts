import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { envelope, type FloorEvent, getManifests, textUtterance } from "@plenary/protocol";
import { afterEach, expect, test } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import type { AgentOptions } from "./agent/handlers.ts";
import { createAgent } from "./agent.ts";
import { type Connection, connect } from "./connect.ts";

const ann = { speakerUri: "tag:ann.example,2025:1" };
const me = { speakerUri: "tag:bot.example,2025:ü", organization: "", conversationalName: "Bot", synopsis: "" };
const manifest = { identification: me, capabilities: [] };

/** A queue whose `take` waits for the next value. */
function createInbox<Item>() {
  const items: Item[] = [];
  const waiting: ((item: Item) => void)[] = [];
  return {
    put(item: Item) {
      const taker = waiting.shift();
      if (taker === undefined) items.push(item);
      else taker(item);
    },
    take(): Promise<Item> {
      const item = items.shift();
      return item === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(item);
    },
  };
}

type Frame = { draft?: object; openFloor?: { events: FloorEvent[]; sender: object }; inReplyTo?: string };

/** A fake floor that accepts sockets, sends frames and collects the answers. */
class FakeFloor {
  readonly server: Server;
  readonly sockets = createInbox<WebSocket>();
  readonly frames = createInbox<Frame>();
  readonly requests: IncomingMessage[] = [];
  refuseWith: number | undefined;
  url = "";

  constructor() {
    const upgrades = new WebSocketServer({ noServer: true });
    this.server = createServer();
    this.server.on("upgrade", (request, socket, head) => {
      this.requests.push(request);
      if (this.refuseWith !== undefined) {
        socket.end(`HTTP/1.1 ${this.refuseWith} No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`);
        return;
      }
      upgrades.handleUpgrade(request, socket, head, (opened) => {
        opened.on("message", (data) => this.frames.put(JSON.parse(data.toString())));
        this.sockets.put(opened);
      });
    });
  }

  async open(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, "127.0.0.1", resolve));
    this.url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    return this;
  }
}

const floors: FakeFloor[] = [];
const connections: Connection[] = [];

afterEach(async () => {
  for (const connection of connections.splice(0)) await connection.close();
  for (const { server } of floors.splice(0)) server.close();
});

async function openFloor(): Promise<FakeFloor> {
  const floor = await new FakeFloor().open();
  floors.push(floor);
  return floor;
}

async function connectTo(floor: FakeFloor, options: Partial<AgentOptions<Record<string, unknown>>> = {}) {
  const agent = createAgent({ manifest, onUtterance: ({ text }) => `You said: ${text}`, ...options });
  const errors: unknown[] = [];
  const connection = await connect(agent, {
    url: floor.url,
    token: "secret",
    waitMs: 1,
    waitMaxMs: 5,
    onError: (error) => errors.push(error),
  });
  connections.push(connection);
  return { connection, errors };
}

function delivery(id: string, events: FloorEvent[] = [said("hi")]): string {
  return JSON.stringify({ openFloor: envelope({ conversation: { id: "c1" }, sender: ann, events }), delivery: id });
}

function said(text: string) {
  return textUtterance(text, { ...ann, id: `de:${text}`, startTime: "2025-01-31T10:05:00Z" });
}

function wordsIn({ openFloor }: Frame): unknown[] {
  return (openFloor?.events ?? []).map((event) =>
    event.eventType === "utterance" ? event.parameters.dialogEvent.features.text?.tokens[0]?.value : event.eventType,
  );
}

test("an agent connects as itself, with its token, and answers deliveries by their id", async () => {
  const floor = await openFloor();
  await connectTo(floor);
  const socket = await floor.sockets.take();
  const [request] = floor.requests;
  expect(request?.url).toBe(`/openfloor/ws?speaker=${encodeURIComponent(me.speakerUri)}&as=agent`);
  expect(request?.headers.authorization).toBe("Bearer secret");
  socket.send(delivery("d1"));
  const answer = await floor.frames.take();
  expect([answer.inReplyTo, wordsIn(answer)]).toEqual(["d1", ["You said: hi"]]);
});

test("an agent with secrets needs no signatures over its own connection", async () => {
  const floor = await openFloor();
  await connectTo(floor, { secrets: [`whsec_${Buffer.alloc(32, 1).toString("base64")}`] });
  (await floor.sockets.take()).send(delivery("d1"));
  expect(wordsIn(await floor.frames.take())).toEqual(["You said: hi"]);
});

test("no answer is an empty envelope", async () => {
  const floor = await openFloor();
  await connectTo(floor, { onUtterance: () => undefined });
  (await floor.sockets.take()).send(delivery("d1"));
  expect(await floor.frames.take()).toMatchObject({ inReplyTo: "d1", openFloor: { events: [] } });
});

test("a streamed answer is sent as drafts (D30)", async () => {
  const floor = await openFloor();
  await connectTo(floor, {
    async *onUtterance() {
      yield "one\n\n";
      yield "two";
    },
  });
  (await floor.sockets.take()).send(delivery("d1"));
  const { draft: start } = await floor.frames.take();
  const id = { inReplyTo: "d1", dialogEventId: expect.stringMatching(/^de:/u) };
  expect(start).toEqual({ ...id, to: { speakerUri: ann.speakerUri } });
  expect(await floor.frames.take()).toEqual({ draft: { ...id, delta: "one\n\n" } });
  expect(await floor.frames.take()).toEqual({ draft: { ...id, delta: "two" } });
  const answer = await floor.frames.take();
  expect([answer.inReplyTo, wordsIn(answer)]).toEqual(["d1", ["one\n\ntwo"]]);
});

test("a step of a streamed answer is sent at once (D43)", async () => {
  const floor = await openFloor();
  const step = { id: "1", title: "Searching", state: "running" } as const;
  await connectTo(floor, {
    async *onUtterance() {
      yield { step };
    },
  });
  (await floor.sockets.take()).send(delivery("d1"));
  const { draft: start } = await floor.frames.take();
  expect(await floor.frames.take()).toEqual({
    draft: { inReplyTo: "d1", dialogEventId: (start as { dialogEventId?: string }).dialogEventId, step },
  });
});

test("an agent without an address gets a relay address (D25)", async () => {
  const floor = await openFloor();
  const { connection } = await connectTo(floor);
  const relay = `${floor.url}/openfloor/at/${Buffer.from(me.speakerUri).toString("base64url")}`;
  expect(connection.serviceUrl).toBe(relay);
  (await floor.sockets.take()).send(delivery("d1", [getManifests({ to: { serviceUrl: relay } })]));
  expect(await floor.frames.take()).toMatchObject({
    openFloor: {
      sender: { serviceUrl: relay },
      events: [{ parameters: { servicingManifests: [{ identification: { serviceUrl: relay } }] } }],
    },
  });
});

test("a lost connection reopens, and a repeated delivery gets the same answer", async () => {
  let runs = 0;
  const floor = await openFloor();
  await connectTo(floor, {
    onUtterance: () => {
      runs += 1;
      return `run ${runs}`;
    },
  });
  for (let round = 0; round < 5; round += 1) {
    const socket = await floor.sockets.take();
    socket.send(delivery("d1"));
    const answer = await floor.frames.take();
    expect([answer.inReplyTo, wordsIn(answer)]).toEqual(["d1", ["run 1"]]);
    socket.terminate();
  }
});

test("an answer without an open socket is sent over the next one", async () => {
  let finish = (_text: string) => {};
  const floor = await openFloor();
  await connectTo(floor, {
    onUtterance: () =>
      new Promise<string>((resolve) => {
        finish = resolve;
        floor.frames.put({ inReplyTo: "thinking" });
      }),
  });
  const first = await floor.sockets.take();
  first.send(delivery("d1"));
  expect(await floor.frames.take()).toEqual({ inReplyTo: "thinking" });
  first.terminate();
  await floor.sockets.take();
  finish("at last");
  const answer = await floor.frames.take();
  expect([answer.inReplyTo, wordsIn(answer)]).toEqual(["d1", ["at last"]]);
});

test("an answer refused with 429 or 503 is repeated at most ten times, other refusals are not", async () => {
  const floor = await openFloor();
  const { errors } = await connectTo(floor);
  const socket = await floor.sockets.take();
  socket.send(delivery("d1"));
  const first = await floor.frames.take();
  const problem = { status: 429, inReplyTo: "d1", retryAfter: 0.001 };
  for (let turn = 0; turn < 10; turn += 1) {
    socket.send(JSON.stringify({ nack: null, problem }));
    expect(await floor.frames.take()).toEqual(first);
  }
  socket.send(JSON.stringify({ nack: null, problem }));
  await expect.poll(() => errors, { timeout: 10_000 }).toHaveLength(1);
  socket.send(delivery("d2", [said("again")]));
  expect(await floor.frames.take()).toMatchObject({ inReplyTo: "d2" });
  socket.send(JSON.stringify({ nack: null, problem: { ...problem, inReplyTo: "d2", status: 422 } }));
  await expect.poll(() => errors, { timeout: 10_000 }).toHaveLength(2);
});

test("frames that are not deliveries are ignored, and a refusal is reported", async () => {
  const floor = await openFloor();
  const { errors } = await connectTo(floor);
  const socket = await floor.sockets.take();
  for (const frame of ['{"ack":"mine-1","seq":[1]}', "[]", '{"nack":"mine-2","problem":{"title":"No"}}', "not json"]) {
    socket.send(frame);
  }
  socket.send(JSON.stringify({ openFloor: { events: 1 }, delivery: "bad" }));
  socket.send(delivery("d1"));
  expect((await floor.frames.take()).inReplyTo).toBe("d1");
  expect(errors).toHaveLength(3);
  expect(String(errors)).toMatch(/mine-2.*JSON.*delivery bad could not be read/su);
});

test.each([401, 403, 404])("a floor that answers %i is not dialled again", async (status) => {
  const floor = await openFloor();
  floor.refuseWith = status;
  await expect(connectTo(floor)).rejects.toMatchObject({ code: "refused-upgrade", status });
  expect(floor.requests).toHaveLength(1);
});

test("a busy or unreachable floor is dialled again", async () => {
  const floor = await openFloor();
  floor.refuseWith = 503;
  const agent = createAgent({ manifest, onUtterance: () => undefined });
  const onError = () => {
    if (floor.requests.length === 3) floor.refuseWith = undefined;
  };
  connections.push(await connect(agent, { url: floor.url, waitMs: 1, waitMaxMs: 5, onError }));
  expect(floor.requests).toHaveLength(4);
});

test("a token revoked later ends the connection permanently", async () => {
  const floor = await openFloor();
  const { connection } = await connectTo(floor);
  floor.refuseWith = 401;
  (await floor.sockets.take()).terminate();
  await expect(connection.closed).rejects.toMatchObject({ status: 401 });
});

test("an agent replaced by another process does not reconnect", async () => {
  const floor = await openFloor();
  const { connection } = await connectTo(floor);
  (await floor.sockets.take()).close(4009, "a newer socket of this agent has taken over");
  await expect(connection.closed).rejects.toThrow(/another process/u);
  expect(floor.requests).toHaveLength(1);
});

test("close() closes the socket and does not reconnect", async () => {
  const floor = await openFloor();
  const { connection } = await connectTo(floor);
  const socket = await floor.sockets.take();
  const closed = new Promise<number>((resolve) => socket.on("close", resolve));
  await connection.close();
  expect(await closed).toBe(1000);
  expect(floor.requests).toHaveLength(1);
});
