import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Client } from "./client.ts";
import { type LiveState, openLiveConnection } from "./live-connection.ts";

/** A browser's socket whose other end is the test. */
class Socket {
  static all: Socket[] = [];
  static readonly CONNECTING = 0;
  readyState = 0;
  onopen?: () => void;
  onmessage?: (message: { data: string }) => void;
  onclose?: (event: { code: number }) => void;
  constructor() {
    Socket.all.push(this);
  }
  close(): void {}
}

const longMs = 120_000;
let states: string[];
let frames: unknown[];
let bodies: string[];
let live: ReturnType<typeof openLiveConnection>;

function start(): void {
  const client = {
    post: async () => ({ ticket: "t" }),
    stream: async () => new Response(bodies.shift() ?? "").body,
  } as unknown as Client;
  live = openLiveConnection({
    client,
    conversation: "c",
    speaker: "tag:me",
    after: () => 0,
    onFrame: (frame) => frames.push(frame),
    onState: (state: LiveState, problem) => states.push(problem === undefined ? state : `${state}: ${problem.message}`),
  });
}

async function opened(): Promise<Socket> {
  await vi.advanceTimersByTimeAsync(0);
  const socket = Socket.all.at(-1) as Socket;
  socket.onopen?.();
  return socket;
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("WebSocket", Socket);
  vi.stubGlobal("location", { href: "http://floor.example/" });
  [Socket.all, states, frames, bodies] = [[], [], [], []];
});
afterEach(() => {
  live.close();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe("a stream that ends", () => {
  test("reconnects after a cut", async () => {
    start();
    (await opened()).onclose?.({ code: 1006 });
    await vi.advanceTimersByTimeAsync(longMs);
    expect(states).toEqual(["live", "reconnecting"]);
    expect(Socket.all).toHaveLength(2);
  });

  test("because the speaker is gone stays closed and reports it", async () => {
    start();
    const socket = await opened();
    socket.onmessage?.({ data: '{"entry":{"seq":1,"kind":"closed"},"seq":1}' });
    socket.onclose?.({ code: 4010 });
    await vi.advanceTimersByTimeAsync(longMs);
    expect(states).toEqual(["live", "gone: You are not in this conversation any more."]);
    expect(Socket.all).toHaveLength(1);
    expect(frames).toHaveLength(1);
  });

  test.each([
    ["gone", ["live", "gone: You are not in this conversation any more."]],
    ["closing", ["live", "reconnecting"]],
  ])("as Server-Sent Events, because of %j, does the same", async (why, expected) => {
    bodies.push(`: listening\n\nid: 1\ndata: {"entry":{"seq":1}}\n\nevent: end\ndata: {"why":"${why}"}\n\n`);
    start();
    // Three sockets that never open, and none is tried again.
    for (let socket = 0; socket < 3; socket += 1) {
      await vi.advanceTimersByTimeAsync(5_000);
      Socket.all.at(-1)?.onclose?.({ code: 1006 });
    }
    states.length = 0;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(states.slice(0, 2)).toEqual(expected);
    expect(states.includes("reconnecting")).toBe(why !== "gone");
    expect(frames).toEqual([{ entry: { seq: 1 } }]);
  });
});
