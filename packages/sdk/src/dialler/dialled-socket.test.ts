import { createServer as createHttpServer, type IncomingMessage } from "node:http";
import { type AddressInfo, createServer, type Server } from "node:net";
import { afterEach, expect, test } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { createDialler } from "../dialler.ts";
import type { SocketRequest } from "./dial.ts";

const opened: Server[] = [];

afterEach(() => {
  for (const server of opened.splice(0)) server.close();
});

async function listening(server: Server): Promise<string> {
  opened.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

async function farEnd(onSocket: (socket: WebSocket, request: IncomingMessage) => void): Promise<string> {
  const server = createHttpServer();
  new WebSocketServer({ server }).on("connection", onSocket);
  return listening(server);
}

const dialler = createDialler({ mode: "local" });
const ignore = () => {};

function open(url: string, more: Partial<SocketRequest> = {}) {
  return dialler.dialSocket({ url, onText: ignore, onClose: ignore, ...more });
}

test("text is sent and received, with the caller's headers and without compression", async () => {
  let seen: IncomingMessage | undefined;
  const url = await farEnd((socket, request) => {
    seen = request;
    socket.on("message", (data) => socket.send(`You said: ${data}`));
  });
  let onText: (text: string) => void = ignore;
  const heard = new Promise<string>((resolve) => {
    onText = resolve;
  });
  const socket = await open(`${url}talk?as=agent#here`, { headers: { authorization: "Bearer x" }, onText });
  expect(socket.send("hi")).toBe(true);
  expect(await heard).toBe("You said: hi");
  expect([seen?.url, seen?.headers.authorization]).toEqual(["/talk?as=agent", "Bearer x"]);
  expect(seen?.headers["sec-websocket-extensions"]).toBeUndefined();
  socket.close();
});

test("a message beyond the size limit closes the socket", async () => {
  const url = await farEnd((socket) => socket.on("message", () => socket.send("x".repeat(1_048_577))));
  const heard: string[] = [];
  let onClose: (code: number) => void = ignore;
  const closed = new Promise<number>((resolve) => {
    onClose = resolve;
  });
  const socket = await open(url, { onText: (text) => heard.push(text), onClose });
  socket.send("go on");
  expect(await closed).toBe(1006);
  expect([heard, socket.send("too late")]).toEqual([[], false]);
});

test("a server that accepts the connection and sends nothing causes a connection timeout", async () => {
  const url = await listening(createServer(ignore));
  await expect(open(url, { connectMs: 20 })).rejects.toMatchObject({ code: "timeout", isSent: false, retryable: true });
});

test("connection refused is `unreachable`", async () => {
  const url = await listening(createServer());
  await new Promise((resolve) => opened.pop()?.close(resolve));
  await expect(open(url)).rejects.toMatchObject({ code: "unreachable", retryable: true });
});

test("the caller can abort before and while the socket opens", async () => {
  const url = await listening(createServer(ignore));
  await expect(open(url, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "aborted" });
  const controller = new AbortController();
  const opening = open(url, { signal: controller.signal });
  controller.abort();
  await expect(opening).rejects.toMatchObject({ code: "aborted", retryable: false });
});

test("a header with a line break is refused before anything is sent", async () => {
  const url = await farEnd(ignore);
  const dial = open(url, { headers: { "x-a": "b\r\nx-c: d" } });
  await expect(dial).rejects.toMatchObject({ name: "DialError", isSent: false });
});
