// Aborted calls, slow readers, dead connections, and answers that no floor would give.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import {
  type Conversation,
  connect as connectTo,
  type FloorSocket,
  type StreamFrame,
  Unreachable,
} from "@plenary/client";
import { expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { BreakableConnection } from "../browser/breakable-connection.ts";
import { createGate, waitFor } from "../support/wait-for.ts";
import { limits, transports, useClientFloor } from "./client-floor.ts";

const { start, connect } = useClientFloor();

type Answer = (request: IncomingMessage, response: ServerResponse, url: URL) => void;

/** Something that is no floor; `answer` handles everything but /api/v1/me. */
async function startHostile(answer: Answer): Promise<string> {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://hostile.example");
    if (url.pathname !== "/api/v1/me") return answer(request, response, url);
    const floor = { speakerUri: "tag:hostile.example,2026:floor", serviceUrl: "http://hostile.example/openfloor" };
    response.end(JSON.stringify({ kind: "person", speakers: ["tag:a.example,2026:a"], scopes: ["host"], floor }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const conversants = [{ identification: { speakerUri: "tag:a.example,2026:a" }, kind: "person", state: "joined" }];
const view = { id: "c1", seq: 0, conversants, assignedFloorRoles: {}, floorGranted: [], floorRequested: [] };

async function take(frames: AsyncIterable<StreamFrame>, count: number): Promise<number[]> {
  const seqs: number[] = [];
  for await (const frame of frames) {
    if ("seq" in frame) seqs.push(frame.seq);
    if (seqs.length === count) break;
  }
  return seqs;
}

test("answers that are no JSON, have no end or have another shape are temporary problems that name the address", async () => {
  const bodies: Record<string, string> = {
    html: "<html>",
    number: "7",
    list: '{"entries":{}}',
    odd: '{"entries":[{}]}',
  };
  const url = await startHostile((_, response, { pathname }) => {
    const [, id = ""] = /conversations\/(\w+)/u.exec(pathname) ?? [];
    if (id === "c1" && !pathname.endsWith("log")) return void response.end(JSON.stringify(view));
    if (bodies[id] !== undefined) return void response.end(bodies[id]);
    const pour = () => {
      while (response.write("x".repeat(65_536)));
    };
    response.on("drain", pour);
    pour();
  });
  const floor = await connect({ url, limits: { ...limits, answerBytesMax: 1_000_000, requestMs: 20_000 } });
  const talk = await floor.join("c1");
  await expect(talk.log()).rejects.toThrow(/more than 1000000 bytes/u);
  for (const id of ["html", "number", "list", "odd", "endless"]) {
    const problem = await floor.join(id).catch((error: unknown) => error);
    expect(problem).toBeInstanceOf(Unreachable);
    expect(problem).toMatchObject({ isTemporary: true, status: 0, message: expect.stringContaining(url) });
  }
});

test("a stream with gaps, repetitions and other frames is resumed after the last good entry", async () => {
  const event = (seq: unknown) => `data: ${JSON.stringify({ entry: { seq, kind: "closed", at: "" } })}\n\n`;
  const streams = [
    [event(1), event(3)],
    [event(1), "data: not json\n\n", event("2"), event(Number.NaN), "data: 7\n\n", event(2), event(2.5)],
    [event(2), `event: draft\ndata: {"draft":{"delta":7}}\n\n`, event(3), event(4)],
  ];
  const asked: (string | null)[] = [];
  const url = await startHostile((_, response, { pathname, searchParams }) => {
    if (!pathname.endsWith("/events")) return void response.end(JSON.stringify(view));
    asked.push(searchParams.get("after"));
    response.end((streams.shift() ?? []).join(""));
  });
  const talk = await (await connect({ url, WebSocket: false })).join("c1");
  expect(await take(talk.follow(), 4)).toEqual([1, 2, 3, 4]);
  expect(asked).toEqual(["0", "1", "2"]);
});

test("a slow reader gets every entry once, with bounded memory: the socket closes and opens again", async () => {
  const { url } = await start();
  let opened = 0;
  class CountedSocket extends WebSocket {
    constructor(address: string) {
      super(address);
      opened += 1;
    }
  }
  const floor = await connect({ url, WebSocket: CountedSocket, limits: { ...limits, framesMax: 8 } });
  const talk = await floor.open();
  for (let count = 0; count < 40; count += 1) await talk.say(`word ${count}`);
  const { seq } = await talk.view();
  const seqs: number[] = [];
  for await (const frame of talk.follow()) {
    if ("seq" in frame) seqs.push(frame.seq);
    if (seqs.length === seq) break;
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(seqs).toEqual(Array.from({ length: seq }, (_, index) => index + 1));
  expect(opened).toBeGreaterThan(3);
});

test.each(transports)("a connection that is dead without a sign is replaced, over %s", async (_, Socket) => {
  const { url, port } = await start();
  const line = await BreakableConnection.start(port);
  onTestFinished(() => line.close());
  const quick = { ...limits, requestMs: 500, socketSilenceMs: 100, streamSilenceMs: 100 };
  const writer = await (await connect({ url })).open({ id: "c1" });
  // With sockets only the socket dies: the log still answers, and shows what the socket did not bring.
  const direct: typeof fetch = (input, init) => fetch(String(input).replace(line.url, url), init);
  const through = Socket === false ? {} : { fetch: direct };
  const reader = await (await connect({ url: line.url, WebSocket: Socket, limits: quick, ...through })).join("c1");
  const live = createGate();
  const onConnection = (state: string) => state === "live" && live.open();
  const seqs = take(reader.follow({ after: reader.joinedSeq, onConnection }), 2);
  await live.opened;
  line.deafen();
  await writer.say("anyone there?");
  expect(await seqs).toEqual([reader.joinedSeq + 1, reader.joinedSeq + 2]);
});

test("after three sockets that never open, the client follows by server-sent events", async () => {
  const { url } = await start();
  let tried = 0;
  class BlockedSocket implements FloorSocket {
    readyState = 3;
    onopen = null;
    onmessage = null;
    onclose: ((event: never) => void) | null = null;
    onerror = null;
    constructor(_address: string) {
      tried += 1;
      queueMicrotask(() => this.onclose?.({ code: 1006 } as never));
    }
    close() {}
  }
  const talk = await (await connect({ url, WebSocket: BlockedSocket })).open();
  await talk.say("hello");
  expect(await take(talk.follow(), 3)).toEqual([1, 2, 3]);
  expect(tried).toBe(3);
});

test("a client whose floor was away for a while follows by a socket again", async () => {
  const { port } = await start();
  const line = await BreakableConnection.start(port);
  onTestFinished(() => line.close());
  let opened = 0;
  class CountedSocket extends WebSocket {
    constructor(address: string) {
      super(address);
      this.once("open", () => {
        opened += 1;
      });
    }
  }
  const talk = await (await connect({ url: line.url, WebSocket: CountedSocket })).open();
  const live = createGate();
  const onConnection = (state: string) => state === "live" && live.open();
  const seqs = take(talk.follow({ onConnection }), 3);
  await live.opened;
  const isBack = line.breakDown({ kind: "refuse", afterBytes: 0, more: 20 });
  await talk.say("anyone there?");
  await isBack;
  expect(await seqs).toEqual([1, 2, 3]);
  expect(opened).toBe(2);
});

test("every waiting call ends with the reason of its signal", async () => {
  const never = await startHostile(() => {});
  const { port } = await start();
  const line = await BreakableConnection.start(port);
  const floor = await connect({ url: line.url });
  const talk = await floor.open();
  await talk.say("hello");
  const calls: [string, (signal: AbortSignal) => Promise<unknown>][] = [
    ["follow", (signal) => take(talk.follow({ signal }), 1_000)],
    ["lines", (signal) => talk.lines({ from: "now", signal }).next()],
    ["waitForReply", (signal) => talk.waitForReply({ signal })],
  ];
  const stuck: typeof calls = [
    ["connect", (signal) => connectTo({ url: `${never}/other`, token: "t", signal })],
    ["say", (signal) => talk.say("lost", { signal })],
    ["whisper", (signal) => talk.whisper("tag:a.example,2026:a", "lost", { signal })],
    ["invite", (signal) => talk.invite("/agents/echo", { signal })],
    ["command", (signal) => talk.command("pause", {}, { signal })],
    ["view", (signal) => talk.view({ signal })],
    ["log", (signal) => talk.log({ signal })],
    ["open", (signal) => floor.open({ signal })],
  ];
  const check = async ([name, run]: (typeof calls)[number]) => {
    const over = new AbortController();
    const result = run(over.signal).then(
      () => `${name} ended`,
      (error: unknown) => error,
    );
    setImmediate(() => over.abort(name));
    expect(await result).toBe(name);
    expect(await run(AbortSignal.abort(name)).catch((error: unknown) => error)).toBe(name);
  };
  for (const call of calls) await check(call);
  void line.breakDown({ kind: "swallow", afterBytes: 1, more: 1_000_000 });
  for (const call of stuck) await check(call);
  expect(talk.outbox.unsent()).toEqual([]);
  await line.close();
});

test("closing the client ends its streams and rejects what waits", async () => {
  const { url, port } = await start();
  const line = await BreakableConnection.start(port);
  const floor = await connectTo({ url: line.url, token: "operators-token", limits });
  const talk: Conversation = await floor.open();
  const reading = take(talk.follow(), 1_000);
  const live = talk.live();
  await live.loaded;
  await line.close();
  const said = talk.say("lost");
  await waitFor(() => talk.outbox.unsent()[0]?.problem !== undefined, "a failed attempt");
  const ends = Promise.allSettled([reading, said]);
  await floor.close();
  expect(await ends).toMatchObject([
    { status: "rejected", reason: { name: "AbortError" } },
    { status: "rejected", reason: { name: "AbortError" } },
  ]);
  await expect(connectTo({ url, token: "t", signal: AbortSignal.abort("no") })).rejects.toBe("no");
});
